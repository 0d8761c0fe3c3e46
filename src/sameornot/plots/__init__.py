"""Pictures: plot data apart from drawing."""
