"""Contexts of chunks, which a model writes for money: making, keeping and sharing them."""
