"""A raw client, and a small service for what must not depend on the real one."""
