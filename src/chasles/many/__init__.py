"""Many runs of a model: recorded steps and their machine code, ensembles, gradients, sweeps."""
