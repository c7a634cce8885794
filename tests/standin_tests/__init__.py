"""Tests of the stand-in for the Messages API."""
