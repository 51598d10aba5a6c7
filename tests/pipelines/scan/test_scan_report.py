"""What a scan tells is the same in whatever order results come and whichever form is written, and never kept whole."""

from __future__ import annotations

import csv
import io
import json
import random
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec
import pytest
from scan_samples import jpeg, mixed_tree, plain, scanned

from diagnose.diagnosis import Cause, Diagnosis, Layer, NotChecked, Severity
from diagnose.evidence import Subject
from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan import ScanRequest, scan
from diagnose.pipelines.scan.spool import Spool
from diagnose.pipelines.scan.tally import Tally
from diagnose.pipelines.scan.verdict import Verdict, diagnosis_of, verdict_of
from diagnose.reports import json_report, scan_text
from diagnose.reports.scan_rows import CSV_COLUMNS, Csv, JsonLines


def diagnosis(path: str, rule: str = "image/x", severity: Severity = Severity.ERROR, cause: str = "cut") -> Diagnosis:
    causes = [Cause(cause, "Title", 0.9), Cause("other", "another", 0.1)]
    return Diagnosis(rule, Layer.IMAGE, severity, "T", "S", Subject("file", path), causes, [], [], [])


def test_many_files_of_one_fault_are_one_group_and_all_are_listed(tmp_path: Path, book: Rulebook) -> None:
    data = jpeg(tmp_path / "ok.jpg")
    for number in range(40):
        (tmp_path / f"cut-{number:02}.jpg").write_bytes(data[: len(data) // 2])
    report = scanned(book, tmp_path, jobs=2)
    assert (report.summary.scanned, report.summary.errors) == (41, 40)
    assert [Path(d.subject.path).name for d in report.diagnoses] == [f"cut-{number:02}.jpg" for number in range(40)]
    (group,) = report.groups
    assert group.count == 40 and [Path(path).name for path in group.examples] == [f"cut-0{n}.jpg" for n in range(5)]


def test_a_tally_depends_only_on_what_it_is_told_and_keeps_a_few_examples() -> None:
    told: list[tuple[str, list[Verdict]]] = []
    for number in range(300):
        severity = Severity.WARNING if number % 3 else Severity.ERROR
        rows = [diagnosis(f"{number:03}", severity=severity, rule=f"image/{severity}"), diagnosis("", "image/all")]
        told.append((f"{number:03}", [verdict_of(row) for row in rows[: 1 + number % 2]]))
    tallies = []
    for seed in range(3):
        tally = Tally()
        random.Random(seed).shuffle(told)
        for path, verdicts in told:
            tally.add(path, verdicts)
        tallies.append((tally.groups(), tally.examples(), tally.summary))
    assert tallies[0] == tallies[1] == tallies[2]
    groups, examples, summary = tallies[0]
    assert [(g.rule, g.count, g.examples) for g in groups] == [
        ("image/all", 150, ["001", "003", "005", "007", "009"]),
        ("image/error", 100, ["000", "003", "006", "009", "012"]),
        ("image/warning", 200, ["001", "002", "004", "005", "007"]),
    ]
    assert len(examples) == 15
    assert (summary.scanned, summary.errors, summary.warnings) == (300, 200, 100)


def test_a_spool_gives_the_worst_first_whatever_came_first() -> None:
    rows = [
        diagnosis("b", "image/y"), diagnosis("a", "image/y"), diagnosis("z", "image/x"),
        diagnosis("caf\udce9", "image/y"), diagnosis("a", "image/a", Severity.NOTE),
        diagnosis("a", "image/b", Severity.WARNING),
    ]  # fmt: skip
    for seed in range(3):
        random.Random(seed).shuffle(rows)
        with Spool() as spool:
            for row in rows:
                spool.add(row.subject.path, [verdict_of(row)])
                spool.add_not_checked(NotChecked(row.subject.path, row.rule))
            found = [json.loads(body) for body in spool.diagnoses()]
            missing = list(spool.not_checked())
        assert [(row["rule"], row["subject"]["path"]) for row in found] == [
            ("image/x", "z"), ("image/y", "a"), ("image/y", "b"), ("image/y", "caf\\udce9"), ("image/b", "a"),
            ("image/a", "a"),
        ]  # fmt: skip
        assert missing[0] == NotChecked("a", "image/a") and missing[-1] == NotChecked("z", "image/x")


def test_a_verdict_gives_the_diagnosis_back_with_its_very_path() -> None:
    row = diagnosis("caf\udce9\x1b/图.jpg")
    assert diagnosis_of(verdict_of(row), row.subject.path) == row


class Rows:
    """A sink that writes rows."""

    def __init__(self, rows: JsonLines | Csv) -> None:
        self.rows = rows

    def add(self, _path: str, verdicts: Sequence[Verdict]) -> None:
        for verdict in verdicts:
            self.rows.diagnosis(verdict.body)

    def add_not_checked(self, item: NotChecked) -> None:
        self.rows.not_checked(item)

    def flush(self) -> None:
        pass


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    mixed_tree(tmp_path / "data")
    (tmp_path / "data" / "=1+1\n\x1b[2J.jpg").write_bytes(b"")
    with open(bytes(tmp_path / "data") + b"/caf\xe9.jpg", "wb") as stream:
        stream.write(b"{}")
    return tmp_path / "data"


def written(book: Rulebook, tree: Path, make: Callable[[Callable[[bytes], object]], JsonLines | Csv]) -> bytes:
    buffer = io.BytesIO()
    rows = make(buffer.write)
    rows.end(scan(ScanRequest([str(tree)], jobs=2), book.rules, Rows(rows)))
    return buffer.getvalue()


def test_json_is_byte_for_byte_what_it_would_be_if_all_were_in_memory(tree: Path, book: Rulebook) -> None:
    whole = scanned(book, tree, jobs=2)
    with Spool() as spool:
        report = scan(ScanRequest([str(tree)], jobs=2), book.rules, spool)
        streamed = b"".join(json_report.stream(report, 7, spool.diagnoses(), spool.not_checked()))
    assert streamed.decode() == json_report.render(whole, 7).decode()
    document = json.loads(streamed)
    assert len(document["diagnoses"]) == len(whole.diagnoses) > len(report.diagnoses)
    assert document["not_checked"] == [{"what": str(tree / "link.jpg"), "reason": "a broken link"}]


def test_json_of_an_empty_scan_is_whole(tmp_path: Path, book: Rulebook) -> None:
    with Spool() as spool:
        report = scan(ScanRequest([str(tmp_path)]), book.rules, spool)
        document = json.loads(b"".join(json_report.stream(report, 7, spool.diagnoses(), spool.not_checked())))
    assert (document["diagnoses"], document["not_checked"], document["groups"]) == ([], [], [])


def test_jsonl_has_a_row_a_diagnosis_and_a_summary_last(tree: Path, book: Rulebook) -> None:
    whole = json.loads(json_report.render(scanned(book, tree), 7))
    lines = written(book, tree, lambda write: JsonLines(write, 7)).splitlines()
    *rows, summary = (json.loads(line) for line in lines)
    diagnoses = [row for row in rows if row.pop("type") == "diagnosis"]
    order = [json.dumps(row) for row in whole["diagnoses"]]
    assert sorted(json.dumps(row) for row in diagnoses) == sorted(order)
    assert [row for row in rows if "what" in row] == whole["not_checked"]
    assert summary.pop("type") == "summary"
    assert summary == {key: value for key, value in whole.items() if key not in ("diagnoses", "not_checked")}


def test_csv_has_a_row_a_diagnosis_with_its_place_and_is_safe_to_open(tree: Path, book: Rulebook) -> None:
    text = written(book, tree, Csv).decode("utf-8")
    heading, *rows = csv.reader(io.StringIO(text, newline=""))
    assert tuple(heading) == CSV_COLUMNS
    by_name = {Path(row[0]).name: row for row in rows}
    assert len(rows) == len(scanned(book, tree).diagnoses) + 1
    assert by_name["link.jpg"] == [str(tree / "link.jpg"), "not_checked", "", "", "", "", "", "a broken link"]
    path, severity, layer, rule, cause, where, offset, message = by_name["cut-000.jpg"]
    assert (path, severity, layer) == (str(tree / "part-0" / "cut-000.jpg"), "error", "transport")
    assert where == f"byte {offset}" and int(offset) == (tree / "part-0" / "cut-000.jpg").stat().st_size
    assert rule and cause and message
    assert not {"\x1b", "\n"} & set("".join(cell for row in rows for cell in row))


def test_csv_paths_that_a_spreadsheet_would_run_are_made_harmless() -> None:
    buffer = io.BytesIO()
    rows = Csv(buffer.write)
    for path in ("=1+1.jpg", "-x.jpg", "a=b.jpg"):
        rows.diagnosis(msgspec.json.encode(diagnosis(path)))
    assert [line.split(b",")[0] for line in buffer.getvalue().splitlines()[1:]] == [
        b"./=1+1.jpg",
        b"./-x.jpg",
        b"a=b.jpg",
    ]


def test_text_shows_groups_counts_and_what_was_left_out(tmp_path: Path, book: Rulebook) -> None:
    mixed_tree(tmp_path)
    (tmp_path / ".decodedoctorignore").write_text("part-3/  # being converted\ngone/\n")
    for number in range(9):
        (tmp_path / f"nowhere-{number}").symlink_to(tmp_path / "nothing")
    report = scan(ScanRequest([str(tmp_path)], jobs=1, sample="100%", seed="s"), book.rules)
    text = scan_text.render(report)
    assert "error · transport · 9 files" in text and "… 4 more" in text
    assert "not checked · 10" in text and "… 5 more" in text
    assert "ignored · 9\n    9 part-3/: being converted  (" in text
    assert "ignore entries that match nothing · 1\n    gone/  (" in text
    assert "sample: 40 / 40  (--seed s)" in text


def test_a_streamed_report_holds_no_more_for_more_findings(tmp_path: Path, book: Rulebook) -> None:
    for number in range(200):
        (tmp_path / f"{number:03}.jpg").write_bytes(b"<html><body>not found</body></html>")
    report = scan(ScanRequest([str(tmp_path)], jobs=1), book.rules)
    assert report.summary.errors == 200 and len(report.diagnoses) == 5
    assert plain(report)["groups"] == plain(scanned(book, tmp_path))["groups"]
