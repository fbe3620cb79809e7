"""Published results beside ours and the converged value, each with its source."""
