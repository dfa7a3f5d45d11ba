"""A learned resolver over the columns of Universal Dependencies: any language with a tree, zeros included."""
