"""What files say, and where it stands: real PDF, DOCX and text, whole, broken and hostile."""

import time
import tracemalloc
from typing import Any

import papers
import pytest
from pictures import png

from fabula import (
    DocumentCorrupt,
    DocumentEncrypted,
    DocumentError,
    DocumentTooLarge,
    DocumentUnsupported,
    MissingExtra,
)
from fabula.documents import LARGEST, kind_of, pdf, read
from fabula.types import Part


def told(name: str, data: bytes) -> list[str]:
    return [part.text for part in read(name, data).parts]


# --- PDF ---------------------------------------------------------------------------------------------------------


def test_a_pdf_is_read_page_by_page():
    found = read("Report.PDF", papers.pdf("Alpha stands here.", "Beta there.", title="Two pages"))
    assert (found.media, found.type, found.title) == ("application/pdf", "pdf", "Two pages")
    assert found.parts == (Part(text="Alpha stands here.", page=1), Part(text="Beta there.", page=2))
    assert not found.warnings


def test_pages_without_text_are_named():
    found = read("scan.pdf", papers.pdf("one", "", "three", ""))
    assert found.warnings == ("pages 2, 4: no text (scanned?)",)
    assert [part.page for part in found.parts] == [1, 3]


def test_a_sentence_over_two_lines_is_one():
    page = "The committee met in the old town hall and decided for New\nYork.\nShort line\nAnother"
    assert told("a.pdf", papers.pdf(page)) == [
        "The committee met in the old town hall and decided for New York.\nShort line\nAnother"
    ]
    assert pdf._unwrapped("会议决定将总部从上海迁往北\n京。") == "会议决定将总部从上海迁往北京。"  # pyright: ignore[reportPrivateUsage]


def test_a_user_password_is_needed_and_an_owner_password_is_not():
    plain = papers.pdf("Alpha stands here.")
    with pytest.raises(DocumentEncrypted, match="password"):
        read("a.pdf", papers.locked(plain, user="pw1"))
    assert told("a.pdf", papers.locked(plain, owner="owner")) == ["Alpha stands here."]


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("a.pdf", b""),
        ("a.pdf", b"hello"),
        ("a.pdf", papers.pdf("Alpha")[: len(papers.pdf("Alpha")) // 2]),
        ("a.pdf", papers.self_drawing()),
        ("a.docx", b""),
        ("a.docx", b"hello"),
        ("a.docx", papers.word()[:2000]),
        ("a.docx", b"PK\x05\x06" + b"\0" * 18),
        ("a.png", b"hello"),
        ("a.txt", bytes(range(256))),
    ],
    ids=lambda value: value if isinstance(value, str) else f"{len(value)} bytes",
)
def test_what_is_broken_is_said_soon(name: str, data: bytes):
    start = time.monotonic()
    with pytest.raises(DocumentCorrupt) as error:
        read(name, data)
    assert time.monotonic() - start < 10
    assert "\n" not in str(error.value)


def test_a_form_that_shares_resources_but_draws_nothing_is_no_fault():
    assert read("a.pdf", papers.self_drawing(shared=True)).parts == ()


def test_a_reader_that_hangs_is_ended(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    program = tmp_path / "pdf_process.py"
    program.write_text("import sys, time; sys.stdin.buffer.read(); time.sleep(60)")
    monkeypatch.setattr(pdf, "__file__", str(tmp_path / "pdf.py"))
    monkeypatch.setattr(pdf, "PATIENCE", 0.5)
    start = time.monotonic()
    with pytest.raises(DocumentCorrupt, match="took more than"):
        read("a.pdf", papers.pdf("Alpha"))
    assert time.monotonic() - start < 10


def test_a_reader_that_dies_is_no_empty_document(monkeypatch: pytest.MonkeyPatch, tmp_path: Any):
    (tmp_path / "pdf_process.py").write_text("import os; os.abort()")
    monkeypatch.setattr(pdf, "__file__", str(tmp_path / "pdf.py"))
    with pytest.raises(DocumentCorrupt, match="gave up"):
        read("a.pdf", papers.pdf("Alpha") * 500)


def test_more_pages_than_are_read(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf, "PAGES", 1)
    with pytest.raises(DocumentTooLarge, match="2 pages"):
        read("a.pdf", papers.pdf("a", "b"))


def test_the_extra_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pdf.importlib.util, "find_spec", lambda _: None)
    with pytest.raises(MissingExtra, match=r"fabula\[pdf\]"):
        read("a.pdf", papers.pdf("a"))


# --- DOCX --------------------------------------------------------------------------------------------------------


def test_a_docx_keeps_its_order():
    found = read("a.docx", papers.word())
    assert found.title == "Rates"
    assert found.parts == (
        Part(text="HDR-77"),
        Part(text="Alpha first"),
        Part(text="Rate | 42 EUR"),
        Part(text="汇率 | 七", above="Rate | 42 EUR"),
        Part(text="Part two", heading="Part two"),
        Part(text="Omega last", heading="Part two"),
    )


@pytest.mark.parametrize("declared", [None, 100])
def test_a_zip_bomb_is_refused_by_what_it_really_holds(declared: int | None):
    data = papers.bomb(declared=declared)
    assert len(data) < 60_000
    tracemalloc.start()
    start = time.monotonic()
    try:
        with pytest.raises(DocumentTooLarge):
            read("a.docx", data)
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()
    assert time.monotonic() - start < 5


def test_an_encrypted_docx():
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DocumentEncrypted):
        read("a.docx", data)
    with pytest.raises(DocumentCorrupt, match="old Word file"):
        read("a.docx", data[:8])


# --- text --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_text_in_every_encoding(encoding: str):
    text = "小明喜欢 green tea\n\n昨天下雨了"
    assert told("a.txt", text.encode(encoding)) == ["小明喜欢 green tea", "昨天下雨了"]


def test_western_text_is_not_taken_for_chinese():
    found = read("a.txt", "naïve café, déjà vu".encode("cp1252"))
    assert found.parts[0].text == "naïve café, déjà vu"
    assert "cp1252" in found.warnings[0]


def test_a_nul_is_left_out():
    assert told("a.txt", b"ab\x00cd") == ["abcd"]
    assert read("a.pdf", papers.pdf("a", title="ab\\000cd")).title == "abcd"


def test_markdown_knows_its_headings():
    text = (
        "# Travel\n\nplans\nfor May\n\n## 费用\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\n# no heading\n\nx\n```\n# End"
    )
    assert read("a.md", text.encode()).parts == (
        Part(text="# Travel", heading="Travel"),
        Part(text="plans\nfor May", heading="Travel"),
        Part(text="## 费用", heading="Travel / 费用"),
        Part(text="| a | b |\n|---|---|", heading="Travel / 费用"),
        Part(text="| 1 | 2 |", heading="Travel / 费用", above="| a | b |\n|---|---|"),
        Part(text="```\n# no heading\n\nx\n```", heading="Travel / 费用"),
        Part(text="# End", heading="End"),
    )


def test_html_is_what_a_page_shows():
    page = (
        "<html><head><title>T &amp; U</title><style>p {}</style></head><body><h1>H</h1><p>one <b>two</b><br>three"
        "<table><tr><th>Rate<td>42 EUR<tr><td>汇率</td><td>七</td></table><p>last <img alt='a cat'><script>x()</script>"
    )
    found = read("a.htm", page.encode())
    assert (found.title, found.type) == ("T & U", "html")
    assert [part.text for part in found.parts] == [
        "H", "one two\nthree", "Rate | 42 EUR", "汇率 | 七", "last a cat",
    ]  # fmt: skip
    assert {part.heading for part in found.parts} == {"H"}
    assert told("b.html", "<meta charset='gbk'><p>中文网页".encode("gbk")) == ["中文网页"]


def test_tables_keep_their_cells_together():
    assert read("a.csv", "name;price\n苹果;3\npear;4\n".encode()).parts == (
        Part(text="name | price"),
        Part(text="苹果 | 3", above="name | price"),
        Part(text="pear | 4", above="name | price"),
    )


def test_json_yaml_xml_and_code():
    assert told("a.json", b'{"city":"\\u4e0a\\u6d77"}') == ['{\n "city": "上海"\n}']
    assert read("a.json", b'{"a":').warnings == ("the file is not valid JSON and was read as text",)
    assert read("a.json", b"[" * 100_000).warnings
    assert told("a.yml", b"a: 1\n") == ["a: 1"]
    assert told("a.xml", b'<r><rate cur="EUR">42</rate><b>x<i>y</i>z</b></r>') == ["rate: cur=EUR 42\nb: x z\ni: y"]
    assert "not valid XML" in read("a.xml", b"<r><a></r>").warnings[0]
    assert told("a.py", b"def f():\n    return 1\n") == ["def f():\n    return 1"]
    assert told("Makefile", b"all:\n\techo") == ["all:\n\techo"]


def test_entities_that_multiply_are_not_unfolded():
    lol = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    bomb = f'<!DOCTYPE r [<!ENTITY l0 "lol">{lol}]><r>&l9;</r>'.encode()
    assert len(read("a.xml", bomb).parts[0].text) < 2 * len(bomb)


# --- at the door -------------------------------------------------------------------------------------------------


def test_a_picture_is_what_its_bytes_are():
    assert read("a.JPEG", png(1, 2, 3)).media == "image/png"
    assert kind_of("a.JPEG") == "jpg"


def test_what_is_not_read():
    with pytest.raises(DocumentUnsupported):
        read("a.exe", b"MZ")
    with pytest.raises(DocumentTooLarge, match="50"):
        read("a.txt", b"a" * (LARGEST + 1))
    assert issubclass(DocumentError, ValueError)
