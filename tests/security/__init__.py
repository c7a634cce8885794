"""Attacks and faults, each against the real thing: what must hold, holds."""
