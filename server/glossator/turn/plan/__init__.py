"""A hard question, answered by a plan of tasks."""
