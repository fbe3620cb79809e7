"""All compiled code: formulas of mechanics, routines over bodies and rows, and their arrays."""
