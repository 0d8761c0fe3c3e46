"""One hypothesis profile for all tests: the same examples on every run, so a failure is the change's own."""

from hypothesis import settings

from postgres import postgres_server, postgres_url

__all__ = ["postgres_server", "postgres_url"]

settings.register_profile("sameornot", derandomize=True, deadline=None)
settings.load_profile("sameornot")
