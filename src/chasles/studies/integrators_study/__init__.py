"""Every method in every space on the same models: orders, cost, and what long runs keep."""
