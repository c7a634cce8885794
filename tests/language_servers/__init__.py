"""Language servers that Glossator starts itself."""
