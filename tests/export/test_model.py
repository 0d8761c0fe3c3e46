"""A model gives the labels of its session, and only models can be loaded."""

import json
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_snapshots import cancer_snapshot, mixed_snapshot, mixed_table, snapshot_of

from sameornot import AugmentedClustering
from sameornot.cluster.clustering import nearest_share
from sameornot.export import Model, ModelError
from sameornot.metric.learn import Metric
from sameornot.table import TableError


@pytest.fixture(scope="module")
def mixed():
    return mixed_snapshot()


@pytest.fixture(scope="module")
def data(mixed):
    return json.loads(Model.from_snapshot(mixed).dumps())


def again(model):
    return Model.from_json(json.loads(model.dumps()))


def numbers_of(snapshot, labels):
    return [snapshot.groups[m].number for m in labels]


def agrees_with_session(model, snapshot, frame):
    X, clustering = snapshot.encoder.transform(frame), snapshot.result.clustering.as_centers()
    found = model.assign(frame)
    width = clustering.width(snapshot.X)
    assert found["group"].tolist() == numbers_of(snapshot, clustering.predict(X))
    np.testing.assert_allclose(found["confidence"], nearest_share(clustering.distances(X), width), rtol=1e-9)


@settings(max_examples=10)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_rows=st.integers(5, 20),
    n_columns=st.integers(1, 4),
    n_answers=st.integers(0, 4),
    metric=st.sampled_from(["separable", "full"]),
)
def test_loaded_model_gives_the_labels_of_the_session(seed, n_rows, n_columns, n_answers, metric):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n_rows, n_columns))).rename(columns=str)
    frame["kind"] = rng.choice(["a", "b", "c"], n_rows)
    frame.loc[:1, "kind"] = ["a", "b"]
    y = rng.integers(0, 2, n_rows)
    snapshot = snapshot_of(frame, y, n_answers=n_answers, clusterer=AugmentedClustering(metric=metric))
    model = again(Model.from_snapshot(snapshot))
    agrees_with_session(model, snapshot, frame)
    agrees_with_session(model, snapshot, frame.iloc[::-1] if n_rows % 2 else frame.head(2))


def test_confidence_of_the_pool_is_that_of_the_session(mixed):
    found = again(Model.from_snapshot(mixed)).assign(mixed.table.frame)
    expected = mixed.result.clustering.confidence(mixed.X)
    np.testing.assert_allclose(found["confidence"], expected, rtol=1e-9)


def test_confidence_of_a_row_does_not_depend_on_other_rows(mixed):
    model = Model.from_snapshot(mixed)
    together = model.assign(mixed.table.frame)
    alone = pd.concat([model.assign(mixed.table.frame.iloc[[row]]) for row in range(20)], ignore_index=True)
    assert alone["group"].tolist() == together["group"].tolist()[:20]
    np.testing.assert_allclose(alone["confidence"], together["confidence"][:20], rtol=1e-9)


def test_rows_with_unseen_levels_and_missing_cells_get_a_group(mixed):
    frame, _ = mixed_table(seed=5)
    frame = frame.astype(object)
    frame.loc[0, "colour"] = "never seen"
    frame.iloc[1, :] = None
    agrees_with_session(again(Model.from_snapshot(mixed)), mixed, frame)


def test_feature_that_is_constant_in_the_pool_survives_json():
    frame, kind = mixed_table()
    pool = np.flatnonzero(~frame["smokes"])
    snapshot = snapshot_of(frame, kind, clusters=3, pool=pool, n_answers=4)
    assert np.isinf(snapshot.result.metric.scale).any()
    text = Model.from_snapshot(snapshot).dumps()
    assert "Infinity" not in text
    assert "NaN" not in text
    agrees_with_session(Model.from_json(json.loads(text)), snapshot, frame)


def test_groups_of_zero_width_have_full_confidence():
    frame = pd.DataFrame({"x": [0.0, 1.0] * 4})
    snapshot = snapshot_of(frame, frame["x"] > 0, n_answers=4)
    assert again(Model.from_snapshot(snapshot)).assign(frame)["confidence"].tolist() == [1.0] * 8


def test_saving_and_loading_is_a_round_trip(mixed, tmp_path):
    model = Model.from_snapshot(mixed)
    model.save(tmp_path / "model.json")
    assert Model.load(tmp_path / "model.json").to_json() == model.to_json()
    assert [path.name for path in tmp_path.iterdir()] == ["model.json"]


def test_group_names_are_kept(mixed):
    found = again(Model.from_snapshot(mixed)).assign(mixed.table.frame)
    assert set(zip(found["group"], found["name"], strict=True)) == {
        (group.number, group.name) for group in mixed.groups
    }


def test_missing_column_is_named(mixed):
    with pytest.raises(TableError, match="colour"):
        Model.from_snapshot(mixed).assign(mixed.table.frame.drop(columns="colour"))


def test_grouping_without_centres_is_refused():
    snapshot = cancer_snapshot(n_answers=2, every=9, clusterer="forest")
    with pytest.raises(ModelError, match="only groups with centres"):
        Model.from_snapshot(snapshot)


def test_row_that_overflows_is_named(mixed):
    model = Model.from_snapshot(mixed)
    metric = model.clustering.metric
    tiny = replace(model.clustering, metric=Metric(metric.scale * 1e-200, metric.weights, metric.rotation))
    with pytest.raises(TableError, match="row 1 holds a number that is too large"):
        replace(model, clustering=tiny).assign(mixed.table.frame)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff\xfe\x00",
        b"not json",
        b"[1, 2]",
        b'"sameornot model"',
        b'{"format": "sameornot model", "version": NaN}',
        b'{"format": "something else", "version": 1}',
        b"[" * 100_000,
        b'{"format": "sameornot model", "version": 1' + b"0" * 5_000 + b"}",
    ],
)
def test_file_that_is_not_a_model_is_refused(tmp_path, content):
    path = tmp_path / "model.json"
    path.write_bytes(content)
    with pytest.raises(ModelError, match="no model of sameornot"):
        Model.load(path)


def test_missing_file_is_named(tmp_path):
    with pytest.raises(ModelError, match=r"none\.json cannot be read"):
        Model.load(tmp_path / "none.json")


def test_file_that_is_too_large_is_not_read(tmp_path):
    path = tmp_path / "model.json"
    with path.open("wb") as file:
        file.truncate(600 * 2**20)  # sparse: takes no room
    with pytest.raises(ModelError, match="629,145,600 bytes"):
        Model.load(path)


def test_newer_version_is_refused(data):
    with pytest.raises(ModelError, match="version 3 but this sameornot reads up to 2"):
        Model.from_json({**data, "version": 3})


@pytest.mark.parametrize(
    "change",
    [
        {"version": "1"},
        {"version": 0},
        {"scale": [1.0]},
        {"scale": "many"},
        {"weights": [float("inf")] * 3},
        {"weights": None},
        {"weights": [10**400]},
        {"centers": []},
        {"centers": [1.0, 2.0]},
        {"centers": [["a"]]},
        {"centers": [[0.0]] * 100_001},
        {"rotation": [[1.0]]},
        {"width": -1.0},
        {"width": None},
        {"width": [1.0]},
        {"groups": []},
        {"groups": [{"number": 1}] * 3},
        {"groups": [{"number": "1", "name": ""}] * 3},
        {"groups": [{"number": 1, "name": "\ud800"}] * 3},
        {"groups": 7},
        {"title": 7},
        {"encoder": {}},
        {"encoder": None},
        {"encoder": {"format": 1, "columns": [{"name": "x", "kind": "odd"}], "left_out": [], "notices": []}},
    ],
    ids=lambda change: "-".join(change) + "-" + str(next(iter(change.values())))[:12],
)
def test_damaged_model_is_refused_in_one_sentence(data, change):
    with pytest.raises((ModelError, TableError)) as caught:
        Model.from_json({**data, **change})
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "part", ["version", "title", "encoder", "scale", "weights", "rotation", "centers", "width", "groups"]
)
def test_model_with_a_missing_part_is_refused(data, part):
    with pytest.raises(ModelError):
        Model.from_json({key: value for key, value in data.items() if key != part})


ABSURD = [("spread", 0), ("unit", -1.0), ("middle", 10**400), ("origin", float("inf"))]


@pytest.mark.parametrize(
    ("field", "value"), [("spread", "wide"), ("middle", None), ("origin", "early"), *ABSURD]
)
def test_damaged_encoder_is_refused(data, field, value):
    damaged = deepcopy(data)
    assert field in damaged["encoder"]["columns"][0]["coder"]
    damaged["encoder"]["columns"][0]["coder"][field] = value
    with pytest.raises(ModelError, match="damaged"):
        Model.from_json(damaged)


@pytest.mark.parametrize("digits", ["9" * 400, "9" * 5000, "1e400", "-1e400"])
@pytest.mark.parametrize("field", ["spread", "middle"])
def test_file_with_absurd_numbers_is_refused(data, tmp_path, field, digits):
    damaged = deepcopy(data)
    damaged["encoder"]["columns"][0]["coder"][field] = "HERE"
    path = tmp_path / "model.json"
    path.write_text(json.dumps(damaged).replace('"HERE"', digits))
    with pytest.raises(ModelError, match=r"^model\.json is no model of .* it holds the number \S+$"):
        Model.load(path)
