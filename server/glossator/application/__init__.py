"""The application owns every lifetime, and puts together what a run may use."""
