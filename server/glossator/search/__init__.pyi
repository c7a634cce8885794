from .fuzzy import FolderFinder, best_files, match_rank, newest_files
from .ripgrep import Request
from .ripgrep_program import NoRipgrep, find_ripgrep
from .scan import Lines, compile_pattern, matching_lines
from .search import TextSearch, begin_search
from .source import SearchedText, candidates, document_of, read_text, unsearchable

__all__ = [
    "FolderFinder",
    "Lines",
    "NoRipgrep",
    "Request",
    "SearchedText",
    "TextSearch",
    "begin_search",
    "best_files",
    "candidates",
    "compile_pattern",
    "document_of",
    "find_ripgrep",
    "match_rank",
    "matching_lines",
    "newest_files",
    "read_text",
    "unsearchable",
]
