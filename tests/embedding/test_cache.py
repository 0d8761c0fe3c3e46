"""Vectors are computed once: kept by model and content, and computed again if the file is of no use."""

import numpy as np
import pytest
from PIL import Image

from sameornot.embedding import EmbeddingModels
from sameornot.embedding.histograms import Histograms


@pytest.fixture
def counted(monkeypatch):
    """The names of the pictures that were computed."""
    made: list[str] = []
    embed = Histograms.embed

    def counting(self, items):
        made.extend(items)
        return embed(self, items)

    monkeypatch.setattr(Histograms, "embed", counting)
    return made


@pytest.fixture
def models(tmp_path):
    for shade in (0, 80, 160):
        picture = Image.new("RGB", (30, 30), "white")
        picture.paste((shade, 0, 0), (shade // 20, 5, 20, 20))
        picture.save(tmp_path / f"{shade}.png")
    return EmbeddingModels(folder=tmp_path, cache=tmp_path / "kept" / "vectors.sqlite")


def test_content_is_embedded_once_whatever_its_name(models, counted):
    names = ["0.png", "80.png", "absent.png"]
    first = models.vectors(models.for_pictures(), names)
    assert counted == ["0.png", "80.png"]
    (models.folder / "0.png").rename(models.folder / "other.png")
    again = EmbeddingModels(folder=models.folder, cache=models.cache)
    second = again.vectors(again.for_pictures(), ["other.png", "80.png", "absent.png"])
    assert counted == ["0.png", "80.png"]
    assert np.array_equal(first, second, equal_nan=True)
    assert np.isnan(first[2]).all()


def test_changed_picture_is_embedded_again(models, counted):
    before = models.vectors(models.for_pictures(), ["0.png"])
    (models.folder / "0.png").write_bytes((models.folder / "160.png").read_bytes())
    after = models.vectors(models.for_pictures(), ["0.png"])
    assert counted == ["0.png", "0.png"]
    assert not np.array_equal(before, after)


@pytest.mark.parametrize("content", [b"no database at all, but longer than a header of one" * 30, b""])
def test_damaged_file_of_vectors_changes_nothing(models, content):
    wanted = models.vectors(models.for_pictures(), ["0.png", "80.png"])
    models.cache.write_bytes(content)
    assert np.array_equal(models.vectors(models.for_pictures(), ["0.png", "80.png"]), wanted)


def test_progress_is_reported_to_the_end(tmp_path):
    seen = []
    models = EmbeddingModels(
        text=lambda texts: [[1.0, len(text)] for text in texts], progress=lambda *report: seen.append(report)
    )
    texts = [str(number) for number in range(600)]
    assert models.vectors(models.for_texts(), texts).shape == (600, 2)
    assert seen == [("texts", 256, 600), ("texts", 512, 600), ("texts", 600, 600)]
