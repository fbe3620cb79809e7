"""The paper this package answers: Müller and Terze, "Is there an optimal choice of configuration
space for Lie group integration schemes applied to constrained MBS?", DETC2013-12151 (2013)."""
