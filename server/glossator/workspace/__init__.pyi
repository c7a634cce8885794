from .documents.change import Closed, DiskChanged, Edited, Opened, RootsChanged, Saved, TextEdit
from .documents.host import Indexing, WorkspaceHost
from .documents.ignored import MAX_IGNORED, with_ignored
from .documents.overlays import Overlay, edited, masked
from .documents.snapshot import WorkspaceSnapshot
from .files.disk import Loaded, Stamp, load, load_raw
from .files.encodings import EncodingRule, encoding_rules
from .files.entries import STAMP, FileEntry, Files
from .files.gitpattern import GitPattern, one_per_byte
from .files.listing import Listing
from .files.long import LinePart, LongLines
from .files.once import list_once
from .files.repository import git_folders, git_outside, repository_top
from .files.roots import Roots, folder_identity, is_inside, outermost, real_path, same_file
from .files.state_folder import (
    INDEX_LOCK,
    index_base,
    index_folder,
    prepare_index_folder,
    troubles_file,
)
from .files.statistics import CacheStatistics, Skipped
from .files.sweep import Sweep
from .files.walk import SPECIAL, UNREADABLE
from .index.jobs import Prune
from .index.lock import writing
from .index.manager import TextIndexStatus
from .index.plain import version_of
from .index.required import analyse
from .search.fuzzy import FolderFinder, best_files, match_rank, newest_files
from .search.ripgrep import Request
from .search.ripgrep_program import NoRipgrep, find_ripgrep
from .search.scan import Lines, compile_pattern, matching_lines
from .search.search import TextSearch, begin_search
from .search.source import SearchedText, candidates, document_of, read_text, unsearchable

__all__ = [
    "INDEX_LOCK",
    "MAX_IGNORED",
    "SPECIAL",
    "STAMP",
    "UNREADABLE",
    "CacheStatistics",
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
