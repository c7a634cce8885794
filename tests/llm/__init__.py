"""Tests of the models: requests, streams, failures, retries."""
