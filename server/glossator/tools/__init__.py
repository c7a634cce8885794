"""What the model can do: one file a tool, its description in `prompts/tools/`."""
