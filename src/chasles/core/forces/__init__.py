"""Forces beside gravity: a file per kind, with its wrenches, power and potential."""
