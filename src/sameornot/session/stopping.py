"""When a person can stop: nearly all rows seem to be right, by enough answers, and all groups are found."""

from sameornot._types import Agreement

# Who has this share of the rows right, nine times in ten or more often, can stop.
ENOUGH = 0.9
# Fewer answers than this say too little, however sure the estimate seems.
MIN_ANSWERS = 20


def can_stop(agreement: Agreement | None, n_certain: int, n_found: int, n_clusters: int | None) -> bool:
    """Whether so many answers other than "unsure", and the groups found, are enough."""
    all_found = n_found >= (2 if n_clusters is None else n_clusters)
    return agreement is not None and agreement.low >= ENOUGH and n_certain >= MIN_ANSWERS and all_found
