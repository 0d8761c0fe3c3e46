"""Our default clusterer: an ensemble of base learners, stacked by how they predicted the answers."""
