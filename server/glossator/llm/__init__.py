"""Models behind one protocol: Anthropic and compatible servers, and the offline extractive one.

The only layer that imports the `anthropic` package.
"""
