from .approvals import Approvals, Switches
from .decide import Allow, Ask, Decision, Deny, decision_about
from .fingerprints import FileDigests, digest, files_named, fingerprint, paths_named
from .grants import Grants, grants_file
from .matching import HiddenFiles, is_about
from .permission_scope import check_permission_scope
from .policy import (
    FAMILIES,
    MCP,
    MCP_NAME,
    Modes,
    Places,
    Policy,
    Rule,
    ToolRule,
    UserRules,
    parse_rule,
    short_name,
)
from .private_file import DamagedFile, Entries, PrivateFile, update_private
from .protected import (
    fixed_paths,
    folded,
    git_protected_paths,
    obeyed_at_once,
    own_folders,
    protected_entry,
    protected_in,
    why_protected,
)
from .subject import CallSubject
from .trust import (
    Trust,
    TrustQuestion,
    forget_folder,
    how_to_trust,
    remember_folder,
    remembered_folders,
)

__all__ = [
    "FAMILIES",
    "MCP",
    "MCP_NAME",
    "Allow",
    "Approvals",
    "Ask",
    "CallSubject",
    "DamagedFile",
    "Decision",
    "Deny",
    "Entries",
    "FileDigests",
    "Grants",
    "HiddenFiles",
    "Modes",
    "Places",
    "Policy",
    "PrivateFile",
    "Rule",
    "Switches",
    "ToolRule",
    "Trust",
    "TrustQuestion",
    "UserRules",
    "check_permission_scope",
    "decision_about",
    "digest",
    "files_named",
    "fingerprint",
    "fixed_paths",
    "folded",
    "forget_folder",
    "git_protected_paths",
    "grants_file",
    "how_to_trust",
    "is_about",
    "obeyed_at_once",
    "own_folders",
    "parse_rule",
    "paths_named",
    "protected_entry",
    "protected_in",
    "remember_folder",
    "remembered_folders",
    "short_name",
    "update_private",
    "why_protected",
]
