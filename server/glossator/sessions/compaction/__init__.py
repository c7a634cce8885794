"""A conversation made shorter: compaction, summaries, and messages that a server refuses."""
