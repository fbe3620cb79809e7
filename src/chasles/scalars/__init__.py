"""What formulas run on: floats, arrays, mpmath numbers, jets, duals, error-free sums."""
