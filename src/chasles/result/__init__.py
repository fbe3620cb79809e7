"""What a run leaves: states by name, energies, forces and reactions, and files of them."""
