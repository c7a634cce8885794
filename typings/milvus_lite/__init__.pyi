"""What the tests use of milvus-lite 3.x, which comes without types."""
