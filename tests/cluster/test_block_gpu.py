"""The block function with arrays of PyTorch: on a GPU where one is at hand."""

import numpy as np
import pytest

from sameornot.cluster.block import CenterScorer, predict_block

torch = pytest.importorskip("torch", reason="PyTorch is not installed, and with it no GPU can be reached")
xp = pytest.importorskip("array_api_compat.torch", reason="array-api-compat is not installed")


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
def test_a_gpu_gives_the_groups_that_the_processor_gives():
    rng = np.random.default_rng(0)
    scorer = CenterScorer(rng.normal(size=8), rng.normal(size=(12, 8)), rng.normal(size=12), 4, 1.0)
    rows = rng.normal(size=(1000, 8))
    there = scorer.as_arrays(lambda part: torch.asarray(part, device="cuda"))
    found = predict_block(torch.asarray(rows, device="cuda"), there, xp, with_sums=True)
    expected = predict_block(rows, scorer, with_sums=True)
    assert np.array_equal(found.labels.cpu().numpy(), expected.labels)
    assert np.array_equal(found.counts.cpu().numpy(), expected.counts)
    np.testing.assert_allclose(found.proba.cpu().numpy(), expected.proba)
    np.testing.assert_allclose(found.sums.cpu().numpy(), expected.sums)
