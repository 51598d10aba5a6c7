"""Decoders that crash, hang or want too much cost one file each; Ctrl-C and lost workers do not cost the report."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from scan_samples import jpeg, plain, scanned

from diagnose.collectors import cgroup
from diagnose.diagnosis import NotChecked
from diagnose.pipelines.rulebook import Rulebook
from diagnose.pipelines.scan import ScanRequest, pool, scan, scan_whole
from diagnose.pipelines.scan.confinement import MEMORY_SHARE, MIN_MEMORY_BYTES, WRITTEN_FILE_BYTES, memory_limit
from diagnose.pipelines.scan.errors import ScanError
from diagnose.pipelines.scan.run import available_processors
from diagnose.pipelines.scan.verdict import BatchResult, FileResult, Verdict, pack_batch

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals are POSIX")


def really(paths: Sequence[str]) -> bytes:
    from diagnose.pipelines.scan.worker import examine

    return examine(paths)


def crash(paths: Sequence[str]) -> bytes:
    if any(path.endswith("bad.jpg") for path in paths):
        os.abort()
    return really(paths)


def hang(paths: Sequence[str]) -> bytes:
    if any(path.endswith("bad.jpg") for path in paths):
        time.sleep(60)
    return really(paths)


def die_once(paths: Sequence[str]) -> bytes:
    marker = Path(paths[0]).parent.with_suffix(".killed")
    if not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return really(paths)


def remove_first(paths: Sequence[str]) -> bytes:
    for path in paths:
        if path.endswith("gone.jpg"):
            os.unlink(path)
    return really(paths)


def tell_threads(_paths: Sequence[str]) -> bytes:
    """How many threads the process has once a library for numbers is loaded."""
    import numpy

    threads = len(os.listdir("/proc/self/task"))
    return pack_batch(BatchResult(1, 0.1, [FileResult(0, not_checked=f"{numpy.__name__} {threads}")]))


def slowly(paths: Sequence[str]) -> bytes:
    """A worker that stops after the first file of each batch."""
    return pack_batch(BatchResult(1, 0.3, [FileResult(0, not_checked=Path(paths[0]).name)]))


@posix_only
@pytest.mark.parametrize(
    ("decoder", "rule"), [(crash, "image/decoder-crashes"), (hang, "image/decoder-hangs")], ids=["crash", "hang"]
)
def test_a_decoder_that_crashes_or_hangs_costs_one_file(
    tmp_path: Path,
    book: Rulebook,
    monkeypatch: pytest.MonkeyPatch,
    decoder: Callable[[Sequence[str]], bytes],
    rule: str,
) -> None:
    data = jpeg(tmp_path / "bad.jpg")
    for number in range(12):
        (tmp_path / f"{number:02}.jpg").write_bytes(data)
    monkeypatch.setattr(pool, "examine", decoder)
    report = scanned(book, tmp_path, jobs=2, file_seconds=1.5)
    assert [(Path(d.subject.path).name, d.rule) for d in report.diagnoses] == [("bad.jpg", rule)]
    assert (report.summary.scanned, report.summary.not_checked) == (13, 0)


@posix_only
def test_a_crash_names_the_signal(tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch) -> None:
    jpeg(tmp_path / "bad.jpg")
    monkeypatch.setattr(pool, "examine", crash)
    (found,) = scanned(book, tmp_path).diagnoses
    assert ("decoder.crashed", "SIGABRT") in [(item.fact, item.value) for item in found.evidence]


@posix_only
def test_a_worker_that_is_killed_from_outside_costs_nothing(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    jpeg(tmp_path / "data" / "good.jpg")
    monkeypatch.setattr(pool, "examine", die_once)
    report = scanned(book, tmp_path / "data")
    assert (tmp_path / "data.killed").exists()
    assert (report.summary.scanned, report.diagnoses, report.not_checked) == (1, [], [])


def test_a_script_that_scans_at_its_top_level_scans_once_and_is_not_imported_by_workers(tmp_path: Path) -> None:
    jpeg(tmp_path / "data" / "a.jpg")
    script = tmp_path / "script.py"
    script.write_text(
        f"print('began', __name__)\nimport diagnose\nprint(diagnose.scan({str(tmp_path / 'data')!r}).summary.scanned)\n"
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("began __main__\n1\n", "")


HANGING = """
import sys
sys.path.insert(0, {tests!r})
import test_scan_workers as workers
from diagnose.pipelines.rulebook import rulebook
workers.pool.examine = workers.hang
workers.scanned(rulebook(with_patterns=False), workers.Path({data!r}))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs prctl and /proc")
def test_a_decoder_that_hangs_does_not_outlive_a_scan_that_is_killed(tmp_path: Path) -> None:
    jpeg(tmp_path / "bad.jpg")
    program = HANGING.format(tests=str(Path(__file__).parent), data=str(tmp_path))
    process = subprocess.Popen([sys.executable, "-c", program])
    assert until(lambda: any(map(is_confined, children(process.pid))))
    workers = children(process.pid)
    process.kill()
    process.wait()
    assert until(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers))


def children(process: int) -> list[int]:
    found: list[int] = []
    for task in Path("/proc").glob(f"{process}/task/*/children"):
        try:
            below = task.read_text().split()
        except OSError:  # the thread has ended since
            continue
        for child in below:
            found += [int(child), *children(int(child))]
    return found


def is_confined(process: int) -> bool:
    """Whether it is a worker that has begun: it may write files of so much and no more."""
    limits = Path(f"/proc/{process}/limits").read_text()
    return str(WRITTEN_FILE_BYTES) in next(line for line in limits.splitlines() if line.startswith("Max file size"))


def until(condition: Callable[[], bool], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.05)
    return condition()


def test_what_a_worker_had_no_time_for_is_given_out_again(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"{number:02}" for number in range(20)]
    for name in names:
        (tmp_path / name).touch()
    monkeypatch.setattr(pool, "examine", slowly)
    report = scanned(book, tmp_path, jobs=2)
    assert [item.reason for item in report.not_checked] == names


@posix_only
def test_workers_that_cannot_live_end_the_scan_with_an_error(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    jpeg(tmp_path / "a.jpg")
    monkeypatch.setattr(pool, "start", end_at_once)
    with pytest.raises(ScanError, match="end as soon as they start"):
        scanned(book, tmp_path)


def end_at_once(*_: object) -> None:
    os._exit(3)


def test_files_that_vanish_or_cannot_be_read_are_not_checked(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    jpeg(tmp_path / "good.jpg")
    (tmp_path / "list").write_text(f"{tmp_path}/good.jpg\n{tmp_path}/gone.jpg\n{tmp_path}/fifo\n")
    os.mkfifo(tmp_path / "fifo")
    request = ScanRequest(files_from=str(tmp_path / "list"), jobs=1)
    report = scan_whole(request, book.rules)
    told = [(Path(item.what).name, item.reason) for item in report.not_checked]
    assert told == [("fifo", "a FIFO, never opened"), ("gone.jpg", "No such file or directory")]
    assert report.summary.scanned == 1


def test_a_file_that_vanishes_after_it_was_listed_is_not_checked(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    jpeg(tmp_path / "good.jpg")
    jpeg(tmp_path / "gone.jpg")
    monkeypatch.setattr(pool, "examine", remove_first)
    report = scanned(book, tmp_path)
    assert [(Path(item.what).name, item.reason) for item in report.not_checked] == [
        ("gone.jpg", "No such file or directory")
    ]
    assert (report.summary.scanned, report.summary.errors) == (1, 0)


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_not_checked(tmp_path: Path, book: Rulebook) -> None:
    jpeg(tmp_path / "secret.jpg")
    (tmp_path / "secret.jpg").chmod(0)
    assert [item.reason for item in scanned(book, tmp_path).not_checked] == ["Permission denied"]


@pytest.mark.parametrize(("quota", "most"), [(None, 1 << 20), (0.5, 1), (1.5, 2)])
def test_a_container_s_share_of_the_processors_bounds_the_workers(
    quota: float | None, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    limit = None if quota is None else cgroup.Limit(quota, "cpu.max")
    monkeypatch.setattr(cgroup, "cpu_quota", lambda: limit)
    processors = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    assert available_processors() == min(processors, most)


def test_a_container_s_memory_is_shared_out_among_the_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "memory_limit_bytes", lambda: cgroup.Limit(4 << 30, "memory.max"))
    assert [memory_limit(jobs) for jobs in (1, 8)] == [int((4 << 30) * MEMORY_SHARE), MIN_MEMORY_BYTES]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs /proc")
def test_libraries_start_no_threads_of_their_own_in_a_worker(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    jpeg(tmp_path / "a.jpg")
    monkeypatch.setattr(pool, "examine", tell_threads)
    assert [item.reason for item in scanned(book, tmp_path).not_checked] == ["numpy 1"]


def test_names_that_are_not_utf_8_are_scanned(tmp_path: Path, book: Rulebook) -> None:
    name = os.path.join(os.fsencode(tmp_path), b"caf\xe9\x1b[2J\n.jpg")
    with open(name, "wb") as stream:
        stream.write(b"<html>no picture</html>")
    report = scanned(book, tmp_path)
    assert report.summary.errors == 1
    assert os.fsencode(report.diagnoses[0].subject.path) == name
    assert os.fsencode(report.groups[0].examples[0]) == name


def test_a_file_larger_than_a_worker_s_memory_is_mapped(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pool, "memory_limit", lambda _jobs: 1 << 30)
    with (tmp_path / "large.safetensors").open("wb") as stream:
        stream.write((2).to_bytes(8, "little") + b"{}")
        stream.truncate(3 << 30)
    report = scanned(book, tmp_path)
    assert (report.summary.scanned, report.not_checked) == (1, [])


class InterruptingSink:
    """Presses Ctrl-C at the first finding."""

    def __init__(self) -> None:
        self.found: list[str] = []
        self.at = 0.0

    def add(self, path: str, _verdicts: Sequence[Verdict]) -> None:
        if not self.found:
            self.at = time.monotonic()
            os.kill(os.getpid(), signal.SIGINT)
        self.found.append(path)

    def add_not_checked(self, item: NotChecked) -> None:
        self.found.append(item.what)

    def flush(self) -> None:
        pass


@posix_only
def test_ctrl_c_ends_the_scan_even_while_a_decoder_hangs(
    tmp_path: Path, book: Rulebook, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "00.jpg").write_bytes(b"<html></html>")
    jpeg(tmp_path / "bad.jpg")
    monkeypatch.setattr(pool, "examine", hang)
    sink = InterruptingSink()
    report = scan(ScanRequest([str(tmp_path)], jobs=1), book.rules, sink)
    assert time.monotonic() - sink.at < 3  # a second on an idle machine
    assert report.interrupted and report.summary.scanned == 1 and len(report.diagnoses) == 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_scan_may_run_outside_the_main_thread(tmp_path: Path, book: Rulebook) -> None:
    (tmp_path / "page.jpg").write_bytes(b"<html></html>")
    reports = []
    thread = threading.Thread(target=lambda: reports.append(scanned(book, tmp_path)))
    thread.start()
    thread.join(timeout=60)
    assert plain(reports[0]) == plain(scanned(book, tmp_path))
