"""Gaps at the end of a step, and what closes them: kernels."""
