"""Columns of texts and pictures as blocks of embeddings, with the weight of one column."""

import json

import numpy as np
import pandas as pd
import pytest
from PIL import Image

from sameornot.embedding import EmbeddingModels
from sameornot.table import TableEncoder, TableError

KINDS = ["cotton shirt with long sleeves", "steel kettle with a wooden handle", "oak chair with a woven seat"]
RNG = np.random.default_rng(0)
KIND = RNG.integers(0, 3, 60)
TITLES = [
    f"{KINDS[kind]}, pack of {number}" for kind, number in zip(KIND, RNG.integers(1, 99, 60), strict=True)
]
FRAME = pd.DataFrame({"title": TITLES, "price": RNG.normal(size=60), "stock": RNG.normal(size=60)})
COLOURS = ["red", "green", "blue"]


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A folder with a picture of each row's kind, and of its size."""
    folder = tmp_path_factory.mktemp("shop")
    for row, kind in enumerate(KIND):
        picture = Image.new("RGB", (40, 30), "white")
        picture.paste(COLOURS[kind], (5, 5, 20 + row % 10, 25))
        picture.save(folder / f"{row}.png")
    return folder


def spread_between(features: np.ndarray) -> float:
    """The share of the variance that lies between the three kinds."""
    means = np.array([features[kind == KIND].mean(axis=0) for kind in range(3)])
    return float(means[KIND].var(axis=0).sum() / features.var(axis=0).sum())


@pytest.mark.parametrize("text", ["wordllama", "tf-idf"])
def test_text_is_one_block_with_one_scale_and_tells_kinds_apart(text):
    frame = FRAME.assign(title=FRAME["title"].mask(FRAME.index == 7))
    encoder = TableEncoder.fit(frame, models=EmbeddingModels(text=text))
    features = encoder.transform(frame)
    sums = [features[:, encoder.owner == at].var(axis=0).sum() for at in range(3)]
    n_axes = encoder.columns[0].n_features
    assert sums == pytest.approx([n_axes**0.25, 1.0, 1.0], rel=1e-3)
    assert spread_between(features[:, encoder.owner == 0]) > 0.5
    assert not features[7, encoder.owner == 0].any()


def test_installed_word_vectors_are_chosen_and_a_notice_says_so():
    assert TableEncoder.fit(FRAME).notices == [
        "Texts are compared by meaning, as wordllama embeds them: title."
    ]


def test_axes_of_many_words_are_those_of_the_whole_spectrum(monkeypatch):
    words = str(pd.DataFrame.__doc__).split()
    frame = pd.DataFrame({"text": [" ".join(several) for several in RNG.choice(words, (400, 6))]})
    found = []
    for dense in (100, 10_000):
        monkeypatch.setattr("sameornot.table.text._DENSE", dense)
        found.append(TableEncoder.fit(frame, models=EmbeddingModels(text="tf-idf")).transform(frame))
    assert found[0].shape == (400, 100)
    assert np.allclose(found[0] @ found[0].T, found[1] @ found[1].T, atol=1e-3)


def test_long_tables_of_texts_have_fifty_axes_at_most():
    words = [" ".join(several) for several in RNG.choice(str(pd.DataFrame.__doc__).split(), (200, 5))]
    assert TableEncoder.fit(pd.DataFrame({"text": words})).n_features == 50


def test_without_an_embedding_a_notice_says_how_to_get_one(monkeypatch):
    monkeypatch.setattr("sameornot.embedding.models.find_static_texts", lambda: None)
    assert TableEncoder.fit(FRAME).notices == [
        "Texts are compared by the words that they share: title. To compare them by meaning: pip install "
        "'sameornot[text]'."
    ]
    chosen = TableEncoder.fit(FRAME, models=EmbeddingModels(text="tf-idf"))
    assert chosen.notices == ["Texts are compared by the words that they share: title."]


def test_pictures_alone_are_a_table(shop):
    frame = pd.DataFrame({"photo": [f"{row}.png" for row in range(60)]})
    encoder = TableEncoder.fit(frame, images=["photo"], models=EmbeddingModels(folder=shop))
    assert [(column.name, column.kind) for column in encoder.columns] == [("photo", "image")]
    assert spread_between(encoder.transform(frame)) > 0.5
    assert "by shapes and colours, not by what they show: photo" in encoder.notices[0]


def test_missing_and_several_pictures(shop):
    cells = [f"{row}.png" for row in range(60)]
    cells[0], cells[1], cells[2] = "absent.png", None, f"{3}.png; {4}.png"
    frame = pd.DataFrame({"photo": cells})
    encoder = TableEncoder.fit(frame, images=["photo"], models=EmbeddingModels(folder=shop))
    (column,) = encoder.columns
    assert (column.n_missing, column.fill) == (2, "the average picture")
    features = encoder.transform(frame)
    assert not features[:2].any()
    between = np.linalg.norm(features[2] - features[[3, 4]], axis=1)
    assert (between <= np.linalg.norm(features[3] - features[4]) + 1e-9).all()


def test_table_whose_pictures_cannot_be_read_is_refused_with_the_reason(shop):
    frame = pd.DataFrame({"photo": ["a.png", "b.png", "c.png"]})
    reasons = {
        r"photo \(no picture of it could be read\)": EmbeddingModels(folder=shop),
        r"photo \(its pictures are not found without the folder of the table\)": EmbeddingModels(),
    }
    for reason, models in reasons.items():
        with pytest.raises(TableError, match=reason):
            TableEncoder.fit(frame, images=["photo"], models=models)
    same = pd.DataFrame({"photo": ["0.png"] * 3, "n": [1.0, 2.0, 4.0]})
    encoder = TableEncoder.fit(same, images=["photo"], models=EmbeddingModels(folder=shop))
    assert encoder.left_out == [("photo", "always the same picture")]


@pytest.mark.parametrize(
    "text", [None, "tf-idf", lambda texts: [[len(text), text.count("a")] for text in texts]]
)
def test_encoder_is_rebuilt_from_its_state_bit_for_bit(shop, text):
    models = EmbeddingModels(text=text, folder=shop)
    frame = FRAME.assign(photo=[f"{row}.png" for row in range(60)])
    encoder = TableEncoder.fit(frame, images=["photo"], models=models)
    again = TableEncoder.from_json(json.loads(json.dumps(encoder.to_json())), models)
    order = RNG.permutation(60)
    assert np.array_equal(again.transform(frame.iloc[order]), encoder.transform(frame)[order])


def test_model_that_changed_its_dimensions_is_refused():
    encoder = TableEncoder.fit(FRAME, models=EmbeddingModels(text=embed_in(3)))
    again = TableEncoder.from_json(encoder.to_json(), EmbeddingModels(text=embed_in(4)))
    with pytest.raises(TableError, match="vectors of 4 numbers now and made 3"):
        again.transform(FRAME)


def embed_in(n_dimensions: int):
    def embed(texts):
        return [[len(text), *range(n_dimensions - 1)] for text in texts]

    return embed
