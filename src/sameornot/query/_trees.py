"""A random forest (Breiman 2001) of small trees: that of scikit-learn, tree by tree the same, but quicker.

With a few hundred rows, `RandomForestClassifier.fit` spends most of its time on cloning and checking one
estimator a tree. Here scikit-learn's compiled builder is called directly. It is not part of the public
interface: where a release of scikit-learn does not have it, or has another one, the estimator is used.
"""

from functools import cache
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier

NO_LIMIT = np.iinfo(np.int32).max


def grow_and_apply(X: np.ndarray, labels: np.ndarray, n_trees: int, seed: int) -> np.ndarray:
    """The leaf that each row falls in, one column a tree, numbered over the whole forest."""
    X = np.ascontiguousarray(X, dtype=np.float32)
    grow = built_trees if has_known_builder() else fitted_trees
    trees = grow(X, labels, n_trees, seed)
    first_leaf = np.cumsum([0, *(tree.node_count for tree in trees[:-1])])
    return np.column_stack([tree.apply(X) for tree in trees]) + first_leaf


def fitted_trees(X: np.ndarray, labels: np.ndarray, n_trees: int, seed: int) -> list[Any]:
    """The trees of scikit-learn's estimator."""
    forest = RandomForestClassifier(n_trees, random_state=seed).fit(X, labels)
    return [tree.tree_ for tree in forest.estimators_]


def built_trees(X: np.ndarray, labels: np.ndarray, n_trees: int, seed: int) -> list[Any]:
    """The same trees by the compiled builder: bootstrap samples, Gini impurity, √p features a node."""
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    n_rows, n_features = X.shape
    classes, codes = np.unique(labels, return_inverse=True)
    n_classes, target = np.array([len(classes)], dtype=np.intp), codes.astype(np.float64)[:, None]
    max_features = max(1, int(np.sqrt(n_features)))
    rng = np.random.RandomState(0)  # seeded again for each tree: a new one takes a tenth of a tree's time
    trees = []
    for tree_seed in tree_seeds(seed, n_trees):
        rng.seed(tree_seed)
        drawn = rng.randint(0, n_rows, n_rows, dtype=np.int32)
        times_drawn = np.bincount(drawn, minlength=n_rows).astype(np.float64)
        rng.seed(tree_seed)
        splitter = BestSplitter(Gini(1, n_classes), max_features, 1, 0.0, rng, None)
        tree = Tree(n_features, n_classes, 1)
        DepthFirstTreeBuilder(splitter, 2, 1, 0.0, NO_LIMIT, 0.0).build(tree, X, target, times_drawn, None)
        trees.append(tree)
    return trees


def tree_seeds(seed: int, n_trees: int) -> list[int]:
    """The seed of each tree, as the estimator draws them."""
    rng = np.random.RandomState(seed)
    return [rng.randint(NO_LIMIT) for _ in range(n_trees)]


@cache
def has_known_builder() -> bool:
    """Whether this release of scikit-learn builds the same trees either way; tried once on a small table."""
    rng = np.random.default_rng(0)
    X, labels = rng.random((60, 7), dtype=np.float32), rng.integers(3, size=60)
    fitted = fitted_trees(X, labels, 3, 0)
    try:
        built = built_trees(X, labels, 3, 0)
    except (ImportError, AttributeError, TypeError, ValueError):
        return False
    return all(np.array_equal(a.apply(X), b.apply(X)) for a, b in zip(fitted, built, strict=True))
