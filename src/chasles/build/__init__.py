"""From words to numbers: arrays of a model, where a run begins, and its equations."""
