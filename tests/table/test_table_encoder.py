import json
import string

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sameornot.datasets import load_breast_cancer
from sameornot.table import TableEncoder, TableError

BOOLEAN_WORDS = st.sampled_from(["cough", "fever", "<script>", "=1+1", "ä", "NaN", "0", "2020-01-02", ""])
CELLS = {
    "float": st.floats(width=64) | st.none(),
    "integer": st.integers(-(2**70), 2**70),
    "boolean": st.booleans() | st.none(),
    "word": BOOLEAN_WORDS | st.none(),
    "sentence": st.lists(BOOLEAN_WORDS, min_size=1, max_size=5).map(" ".join),
    "text": st.text(max_size=8),
    "date": st.dates() | st.none(),
    "moment": st.datetimes(),
    "anything": st.one_of(
        st.floats(),
        st.text(max_size=3),
        st.booleans(),
        st.none(),
        st.binary(max_size=2),
        st.lists(st.integers()),
    ),
}


@st.composite
def frames(draw):
    """Draw a table with any cells."""
    n_rows = draw(st.integers(1, 40))
    kinds = draw(st.lists(st.sampled_from(sorted(CELLS)), min_size=1, max_size=4))
    columns = [
        pd.Series(draw(st.lists(CELLS[kind], min_size=n_rows, max_size=n_rows)), dtype=object)
        for kind in kinds
    ]
    if draw(st.booleans()):
        columns = [inferred(column) for column in columns]
    frame = pd.concat(columns, axis=1)
    frame.columns = draw(st.lists(st.text("ab", max_size=1), min_size=len(kinds), max_size=len(kinds)))
    return frame


def inferred(column):
    """Give a column the dtype of its cells, where pandas can."""
    try:
        return column.infer_objects()
    except UnicodeEncodeError:  # a lone surrogate fits in no typed column
        return column


def encoded(frame):
    try:
        return TableEncoder.fit(frame)
    except TableError:
        return None


def mixed_table(n_rows=400, seed=0):
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "size": rng.normal(50, 9, n_rows),
            "sex": rng.choice(["f", "m", "x"], n_rows, p=[0.5, 0.4, 0.1]),
            "town": rng.choice([f"T{code}" for code in range(90)], n_rows),
            "smokes": rng.choice(["yes", "no"], n_rows),
            "seen": pd.Timestamp("2020") + pd.to_timedelta(rng.integers(0, 900, n_rows), unit="D"),
            "note": [" ".join(words) for words in rng.choice(list(string.ascii_letters), (n_rows, 5))],
        }
    )
    return frame.mask(rng.random(frame.shape) < 0.1)


@pytest.mark.slow
@given(frames(), frames())
def test_any_table_is_encoded_to_finite_numbers_or_refused_in_one_sentence(frame, others):
    encoder = encoded(frame)
    if encoder is None:
        return
    assert np.isfinite(encoder.transform(frame)).all()
    strange = pd.concat([others.iloc[:, 0]] * len(encoder.columns), axis=1)
    strange.columns = [column.name for column in encoder.columns]
    assert np.isfinite(encoder.transform(strange)).all()


@pytest.mark.slow
@given(frames())
def test_encoder_survives_json_without_loss(frame):
    encoder = encoded(frame)
    if encoder is None:
        return
    again = TableEncoder.from_json(json.loads(json.dumps(encoder.to_json(), allow_nan=False)))
    assert (again.transform(frame) == encoder.transform(frame)).all()
    assert again.to_json() == encoder.to_json()
    assert (again.columns, again.left_out, again.notices) == (
        encoder.columns,
        encoder.left_out,
        encoder.notices,
    )
    assert again.feature_names == encoder.feature_names


@pytest.mark.slow
@given(st.integers(0, 1000), st.integers(20, 200))
def test_every_column_has_total_variance_one_and_texts_that_of_their_block(seed, n_rows):
    frame = mixed_table(n_rows, seed)
    encoder = TableEncoder.fit(frame)
    totals = np.bincount(encoder.owner, weights=encoder.transform(frame).var(axis=0))
    expected = [column.n_features**0.25 if column.kind == "text" else 1.0 for column in encoder.columns]
    assert totals == pytest.approx(np.array(expected), rel=1e-6)


def test_numeric_table_is_divided_by_its_standard_deviations():
    X, _ = load_breast_cancer()
    encoder = TableEncoder.fit(X)
    plainly = np.column_stack([column / column.std() for column in X.to_numpy().T.copy()])
    assert (encoder.transform(X) == plainly).all()
    assert encoder.feature_names == list(X.columns)
    assert encoder.notices == []


@pytest.mark.parametrize("values", [[1e308, -1e308, 5.0], [0.0, 5e-324, 0.0], [1e-200, 2e-200, 4e-200]])
def test_numbers_at_the_ends_of_the_range_have_variance_one(values):
    frame = pd.DataFrame({"x": values})
    assert TableEncoder.fit(frame).transform(frame).var() == pytest.approx(1.0)


def test_infinite_and_missing_numbers_count_as_the_median():
    encoder = TableEncoder.fit(pd.DataFrame({"x": [1.0, 2.0, 9.0, np.inf, -np.inf, np.nan]}))
    assert encoder.columns[0].n_missing == 3
    assert encoder.columns[0].fill == "2"
    one = encoder.transform(pd.DataFrame({"x": [np.inf, -np.inf, None, 2.0]}))
    assert (one == one[3]).all()


def test_rare_and_unseen_levels_share_the_feature_other():
    encoder = TableEncoder.fit(mixed_table())
    names = [name for name in encoder.feature_names if name.startswith("town = ")]
    assert len(names) == 30
    assert names[-1] == "town = other"
    new = mixed_table().head(2).assign(town=["never seen", "T0"], sex=["never seen", "f"])
    features = pd.DataFrame(encoder.transform(new), columns=encoder.feature_names)
    assert features.loc[0, "town = other"] > 0
    assert (features.loc[0, ["sex = f", "sex = m", "sex = x"]] == 0).all()


def test_missing_level_becomes_the_most_frequent_one():
    frame = pd.DataFrame({"x": ["a", "b", "b", None]})
    features = TableEncoder.fit(frame).transform(frame)
    assert (features[3] == features[1]).all()
    assert (features[3] != features[0]).any()


def test_dates_are_encoded_linearly():
    frame = pd.DataFrame({"x": ["2020-01-01", "2020-01-03", "2020-01-07", None]})
    encoder = TableEncoder.fit(frame)
    features = encoder.transform(frame).ravel()
    assert features[0] == 0
    assert features[2] / features[1] == pytest.approx(3)
    assert (features[3], encoder.columns[0].fill) == (features[1], "2020-01-03")


def test_same_time_in_any_format_has_the_same_feature():
    encoder = TableEncoder.fit(
        pd.DataFrame({"x": ["2020-01-01", "2020-06-01 12:00", "2021-01-01T06:00:00Z"]})
    )
    timestamps = pd.to_datetime(["2020-06-01 12:00"])
    writings = [
        ["2020-06-01T12:00:00Z"],
        ["2020-06-01 14:00+02:00"],
        timestamps,
        timestamps.tz_localize("UTC"),
    ]
    features = [encoder.transform(pd.DataFrame({"x": writing})).item() for writing in writings]
    assert len(set(features)) == 1


def test_texts_of_one_topic_are_nearer_than_texts_of_two():
    rng = np.random.default_rng(1)
    topics = [["knee", "joint", "swollen", "pain"], ["cough", "fever", "throat", "lungs"]]
    group = np.arange(200) % 2
    notes = [" ".join(rng.choice(topics[which], 3)) + f" since {day} days" for day, which in enumerate(group)]
    features = TableEncoder.fit(pd.DataFrame({"note": notes})).transform(pd.DataFrame({"note": notes}))
    gaps = ((features[:, None] - features[None]) ** 2).sum(axis=2)
    alike = group[:, None] == group[None]
    assert gaps[alike].mean() < 0.7 * gaps[~alike].mean()


def test_unseen_and_missing_texts_are_encoded():
    frame = mixed_table()
    encoder = TableEncoder.fit(frame)
    texts = np.array(encoder.owner) == [column.name for column in encoder.columns].index("note")
    features = encoder.transform(frame.head(2).assign(note=["漢字", None]))[:, texts]
    assert np.isfinite(features).all()
    assert (features[1] == 0).all()


def test_encoding_of_a_row_does_not_depend_on_other_rows():
    frame = mixed_table()
    encoder = TableEncoder.fit(frame)
    order = np.random.default_rng(0).permutation(len(frame))
    assert (encoder.transform(frame.iloc[order]) == encoder.transform(frame)[order]).all()


def test_additional_columns_and_column_order_do_not_matter():
    frame = mixed_table()
    encoder = TableEncoder.fit(frame)
    assert (encoder.transform(frame[frame.columns[::-1]].assign(new=1)) == encoder.transform(frame)).all()


def test_missing_column_is_named():
    encoder = TableEncoder.fit(mixed_table())
    with pytest.raises(
        TableError, match="the table has no column 'sex', 'seen': it has size, town, smokes, note"
    ):
        encoder.transform(mixed_table().drop(columns=["sex", "seen"]))


def test_weights_of_features_become_shares_of_columns():
    encoder = TableEncoder.fit(mixed_table())
    weights = np.arange(1.0, encoder.n_features + 1)
    shares = encoder.column_weights(weights)
    assert list(shares.index) == [column.name for column in encoder.columns]
    assert shares.sum() == pytest.approx(1)
    sex = [place for place, name in enumerate(encoder.feature_names) if name.startswith("sex")]
    assert shares["sex"] == pytest.approx(weights[sex].sum() / weights.sum())
    assert (encoder.column_weights(np.zeros(encoder.n_features)) == 0).all()


def test_the_number_of_features_is_bounded():
    levels = np.random.default_rng(0).choice(list("abcdefgh"), size=(30, 3_000))
    encoder = TableEncoder.fit(pd.DataFrame(levels))
    assert len(encoder.columns) == 3_000
    assert encoder.n_features <= 20_000


def test_state_of_another_version_is_refused():
    state = TableEncoder.fit(mixed_table()).to_json() | {"format": 2}
    with pytest.raises(TableError, match="the encoder has format 2 but this version reads 1"):
        TableEncoder.from_json(state)


@pytest.mark.parametrize(
    "damage",
    [
        lambda state: state.pop("columns"),
        lambda state: state["columns"][0].pop("coder"),
        lambda state: state["columns"][0]["coder"].update(kind="sound"),
        lambda state: state["columns"][0]["coder"].pop("spread"),
        lambda state: state.update(left_out=["x"]),
    ],
)
def test_damaged_state_is_refused(damage):
    state = TableEncoder.fit(mixed_table()).to_json()
    damage(state)
    with pytest.raises(TableError, match="the encoder's state is incomplete or damaged"):
        TableEncoder.from_json(state)


def test_at_most_a_hundred_text_columns_are_used():
    note = mixed_table(40)["note"]
    encoder = TableEncoder.fit(pd.concat([note] * 103, axis=1))
    assert len(encoder.columns) == 100
    assert encoder.left_out == [
        (f"note.{place}", "more than 100 columns of text") for place in (100, 101, 102)
    ]
