from .documents.host import Indexing, WorkspaceHost
from .documents.overlays import (
    Change,
    Closed,
    DiskChanged,
    Edited,
    Opened,
    Overlay,
    RootsChanged,
    Saved,
    TextEdit,
    edited,
    masked,
)
from .documents.snapshot import MAX_IGNORED, WorkspaceSnapshot, with_ignored
from .files.disk import Loaded, Stamp, load, load_raw
from .files.entries import STAMP, FileEntry, Files
from .files.git_format import GitPattern, git_folders, git_outside, one_per_byte, repository_top
from .files.listing import Listing
from .files.long import LinePart, LongLines
from .files.roots import (
    EncodingRule,
    Roots,
    encoding_rules,
    folder_identity,
    is_inside,
    outermost,
    real_path,
    same_file,
)
from .files.state_folder import (
    INDEX_LOCK,
    index_base,
    index_folder,
    prepare_index_folder,
    troubles_file,
    writing,
)
from .files.walk import SPECIAL, UNREADABLE, list_once
from .index.jobs import Prune
from .index.required import analyse
from .index.searchable import version_of
from .search.fuzzy import FolderFinder, best_files, match_rank, newest_files
from .search.ripgrep import NoRipgrep, Request, find_ripgrep
from .search.scan import Lines, compile_pattern, matching_lines
from .search.search import TextSearch, begin_search
from .search.source import SearchedText, candidates, document_of, read_text, unsearchable
from .status import CacheStatistics, Skipped, Sweep, TextIndexStatus

__all__ = [
    "INDEX_LOCK",
    "MAX_IGNORED",
    "SPECIAL",
    "STAMP",
    "UNREADABLE",
    "CacheStatistics",
    "Change",
    "Closed",
    "DiskChanged",
    "Edited",
    "EncodingRule",
    "FileEntry",
    "Files",
    "FolderFinder",
    "GitPattern",
    "Indexing",
    "LinePart",
    "Lines",
    "Listing",
    "Loaded",
    "LongLines",
    "NoRipgrep",
    "Opened",
    "Overlay",
    "Prune",
    "Request",
    "Roots",
    "RootsChanged",
    "Saved",
    "SearchedText",
    "Skipped",
    "Stamp",
    "Sweep",
    "TextEdit",
    "TextIndexStatus",
    "TextSearch",
    "WorkspaceHost",
    "WorkspaceSnapshot",
    "analyse",
    "begin_search",
    "best_files",
    "candidates",
    "compile_pattern",
    "document_of",
    "edited",
    "encoding_rules",
    "find_ripgrep",
    "folder_identity",
    "git_folders",
    "git_outside",
    "index_base",
    "index_folder",
    "is_inside",
    "list_once",
    "load",
    "load_raw",
    "masked",
    "match_rank",
    "matching_lines",
    "newest_files",
    "one_per_byte",
    "outermost",
    "prepare_index_folder",
    "read_text",
    "real_path",
    "repository_top",
    "same_file",
    "troubles_file",
    "unsearchable",
    "version_of",
    "with_ignored",
    "writing",
]
