"""§3.1: memberships from answers (augmentation), and the weighted pairs that train a metric."""
