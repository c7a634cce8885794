from .launch import run_cli

__all__ = ["run_cli"]
