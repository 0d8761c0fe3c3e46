"""The labelling page: an HTTP interface to a labelling service, served on this machine."""
