"""What comes out: tables, LaTeX and the index page."""
