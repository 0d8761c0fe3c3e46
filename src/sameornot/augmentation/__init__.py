"""§3.1: memberships from answers (augmentation), and the weighted pairs that train a metric."""

from sameornot.augmentation.memberships import Memberships, augment

__all__ = ["Memberships", "augment"]
