"""Pictures of the reproduction, drawn from the rows."""
