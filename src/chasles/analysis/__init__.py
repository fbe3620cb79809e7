"""What a model does near one state: static equilibrium, small vibrations, stability."""
