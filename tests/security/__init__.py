"""Attacks on what Glossator promises, each as a test."""
