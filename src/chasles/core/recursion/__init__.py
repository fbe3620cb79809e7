"""Joint subgroups as configuration spaces: recursive dynamics of trees, and of trees with cuts."""
