"""Only pictures from under the table's folder are shown."""

import pytest

from sameornot.web import images

PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def picture(desk):
    """Put a file beside the table, as the picture of row 0."""

    def put(name: str, content: bytes = PNG):
        path = desk.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        desk.images[0] = path
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
def test_a_picture_beside_the_table_is_shown(browser, picture, name, kind):
    picture(name)
    reply = browser.get("/image/0")
    assert (reply.status, reply.headers["content-type"], reply.body) == (200, kind, PNG)
    assert reply.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["a.svg", "a.html", "a.txt", "a", "a.png.html", "a.pdf", ".png"])
def test_other_files_are_not_shown(browser, picture, name):
    picture(name)
    assert browser.get("/image/0").status == 404


def test_nothing_outside_the_folder_is_shown(browser, desk, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    for path in (secret, desk.folder / ".." / ".." / secret.relative_to(desk.folder.parents[1])):
        desk.images[0] = path
        assert path.is_file()
        assert browser.get("/image/0").status == 404


def test_a_link_out_of_the_folder_is_not_followed(browser, desk, tmp_path):
    secret = tmp_path / "secret.png"
    secret.write_bytes(PNG)
    link = desk.folder / "link.png"
    link.unlink(missing_ok=True)
    link.symlink_to(secret)
    desk.images[0] = link
    assert browser.get("/image/0").status == 404


def test_a_link_to_another_kind_of_file_is_not_followed(browser, desk, picture):
    target = picture("page.html", b"<script>")
    link = desk.folder / "disguise.png"
    link.unlink(missing_ok=True)
    link.symlink_to(target)
    desk.images[0] = link
    assert browser.get("/image/0").status == 404


def test_a_folder_whose_name_begins_alike_is_another_folder(browser, desk):
    neighbour = desk.folder.with_name(desk.folder.name + "-private")
    neighbour.mkdir(exist_ok=True)
    (neighbour / "a.png").write_bytes(PNG)
    desk.images[0] = neighbour / "a.png"
    assert browser.get("/image/0").status == 404


def test_what_is_no_file_is_not_shown(browser, desk):
    (desk.folder / "folder.png").mkdir(exist_ok=True)
    (desk.folder / "ring.png").unlink(missing_ok=True)
    (desk.folder / "ring.png").symlink_to("ring.png")
    for name in ("folder.png", "ring.png", "missing.png", "x" * 300 + ".png", "nul\0.png"):
        desk.images[0] = desk.folder / name
        assert browser.get("/image/0").status == 404


def test_a_picture_that_is_too_large_is_not_shown(browser, picture, monkeypatch):
    picture("large.png", PNG * 10)
    monkeypatch.setattr(images, "MAX_BYTES", 10 * len(PNG))
    assert browser.get("/image/0").status == 200
    monkeypatch.setattr(images, "MAX_BYTES", 10 * len(PNG) - 1)
    assert browser.get("/image/0").status == 404


@pytest.mark.parametrize("row", ["7", "-1", "x", "0.png", "..", "%2e%2e%2fsecret.png", "", "0/../0"])
def test_rows_without_a_picture_have_none(browser, picture, row):
    picture("a.png")
    assert browser.get(f"/image/{row}").status == 404


def test_a_table_without_a_folder_has_no_pictures(browser, desk, picture, monkeypatch):
    picture("a.png")
    monkeypatch.setattr(desk, "folder", None)
    assert browser.get("/image/0").status == 404
