"""Plans: a hard question is answered by a plan of tasks."""
