"""The contract of embedders, which every one of them fulfils, and what is particular to each."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sameornot.embedding import EmbeddingError, EmbeddingModels
from sameornot.embedding.histograms import colour_shares, describe_picture, gradient_shares

TEXTS = ["where is my card", "my card has not arrived", "play some music", "turn the music up", "42"]
MODELS = {
    "wordllama": EmbeddingModels(text="wordllama"),
    "function": EmbeddingModels(text=lambda texts: [[len(text), text.count("a")] for text in texts]),
    "histograms": EmbeddingModels(),
    "picture function": EmbeddingModels(image=lambda paths: [[Path(path).stat().st_size] for path in paths]),
}


def striped(angle: float, colour: str = "black", size: int = 80) -> Image.Image:
    """Stripes that rise by an angle in degrees."""
    along = np.add.outer(
        -np.arange(size) * np.cos(np.radians(angle)), np.arange(size) * np.sin(np.radians(angle))
    )
    stripes = Image.fromarray(np.where(np.mod(along, 16) < 8, 255, 0).astype(np.uint8))
    return Image.composite(
        Image.new("RGB", stripes.size, "white"), Image.new("RGB", stripes.size, colour), stripes
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("pictures")
    for angle in (0, 30, 60, 90):
        striped(angle).save(folder / f"{angle}.png")
    return folder


@pytest.fixture(params=MODELS)
def models(request, folder) -> EmbeddingModels:
    return replace(MODELS[request.param], folder=folder)


@pytest.fixture
def embedded(request, models):
    """An embedder and some items for it."""
    if request.node.callspec.params["models"] in ("wordllama", "function"):
        return models.for_texts(), TEXTS
    return models.for_pictures(), [f"{angle}.png" for angle in (0, 30, 60, 90)]


def test_equal_items_have_equal_vectors_whatever_the_others_are(embedded):
    embedder, items = embedded
    together = embedder.embed([*items, *items[::-1]])
    assert together.shape[0] == 2 * len(items)
    assert np.array_equal(together[: len(items)], together[len(items) :][::-1])
    for item, vector in zip(items, together, strict=False):
        assert np.array_equal(embedder.embed([item])[0], vector)


def test_an_embedder_is_found_again_by_its_name(models, embedded):
    embedder, items = embedded
    again = models.named(embedder.items, embedder.name)
    assert np.array_equal(again.embed(items), embedder.embed(items))


def test_static_vectors_put_texts_about_one_thing_together():
    vectors = EmbeddingModels(text="wordllama").for_texts().embed(TEXTS[:4])
    near = vectors @ vectors.T / np.outer(*[np.linalg.norm(vectors, axis=1)] * 2)
    assert near[0, 1] > max(near[0, 2], near[0, 3])
    assert near[2, 3] > max(near[2, 0], near[2, 1])


def test_text_without_words_and_missing_picture_have_no_vector(folder):
    assert np.isnan(EmbeddingModels(text="wordllama").for_texts().embed([""])).all()
    (folder / "text.png").write_text("no picture")
    for name in ("absent.png", "text.png", "../secret.png", "a\0b"):
        assert np.isnan(EmbeddingModels(folder=folder).for_pictures().embed([name])).all()
    assert np.isnan(EmbeddingModels().for_pictures().embed(["0.png"])).all()  # a table without a folder


@pytest.mark.parametrize("angle", [10, 50, 90, 130])
def test_gradients_point_across_stripes(angle):
    shares = gradient_shares(striped(angle)).reshape(64, 9).sum(axis=0)
    assert shares.sum() == pytest.approx(1.0)
    assert shares.argmax() == round((angle + 90) % 180 / 20) % 9


def test_grey_pictures_have_one_colour_and_coloured_ones_others():
    grey, red, blue = (colour_shares(striped(30, colour)) for colour in ("black", "red", "blue"))
    assert grey[-1] == pytest.approx(1.0)
    assert red.sum() == pytest.approx(1.0)
    assert red.argmax() != blue.argmax() or red[:-1].argmax() != blue[:-1].argmax()
    even = Image.new("RGB", (5, 3), "white")
    assert np.isfinite(describe_picture(even)).all()
    assert gradient_shares(even).sum() == 0


def test_transparent_pictures_stand_on_white(tmp_path):
    Image.new("RGBA", (20, 20), (255, 0, 0, 0)).save(tmp_path / "clear.png")
    Image.new("RGB", (20, 20), "white").save(tmp_path / "white.png")
    clear, white = EmbeddingModels(folder=tmp_path).for_pictures().embed(["clear.png", "white.png"])
    assert np.array_equal(clear, white)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda texts: [1.0] * len(texts), r"shape \(2,\) for 2 texts"),
        (lambda texts: [[1.0]], r"shape \(1, 1\) for 2 texts"),
        (lambda texts: [["a"], ["b"]], "an array of numbers"),
        (lambda texts: [[float("nan")], [1.0]], "NaN or infinity"),
    ],
)
def test_function_that_returns_something_else_is_refused(function, sentence):
    with pytest.raises(EmbeddingError, match=sentence):
        EmbeddingModels(text=function).for_texts().embed(["a", "b"])


def test_function_is_called_once_for_each_text():
    calls: list[str] = []

    def embed(texts):
        calls.extend(texts)
        return [[float(len(text))] for text in texts]

    embedder = EmbeddingModels(text=embed).for_texts()
    embedder.embed(["a", "bb", "a"])
    embedder.embed(["bb", "ccc"])
    assert calls == ["a", "bb", "ccc"]


def test_model_of_a_function_asks_for_the_function():
    with pytest.raises(EmbeddingError, match="were embedded by the function mine: give that function again"):
        EmbeddingModels().named("texts", "function mine")


def test_named_model_without_its_package_says_what_to_install():
    with pytest.raises(EmbeddingError, match="pip install sentence-transformers"):
        EmbeddingModels(text="all-MiniLM-L6-v2").for_texts().embed(["a"])


def test_pictures_of_one_cell_are_told_apart(folder):
    pictures = EmbeddingModels(folder=folder).pictures
    Image.new("RGB", (4, 4)).save(folder / "a;b.png")
    assert pictures.names("0.png; 30.png | 60.png") == ["0.png", "30.png", "60.png"]
    assert [path.name for path in pictures.files("0.png;absent.png|90.png")] == ["0.png", "90.png"]
    assert pictures.names("a;b.png") == ["a;b.png"]
