"""Which configuration space is best: a study beyond the paper's four examples."""
