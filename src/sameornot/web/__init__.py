"""The labelling page: a thin skin over a desk, served on this machine."""
