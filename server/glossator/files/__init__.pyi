from . import folder_file as folder_file
from . import state_folder as state_folder
from .cache import ReadCache, is_racy
from .disk import Listed, Loaded, Parts, Raw, Stamp, load, load_listed, load_raw, load_unchanged
from .entries import FileEntry, Files, FolderFiles, place_of
from .folder_file import CorruptFolders, FolderFile, read_folders
from .folder_memory import divided
from .gitpattern import GitPattern, one_per_byte
from .glob import compile_glob
from .indexer import Indexer
from .listing import FileIndex, Listing
from .roots import Roots, folder_of, is_inside, outermost, real_path
from .stamp import STAMP, TIMES, ripe_at
from .state_folder import INNER, LOCK, disk_bytes, files, folders, last_use, prepare, root_folder
from .sweep import Sweep
from .walk import SPECIAL, UNREADABLE

__all__ = [
    "INNER",
    "LOCK",
    "SPECIAL",
    "STAMP",
    "TIMES",
    "UNREADABLE",
    "CorruptFolders",
    "FileEntry",
    "FileIndex",
    "Files",
    "FolderFile",
    "FolderFiles",
    "GitPattern",
    "Indexer",
    "Listed",
    "Listing",
    "Loaded",
    "Parts",
    "Raw",
    "ReadCache",
    "Roots",
    "Stamp",
    "Sweep",
    "compile_glob",
    "disk_bytes",
    "divided",
    "files",
    "folder_file",
    "folder_of",
    "folders",
    "is_inside",
    "is_racy",
    "last_use",
    "load",
    "load_listed",
    "load_raw",
    "load_unchanged",
    "one_per_byte",
    "outermost",
    "place_of",
    "prepare",
    "read_folders",
    "real_path",
    "ripe_at",
    "root_folder",
    "state_folder",
]
