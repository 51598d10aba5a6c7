"""Codes get one name, in whichever form a program prints them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from diagnose.derivations.codes import averror_name, errno_name, exit_signal, nt_status, status_class
from diagnose.evidence import Evidence

FromLog = Callable[[str], Evidence]


@pytest.mark.parametrize(
    ("code", "signal"),
    [
        (137, "SIGKILL"), (-9, "SIGKILL"), (139, "SIGSEGV"), (-11, "SIGSEGV"), (135, "SIGBUS"), (134, "SIGABRT"),
        (132, "SIGILL"), (136, "SIGFPE"), (143, "SIGTERM"), (159, "SIGSYS"), (0, ""), (1, ""), (127, ""), (128, ""),
        (255, ""), (-255, ""),
    ],
)  # fmt: skip
def test_signals(code: int, signal: str) -> None:
    assert exit_signal(code) == signal


@pytest.mark.parametrize(
    ("code", "status"),
    [
        (3221225477, "STATUS_ACCESS_VIOLATION"),
        (-1073741819, "STATUS_ACCESS_VIOLATION"),
        (0xC0000135, "STATUS_DLL_NOT_FOUND"),
        (3221225781, "STATUS_DLL_NOT_FOUND"),
        (-1073740791, "STATUS_STACK_BUFFER_OVERRUN"),
        (3221225595, "STATUS_INVALID_IMAGE_FORMAT"),
        (1, ""),
        (2**40, ""),
    ],
)
def test_exceptions_of_windows(code: int, status: str) -> None:
    assert nt_status(code) == status


@pytest.mark.parametrize(
    ("code", "name"),
    [(12, "ENOMEM"), (-12, "ENOMEM"), (0xFFFFFFF4, "ENOMEM"), (28, "ENOSPC"), (-110, "ETIMEDOUT"), (0, ""), (5000, "")],
)
def test_error_numbers(code: int, name: str) -> None:
    assert errno_name(code) == name


@pytest.mark.parametrize(
    ("code", "name"),
    [
        (-1094995529, "AVERROR_INVALIDDATA"),
        (1094995529, "AVERROR_INVALIDDATA"),
        (-1381258232, "AVERROR_STREAM_NOT_FOUND"),
        (-1313558101, "AVERROR_UNKNOWN"),
        (-542398533, "AVERROR_EXTERNAL"),
        (-541478725, "AVERROR_EOF"),
        (-875574520, "AVERROR_HTTP_NOT_FOUND"),
        (-1128613112, "AVERROR_DECODER_NOT_FOUND"),
        (-22, ""),
        (2**63, ""),
    ],
)
def test_codes_of_ffmpeg(code: int, name: str) -> None:
    assert averror_name(code) == name


@pytest.mark.parametrize(
    ("status", "meaning"),
    [(200, "success"), (302, "redirect"), (401, "no-credentials"), (404, "missing"), (429, "too-many"),
     (451, "request"), (461, "transport-refused"), (503, "server")],
)  # fmt: skip
def test_statuses(status: int, meaning: str) -> None:
    assert status_class(status) == meaning


@pytest.mark.parametrize(
    ("text", "fact", "expected"),
    [
        ("Process finished with exit code -1073741515 (0xC0000135)", "exit_status", "STATUS_DLL_NOT_FOUND"),
        ("subprocess returned non-zero exit status 3221225477.", "exit_status", "STATUS_ACCESS_VIOLATION"),
        ("worker exited with code 0xC000007B", "exit_status", "STATUS_INVALID_IMAGE_FORMAT"),
        ("container exited with code 137", "exit_signal", "SIGKILL"),
        ("(exitcode: -9) local_rank: 0", "exit_signal", "SIGKILL"),
        ("rkvdec: iommu map failed: ret = -12", "errno", "ENOMEM"),
        ("OSError: [Errno 28] No space left on device", "errno", "ENOSPC"),
        ("OMX callback: error 0xfffffff4", "errno", "ENOMEM"),
        ("av_read_frame failed with -541478725", "averror", "AVERROR_EOF"),
        ('GET /v2/ HTTP/1.1" 429 Too Many Requests', "http_status_class", "too-many"),
        ("Server returned 404 Not Found", "http_status_class", "missing"),
        ("RTSP/1.0 461 Unsupported Transport", "http_status_class", "transport-refused"),
        ("exit code 0", "exit_signal", None),
        ("took 137 seconds", "exit_signal", None),
    ],
)
def test_codes_are_found_where_logs_state_them(text: str, fact: str, expected: str | None, from_log: FromLog) -> None:
    assert from_log(text + "\n").value(f"derived.{fact}") == expected
