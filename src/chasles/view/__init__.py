"""What people look at: plots, sketches of models, and the report's page."""
