"""Campaign pages and their JSON."""
