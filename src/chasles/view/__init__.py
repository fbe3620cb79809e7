"""What people look at: pictures, films, curves, sketches of models, and the report's page."""
