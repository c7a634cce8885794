"""The loop: ask the model, run its tools, tell it the results, until it answers."""
