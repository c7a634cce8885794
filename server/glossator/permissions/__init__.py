"""What a model may do: rules, protected files, trust, and what the user has granted."""
