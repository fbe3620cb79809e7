"""Many runs of a model: a grid of values, spread over processes or machines, kept as they come."""
