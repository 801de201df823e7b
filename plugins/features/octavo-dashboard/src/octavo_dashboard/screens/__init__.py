"""One module for each screen: its query, its view, and the function that makes the view."""
