"""What goes into the model's window besides the loop's own messages."""
