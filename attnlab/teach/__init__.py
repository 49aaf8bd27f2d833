"""What an instructor runs: building the release from the source, the demo class. No notebook imports it."""
