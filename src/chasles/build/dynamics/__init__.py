"""The equations of motion: their order of elimination, their values, and what they leave free."""
