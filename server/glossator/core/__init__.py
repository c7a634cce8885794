"""Frozen values and protocols that every layer shares; imports nothing of ours."""
