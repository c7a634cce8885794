"""What a command line means: its words, programs, files, and whether it only reads."""
