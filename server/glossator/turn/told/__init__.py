"""What goes with a question, and with the results of its calls."""
