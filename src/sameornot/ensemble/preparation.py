"""What can be computed before any answer: the views of the rows, and the kernel that suits them.

Placeholders of groups that are not known yet are chosen by facility location (`graph.py`), and no one kernel
is best for that everywhere. Three compete: the groups are learned from one representative each, and the
kernel is taken whose groups stand out most,

    clarity = mean_i log max_m p_i(m),      p the mixture of the base learners

"""

from collections.abc import Callable

import numpy as np

from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.geometry import Geometry, Views, soft_clip
from sameornot.ensemble.graph import facility_location, laplacian_kernel, neighbour_graph
from sameornot.ensemble.learners import MEMORISING, Ensemble, base_proba
from sameornot.ensemble.stacking import mixture_proba, prior_stacking
from sameornot.ensemble.structure import find_structure
from sameornot.ensemble.training import TrainingSet
from sameornot.ensemble.whitening import whiten

# Clarities are rounded to so many digits, so that rounding errors do not decide between equal ones.
DIGITS = 9

Kernel = Callable[[Views, EnsembleConfig], np.ndarray]


def prepare(X: np.ndarray, scale: np.ndarray, n_groups: int | None, ensemble: Ensemble) -> Geometry:
    """All that does not depend on answers; features are divided by `scale`."""
    views = make_views(X, scale, ensemble.config)
    structure = None
    if n_groups is None:
        structure = find_structure(views.rows, ensemble.config.structure)
        n_groups = structure.n_groups
    kernel = best_kernel(views, n_groups, ensemble)
    return Geometry(views.rows, views.whitened, views.graph, kernel, structure)


def make_views(X: np.ndarray, scale: np.ndarray, config: EnsembleConfig) -> Views:
    """The rows as base learners see them."""
    standardized = (X - X.mean(axis=0)) / scale
    rows = soft_clip(standardized, config.clip)
    whitened = whiten(standardized, config.lda.whitening_floor)
    return Views(rows, whitened, neighbour_graph(rows, config.graph.n_neighbors))


def kernel_of_graph(views: Views, config: EnsembleConfig) -> np.ndarray:
    """The kernel of the graph on which labels spread."""
    return laplacian_kernel(views.graph, config.graph.alpha)


def local_kernel(views: Views, config: EnsembleConfig) -> np.ndarray:
    """The kernel of the same graph over shorter paths."""
    return laplacian_kernel(views.graph, config.graph.local_alpha)


def whitened_kernel(views: Views, config: EnsembleConfig) -> np.ndarray:
    """The kernel of a neighbour graph in whitened axes."""
    return laplacian_kernel(neighbour_graph(views.whitened, config.graph.n_neighbors), config.graph.alpha)


KERNELS: tuple[Kernel, ...] = (kernel_of_graph, local_kernel, whitened_kernel)


def best_kernel(views: Views, n_groups: int, ensemble: Ensemble) -> np.ndarray:
    """The kernel (n × n) by which groups stand out most, among some of the rows if there are many."""
    # Trees cannot be grown on one row a group.
    learners = [k for k, name in enumerate(ensemble.learners) if name != MEMORISING]
    config, n_rows, few = ensemble.config, len(views.rows), views
    if not learners or not 1 < n_groups <= min(n_rows, config.graph.n_rows_to_choose):
        return KERNELS[0](views, config)
    if config.graph.n_rows_to_choose < n_rows:
        chosen = np.random.default_rng(0).permutation(n_rows)[: config.graph.n_rows_to_choose]
        few = views.subset(np.sort(chosen), config.graph.n_neighbors)
    kernels = [kernel(few, config) for kernel in KERNELS]
    some = ensemble.subset(learners)
    clarities = [clarity(Geometry(few.rows, few.whitened, few.graph, own), n_groups, some) for own in kernels]
    best = int(np.argmax(clarities))
    return kernels[best] if few is views else KERNELS[best](views, config)


def clarity(geometry: Geometry, n_groups: int, ensemble: Ensemble) -> float:
    """How clearly groups stand out that are learned from one representative each."""
    nobody = np.empty(0, np.intp)
    groups = [np.array([row]) for row in facility_location(geometry.kernel, nobody, n_groups)]
    training = TrainingSet.without_exclusions(groups, len(geometry.rows))
    predicted = base_proba(geometry, training, ensemble, np.random.default_rng(0))
    proba = mixture_proba(predicted, groups, prior_stacking(ensemble), ensemble)
    return round(float(np.log(proba.max(axis=1)).mean()), DIGITS)
