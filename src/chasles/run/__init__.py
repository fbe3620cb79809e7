"""A run: from options through the loop over time to a result."""
