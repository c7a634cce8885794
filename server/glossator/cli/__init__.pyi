from . import run as run
from .launch import run

__all__ = ["run"]
