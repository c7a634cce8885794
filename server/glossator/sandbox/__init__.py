"""Running commands so that they reach only what they may."""
