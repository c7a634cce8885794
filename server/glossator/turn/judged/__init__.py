"""What follows an answer: it is judged by its lines, corrected and remembered."""
