"""Runs, sub-agents and sessions at work in one application."""
