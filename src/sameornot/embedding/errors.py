"""The one error of this package."""


class EmbeddingError(ValueError):
    """Texts or pictures cannot be embedded; the message says why and what to do."""
