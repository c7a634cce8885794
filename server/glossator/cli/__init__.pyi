from .launch import run

__all__ = ["run"]
