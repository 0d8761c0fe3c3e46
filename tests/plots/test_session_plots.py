"""Plot data says what the session says, and drawing it leaves nothing out."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy.spatial.distance import pdist

from sameornot import ActiveSession
from sameornot.datasets import make_gaussian
from sameornot.oracles import truth
from sameornot.plots import (
    FeatureShares,
    LearnedMap,
    SessionPicture,
    Stage,
    draw_session,
    feature_shares,
    learned_map,
    save_png,
    session_picture,
    session_stage,
)


def answered(X, y, n_answers, **options):
    session = ActiveSession(X, random_state=0, **options)
    answer = truth(y)
    for _ in range(n_answers):
        session.tell(answer(session.ask()))
    return session


@pytest.fixture(scope="module")
def data():
    X, y = make_gaussian(n_samples=60, n_relevant=3, random_state=0)
    return pd.DataFrame(X, columns=[f"feature {m}" for m in range(6)]), y


@pytest.fixture(scope="module")
def session(data):
    return answered(*data, 15, n_clusters=3)


def picture_of(*, groups=(0, 1), names=("a", "b"), agreement=(0.2, 0.9)):
    n = len(groups)
    return SessionPicture(
        tuple(Stage(i, 2, i, value) for i, value in enumerate(agreement)),
        LearnedMap(tuple(range(n)), tuple(range(n)), tuple(groups), (True,) + (False,) * (n - 1), (0.6, 0.3)),
        FeatureShares(tuple(names), tuple(0.5 / len(names) for _ in names), n_others=3),
    )


def overlaps(boxes):
    return [(i, j) for i, a in enumerate(boxes) for j, b in enumerate(boxes[:i]) if a.overlaps(b)]


def test_stage_counts_what_the_session_knows(session, data):
    stage = session_stage(session, data[1])
    hoods = session.result().neighbourhoods
    assert (stage.questions, stage.groups, stage.placed) == (15, len(hoods), sum(map(len, hoods)))


def test_agreement_is_one_exactly_when_all_rows_are_where_they_belong(session, data):
    assert session_stage(session, session.result().labels + 7).agreement == 1.0
    moved = session.result().labels.copy()
    moved[0] = (moved[0] + 1) % 3
    assert session_stage(session, moved).agreement < 1.0


def test_truth_of_the_wrong_length_is_named(session, data):
    with pytest.raises(ValueError, match=r"truth has shape \(59,\) but X has 60 rows"):
        session_stage(session, data[1][1:])


def test_map_of_a_two_dimensional_metric_keeps_all_learned_distances(data):
    X, y = data
    X = X.iloc[:, :2]
    result = answered(X, y, 12, n_clusters=3).result()
    found = learned_map(X, result)
    np.testing.assert_allclose(
        pdist(np.column_stack([found.x, found.y])), pdist(result.metric.transform(X.to_numpy())), atol=1e-9
    )
    assert sum(found.shares) == pytest.approx(1.0)


def test_map_shows_the_groups_and_the_placed_rows(session, data):
    result = session.result()
    found = learned_map(data[0], result)
    assert found.group == tuple(result.labels)
    assert set(np.flatnonzero(found.placed)) == set(np.concatenate(result.neighbourhoods))
    assert found.shares[0] >= found.shares[1] > 0


@pytest.mark.parametrize("X", [np.arange(6.0)[:, None], np.ones((5, 3))], ids=["one feature", "all constant"])
def test_map_of_less_than_a_plane_lies_on_a_line_or_point(X):
    result = ActiveSession(X, n_clusters=2, random_state=0).result()
    found = learned_map(X, result)
    assert len(found.x) == len(X)
    assert set(found.y) == {0.0}
    assert found.shares == (float(X.shape[1] == 1), 0.0)


def test_features_come_heaviest_first(session):
    weights = session.result().feature_weights
    found = feature_shares(session.result(), n_features=4)
    assert list(found.weights) == sorted(weights, reverse=True)[:4]
    assert [weights[name] for name in found.names] == list(found.weights)
    assert found.n_others == 2


def test_features_without_weight_are_left_out(data):
    X = data[0].assign(constant=1.0)
    result = ActiveSession(X, n_clusters=3, random_state=0).result()
    found = feature_shares(result)
    assert "constant" not in found.names
    assert (len(found.names), found.n_others) == (6, 1)


def test_plot_data_holds_plain_values_only(session, data):
    picture = session_picture(*data[:1], session.result(), [session_stage(session, data[1])])

    def leaves(value):
        if isinstance(value, dict | list | tuple):
            for item in value.values() if isinstance(value, dict) else value:
                yield from leaves(item)
        else:
            yield type(value)

    assert set(leaves(dataclasses.asdict(picture))) == {int, float, str, bool}


def test_every_row_is_drawn_once(session, data):
    picture = session_picture(data[0], session.result(), [session_stage(session, data[1])])
    drawn = np.concatenate([dots.get_offsets() for dots in draw_session(picture).axes[1].collections])
    expected = np.column_stack([picture.learned_map.x, picture.learned_map.y])
    np.testing.assert_allclose(np.sort(drawn, axis=0), np.sort(expected, axis=0))


def test_curve_and_bars_are_those_of_the_data():
    picture = picture_of(names=("a", "b", "c"), agreement=(-0.1, 0.5, 0.8))
    curve, _, bars = draw_session(picture).axes
    (line,) = (line for line in curve.lines if len(line.get_xdata()) == 3)
    assert line.get_ydata().tolist() == [-0.1, 0.5, 0.8]
    assert curve.get_ylim()[0] < -0.1
    assert tuple(bar.get_width() for bar in bars.patches) == picture.features.weights


LONG_NAMES = ("a feature whose name is far longer than anything that fits beside a bar",) * 8


def test_long_names_leave_the_panels_apart_and_wide_enough():
    figure = draw_session(picture_of(names=LONG_NAMES))
    figure.draw_without_rendering()
    boxes = [axes.get_tightbbox() for axes in figure.axes]  # with all that is written around them
    width, height = figure.get_size_inches() * figure.dpi
    assert all(0 <= box.x0 < box.x1 <= width and 0 <= box.y0 < box.y1 <= height for box in boxes)
    assert overlaps(boxes) == []
    assert min(axes.get_window_extent().width for axes in figure.axes) > 300


def test_long_names_do_not_overlap():
    figure = draw_session(picture_of(names=LONG_NAMES))
    figure.draw_without_rendering()
    labels = [label.get_window_extent() for label in figure.axes[2].get_yticklabels()]
    assert len(labels) == len(LONG_NAMES)
    assert overlaps(labels) == []


def test_names_are_not_read_as_mathematics():
    figure = draw_session(picture_of(names=("cost in $, tax in $",)))
    (label,) = figure.axes[2].get_yticklabels()
    assert label.get_text() == r"cost in \$, tax in \$"
    figure.draw_without_rendering()


@pytest.mark.parametrize("n_groups", [1, 7, 40])
def test_many_groups_draw_and_stay_apart(n_groups):
    figure = draw_session(picture_of(groups=tuple(range(n_groups))))
    legend = figure.axes[1].get_legend()
    assert len(legend.get_texts()) == min(n_groups, 9) + (n_groups > 9) + 1
    dots = [dots for dots in figure.axes[1].collections if len(dots.get_offsets())]
    looks = {(*dot.get_facecolor()[0, :3], dot.get_paths()[0].vertices.tobytes()) for dot in dots}
    assert len(looks) == n_groups


def test_one_stage_and_no_feature_draw():
    picture = dataclasses.replace(picture_of(agreement=(0.3,)), features=FeatureShares((), (), n_others=2))
    draw_session(picture).draw_without_rendering()


def test_saved_bytes_depend_on_the_data_alone(tmp_path):
    pictures = [picture_of(), picture_of(), picture_of(agreement=(0.2, 0.8))]
    for k, picture in enumerate(pictures):
        save_png(draw_session(picture), tmp_path / f"{k}.png")
    first, again, other = ((tmp_path / f"{k}.png").read_bytes() for k in range(3))
    assert first == again != other


def test_drawing_leaves_no_figure_behind():
    from matplotlib import _pylab_helpers

    draw_session(picture_of())
    assert _pylab_helpers.Gcf.get_all_fig_managers() == []
