"""Methods that keep joints closed which a chart cannot keep closed by itself."""
