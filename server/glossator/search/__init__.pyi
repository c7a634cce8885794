from .fuzzy import Folders, best_files, newest_files, way_of
from .ripgrep import Request
from .ripgrep_program import Absent, find_ripgrep
from .scan import Lines, compile_pattern, matching_lines
from .search import TextSearch
from .source import Text, candidates, document_of, read_text, unsearchable

__all__ = [
    "Absent",
    "Folders",
    "Lines",
    "Request",
    "Text",
    "TextSearch",
    "best_files",
    "candidates",
    "compile_pattern",
    "document_of",
    "find_ripgrep",
    "matching_lines",
    "newest_files",
    "read_text",
    "unsearchable",
    "way_of",
]
