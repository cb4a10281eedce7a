"""Real documents, made here: PDF by hand or by pypdf, DOCX by python-docx."""

import io
import zipfile

import docx
from pypdf import PdfWriter


def pdf(*pages: str, title: str = "") -> bytes:
    """A PDF with a page for each text, a line of it in each line; a blank one has no text layer."""
    objects: dict[int, bytes] = {}
    kids = " ".join(f"{3 + 2 * n} 0 R" for n in range(len(pages)))
    objects[1] = b"<< /Type /Catalog /Pages 2 0 R >>"
    objects[2] = f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode()
    font = b"<< /Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >>"
    for n, text in enumerate(pages):
        lines = " ".join(f"({line}) Tj 0 -14 Td" for line in text.split("\n") if line)
        drawn = f"BT /F 12 Tf 40 700 Td {lines} ET".encode()
        page = b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 760] /Resources %s /Contents %d 0 R >>"
        objects[3 + 2 * n] = page % (font, 4 + 2 * n)
        objects[4 + 2 * n] = b"<< /Length %d >>\nstream\n%s\nendstream" % (len(drawn), drawn)
    number = 3 + 2 * len(pages)
    objects[number] = f"<< /Title ({title}) >>".encode()
    return written(objects, b"/Info %d 0 R" % number)


def written(objects: dict[int, bytes], trailer: bytes = b"") -> bytes:
    """Objects as a file, with its table of where they stand."""
    out = io.BytesIO()
    out.write(b"%PDF-1.4\n")
    places: list[int] = []
    for number, body in sorted(objects.items()):
        places.append(out.tell())
        out.write(b"%d 0 obj\n%s\nendobj\n" % (number, body))
    start = out.tell()
    out.write(b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1))
    out.writelines(b"%010d 00000 n \n" % place for place in places)
    out.write(b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start))
    return out.getvalue()


def self_drawing(*, shared: bool = False) -> bytes:
    """A PDF whose form draws itself; with `shared`, one that only could, since it shares the page's resources."""
    page = b"/Do_X Do" if shared else b"/X Do"
    form = b"" if shared else b"/X Do"
    return written(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            3: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Resources 6 0 R /Contents 5 0 R >>",
            4: b"<< /Type /XObject /Subtype /Form /BBox [0 0 200 200] /Resources 6 0 R /Length %d >>\n" % len(form)
            + b"stream\n%s\nendstream" % form,
            5: b"<< /Length %d >>\nstream\n%s\nendstream" % (len(page), page),
            6: b"<< /XObject << /X 4 0 R >> >>",
        }
    )


def locked(data: bytes, *, user: str = "", owner: str | None = None) -> bytes:
    """A PDF with passwords."""
    writer = PdfWriter(clone_from=io.BytesIO(data))
    writer.encrypt(user, owner, algorithm="AES-256")
    out = io.BytesIO()
    writer.write(out)
    return out.getvalue()


def word(*, header: str = "HDR-77") -> bytes:
    """A paragraph, a table, a heading, a paragraph; two sections with one header."""
    made = docx.Document()
    made.add_paragraph("Alpha first")
    table = made.add_table(2, 2)
    for cell, text in zip((c for row in table.rows for c in row.cells), ("Rate", "42 EUR", "汇率", "七"), strict=True):
        cell.text = text
    made.add_heading("Part two", 1)
    made.add_paragraph("Omega last")
    made.sections[0].header.paragraphs[0].text = header
    made.add_section().header.is_linked_to_previous = False
    made.sections[1].header.paragraphs[0].text = header
    made.core_properties.title = "Rates"
    out = io.BytesIO()
    made.save(out)
    return out.getvalue()


def bomb(*, declared: int | None = None) -> bytes:
    """A DOCX of about 49 kB with 50 MB of text in it, which may say that it has less."""
    out = io.BytesIO()
    inside = b"<a>" + b"A" * 50_000_000 + b"</a>"
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("word/document.xml", inside)
    data = out.getvalue()
    return data if declared is None else data.replace(len(inside).to_bytes(4, "little"), declared.to_bytes(4, "little"))
