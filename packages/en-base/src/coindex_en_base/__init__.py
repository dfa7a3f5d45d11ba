"""The weights of the model en-base for coindex, in the folder `model`."""
