from . import folder_file as folder_file
from . import state_folder as state_folder
from .cache import ReadCache, is_racy
from .disk import Listed, Loaded, Parts, Raw, Stamp, load, load_listed, load_raw, load_unchanged
from .encodings import EncodingRule, encoding_rules
from .entries import STAMP, TIMES, FileEntry, Files, FolderFiles, place_of, ripe_at
from .folder_file import FolderFile
from .gitpattern import GitPattern, one_per_byte
from .ignore import IgnoreRules
from .indexer import Indexer
from .listing import FileIndex, Listing
from .long import LinePart, LongFiles, LongLines, Window
from .once import list_once
from .repository import git_folders, git_outside, repository_top
from .roots import Roots, folder_identity, folder_of, is_inside, outermost, real_path, same_file
from .statistics import CacheStatistics, Skipped
from .sweep import Sweep
from .walk import SPECIAL, UNREADABLE, examine

__all__ = [
    "SPECIAL",
    "STAMP",
    "TIMES",
    "UNREADABLE",
    "CacheStatistics",
    "EncodingRule",
    "FileEntry",
    "FileIndex",
    "Files",
    "FolderFile",
    "FolderFiles",
    "GitPattern",
    "IgnoreRules",
    "Indexer",
    "LinePart",
    "Listed",
    "Listing",
    "Loaded",
    "LongFiles",
    "LongLines",
    "Parts",
    "Raw",
    "ReadCache",
    "Roots",
    "Skipped",
    "Stamp",
    "Sweep",
    "Window",
    "encoding_rules",
    "examine",
    "folder_file",
    "folder_identity",
    "folder_of",
    "git_folders",
    "git_outside",
    "is_inside",
    "is_racy",
    "list_once",
    "load",
    "load_listed",
    "load_raw",
    "load_unchanged",
    "one_per_byte",
    "outermost",
    "place_of",
    "real_path",
    "repository_top",
    "ripe_at",
    "same_file",
    "state_folder",
]
