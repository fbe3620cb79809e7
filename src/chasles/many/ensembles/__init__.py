"""Many runs of one model: initial states and parameters vary from member to member."""
