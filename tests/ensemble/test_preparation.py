"""What is computed before any answer: the kernel by which placeholders of unknown groups are found."""

from dataclasses import replace

import numpy as np
import pytest

from sameornot.datasets import make_gaussian
from sameornot.ensemble.clustering import EnsembleClustering
from sameornot.ensemble.config import EnsembleConfig
from sameornot.ensemble.geometry import Geometry
from sameornot.ensemble.graph import facility_location, laplacian_kernel, neighbour_graph
from sameornot.ensemble.learners import LEARNERS, Ensemble
from sameornot.ensemble.preparation import KERNELS, best_kernel, clarity, make_views, prepare

X, Y = make_gaussian(n_samples=150, n_relevant=3, random_state=0)
SCALE = X.std(axis=0)
CONFIG = EnsembleConfig()
WITHOUT_TREES = Ensemble(tuple(name for name in LEARNERS if name != "extra_trees"))


def test_the_kernel_is_the_one_by_which_groups_of_one_row_each_stand_out_most():
    views = make_views(X, SCALE, CONFIG)
    kernels = [Geometry(views.rows, views.whitened, views.graph, kernel(views, CONFIG)) for kernel in KERNELS]
    plain = laplacian_kernel(neighbour_graph(views.rows, 10), 0.95)
    np.testing.assert_array_equal(kernels[0].kernel, plain)
    assert len({geometry.kernel.tobytes() for geometry in kernels}) == 3
    clarities = [clarity(geometry, 3, WITHOUT_TREES) for geometry in kernels]
    expected = kernels[int(np.argmax(clarities))].kernel
    np.testing.assert_array_equal(prepare(X, SCALE, 3, Ensemble()).kernel, expected)


@pytest.mark.parametrize("n_rows_to_choose", [40, 80])
def test_of_many_rows_a_sample_chooses_the_kernel(n_rows_to_choose):
    config = replace(CONFIG, graph=replace(CONFIG.graph, n_rows_to_choose=n_rows_to_choose))
    views = make_views(X, SCALE, config)
    sample = np.sort(np.random.default_rng(0).permutation(150)[:n_rows_to_choose])
    few = views.subset(sample, 10)
    clarities = [
        clarity(Geometry(few.rows, few.whitened, few.graph, kernel(few, config)), 3, WITHOUT_TREES)
        for kernel in KERNELS
    ]
    expected = KERNELS[int(np.argmax(clarities))](views, config)
    np.testing.assert_array_equal(best_kernel(views, 3, Ensemble(config=config)), expected)


def test_placeholders_are_of_more_kinds_where_features_are_mixed():
    """Five kinds that differ along directions in which rows vary least."""
    rng = np.random.default_rng(1)
    y = np.repeat(np.arange(5), 60)
    kinds, noise = 8.0 * rng.normal(size=(5, 4))[y], rng.normal(size=(300, 8))
    rows = np.hstack([0.1 * (kinds + noise[:, :4]), noise[:, 4:]])
    rows = rows @ np.linalg.qr(rng.normal(size=(8, 8)))[0]
    none = np.empty(0, dtype=np.intp)
    prepared = prepare(rows, rows.std(axis=0), 5, Ensemble())
    kernels = KERNELS[0](prepared, CONFIG), prepared.kernel
    found = [len(set(y[facility_location(kernel, none, 5)])) for kernel in kernels]
    assert found[0] < found[1] == 5


@pytest.mark.slow
@pytest.mark.parametrize("n_clusters", [1, 2, 150])
def test_any_number_of_groups_is_possible(n_clusters):
    assert prepare(X, SCALE, n_clusters, Ensemble()).kernel.shape == (150, 150)


@pytest.mark.parametrize("learners", [("extra_trees",), ("lda_spreading", "extra_trees")])
def test_any_selection_of_learners_works(learners):
    model = EnsembleClustering(3, learners=learners, random_state=0).fit(
        X, np.where(np.arange(150) < 30, Y, -1)
    )
    np.testing.assert_array_equal(model.labels_[:30], Y[:30])
