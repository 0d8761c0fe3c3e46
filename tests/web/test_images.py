"""Only image files in the folder of the table are served."""

from io import BytesIO

import pytest
from PIL import Image

from sameornot.web.images import is_servable

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def picture(service):
    """Put a file next to the table, as the image of row 0."""

    def put(name: str, content: bytes = PNG):
        path = service.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        service.images[0] = path
        return path

    return put


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.png", "image/png"),
        ("b.JPG", "image/jpeg"),
        ("c.jpeg", "image/jpeg"),
        ("d.gif", "image/gif"),
        ("e.webp", "image/webp"),
        ("f.bmp", "image/bmp"),
        ("deep/a b ü.png", "image/png"),
    ],
)
def test_image_next_to_the_table_is_served(browser, picture, name, kind):
    picture(name)
    reply = browser.get("/image/0")
    assert (reply.status, reply.headers["content-type"], reply.body) == (200, kind, PNG)
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("key", ["0", "0-0"])
def test_thumbnail_is_small_and_the_picture_itself_where_it_cannot_be_made(browser, service, picture, key):
    path = picture("a.png")
    assert browser.get(f"/thumbnail/{key}").body == PNG  # no picture that could be made smaller
    Image.effect_noise((900, 600), 50).save(path)
    reply = browser.get(f"/thumbnail/{key}")
    assert (reply.status, reply.headers["content-type"]) == (200, "image/jpeg")
    assert Image.open(BytesIO(reply.body)).size == (256, 171)


@pytest.mark.parametrize("key", ["0-1", "0-", "-1", "0-0-0", "0-9999", "1"])
def test_picture_that_is_not_there_is_not_found(browser, picture, key):
    picture("a.png")
    for kind in ("image", "thumbnail"):
        assert browser.get(f"/{kind}/{key}").status == 404


@pytest.mark.parametrize("name", ["a.svg", "a.html", "a.txt", "a", "a.png.html", "a.pdf", ".png"])
def test_other_files_are_not_served(browser, picture, name):
    picture(name)
    assert browser.get("/image/0").status == 404


def test_file_outside_the_folder_is_not_served(browser, service, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    for path in (secret, service.folder / ".." / ".." / secret.relative_to(service.folder.parents[1])):
        service.images[0] = path
        assert path.is_file()
        assert browser.get("/image/0").status == 404


def test_link_out_of_the_folder_is_not_followed(browser, service, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    link = service.folder / "link.png"
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    service.images[0] = link
    assert browser.get("/image/0").status == 404


def test_link_to_another_kind_of_file_is_not_followed(browser, service, picture):
    target = picture("page.html", b"<script>")
    link = service.folder / "disguise.png"
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    service.images[0] = link
    assert browser.get("/image/0").status == 404


def test_folder_with_a_common_prefix_is_another_folder(browser, service):
    neighbour = service.folder.with_name(service.folder.name + "-private")
    neighbour.mkdir(exist_ok=True)
    (neighbour / "a.png").write_bytes(PNG)
    service.images[0] = neighbour / "a.png"
    assert browser.get("/image/0").status == 404


def test_what_is_not_a_file_is_not_served(browser, service):
    (service.folder / "folder.png").mkdir(exist_ok=True)
    (service.folder / "ring.png").unlink(missing_ok=True)
    (service.folder / "ring.png").symlink_to("ring.png")
    for name in ("folder.png", "ring.png", "missing.png", "x" * 300 + ".png", "nul\0.png"):
        service.images[0] = service.folder / name
        assert browser.get("/image/0").status == 404


def test_image_that_is_too_large_is_not_served(service, picture):
    picture("large.png", PNG * 10)
    path = service.images[0]
    assert is_servable(path, service.folder, max_bytes=10 * len(PNG))
    assert not is_servable(path, service.folder, max_bytes=10 * len(PNG) - 1)


@pytest.mark.parametrize(
    "row", ["7", "-1", "x", "0.png", "..", "%2e%2e%2fsecret.png", "", "0/../0", "9" * 5000]
)
def test_row_without_an_image_gives_404(browser, picture, row):
    picture("a.png")
    assert browser.get(f"/image/{row}").status == 404


def test_table_without_a_folder_has_no_images(browser, service, picture, monkeypatch):
    picture("a.png")
    monkeypatch.setattr(service, "folder", None)
    assert browser.get("/image/0").status == 404
