"""Numbers that stand for something: how a process ended, error numbers, FFmpeg's codes, status codes.

Programs print the same code as 137, -9 or `SIGKILL`, as 3221225477, -1073741819 or 0xC0000005. Here each gets one name.
"""

from __future__ import annotations

import re

from diagnose.derivations.stated import add
from diagnose.evidence import Evidence, Fact

SIGNALS = {
    1: "SIGHUP", 2: "SIGINT", 3: "SIGQUIT", 4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE",
    9: "SIGKILL", 11: "SIGSEGV", 13: "SIGPIPE", 14: "SIGALRM", 15: "SIGTERM", 24: "SIGXCPU", 25: "SIGXFSZ",
    31: "SIGSYS",
}  # fmt: skip
"""Signals of Linux on x86 and ARM (man 7 signal). A shell reports 128 + the number, Python the negative number."""

NT_STATUS = {
    0x80000003: "STATUS_BREAKPOINT",
    0xC0000005: "STATUS_ACCESS_VIOLATION",
    0xC0000006: "STATUS_IN_PAGE_ERROR",
    0xC0000017: "STATUS_NO_MEMORY",
    0xC000001D: "STATUS_ILLEGAL_INSTRUCTION",
    0xC0000022: "STATUS_ACCESS_DENIED",
    0xC000007B: "STATUS_INVALID_IMAGE_FORMAT",
    0xC0000094: "STATUS_INTEGER_DIVIDE_BY_ZERO",
    0xC00000FD: "STATUS_STACK_OVERFLOW",
    0xC000012D: "STATUS_COMMITMENT_LIMIT",
    0xC0000135: "STATUS_DLL_NOT_FOUND",
    0xC0000138: "STATUS_ORDINAL_NOT_FOUND",
    0xC0000139: "STATUS_ENTRYPOINT_NOT_FOUND",
    0xC000013A: "STATUS_CONTROL_C_EXIT",
    0xC0000142: "STATUS_DLL_INIT_FAILED",
    0xC0000374: "STATUS_HEAP_CORRUPTION",
    0xC0000409: "STATUS_STACK_BUFFER_OVERRUN",
    0xC0000417: "STATUS_INVALID_CRUNTIME_PARAMETER",
    0xC000041D: "STATUS_FATAL_USER_CALLBACK_EXCEPTION",
    0xC06D007E: "DELAY_LOAD_MODULE_NOT_FOUND",
    0xC06D007F: "DELAY_LOAD_PROCEDURE_NOT_FOUND",
    0xE06D7363: "CPP_EXCEPTION",
}
"""How Windows ends a process, by exit code (MS-ERREF section 2.3.1; the last three of Visual C++)."""

ERRNO = {
    1: "EPERM", 2: "ENOENT", 3: "ESRCH", 4: "EINTR", 5: "EIO", 6: "ENXIO", 7: "E2BIG", 8: "ENOEXEC", 9: "EBADF",
    11: "EAGAIN", 12: "ENOMEM", 13: "EACCES", 14: "EFAULT", 16: "EBUSY", 17: "EEXIST", 18: "EXDEV", 19: "ENODEV",
    20: "ENOTDIR", 21: "EISDIR", 22: "EINVAL", 23: "ENFILE", 24: "EMFILE", 25: "ENOTTY", 26: "ETXTBSY", 27: "EFBIG",
    28: "ENOSPC", 29: "ESPIPE", 30: "EROFS", 31: "EMLINK", 32: "EPIPE", 33: "EDOM", 34: "ERANGE", 36: "ENAMETOOLONG",
    38: "ENOSYS", 61: "ENODATA", 62: "ETIME", 71: "EPROTO", 74: "EBADMSG", 75: "EOVERFLOW", 84: "EILSEQ",
    88: "ENOTSOCK", 95: "EOPNOTSUPP", 98: "EADDRINUSE", 99: "EADDRNOTAVAIL", 101: "ENETUNREACH", 103: "ECONNABORTED",
    104: "ECONNRESET", 105: "ENOBUFS", 110: "ETIMEDOUT", 111: "ECONNREFUSED", 113: "EHOSTUNREACH", 116: "ESTALE",
    117: "EUCLEAN", 121: "EREMOTEIO", 122: "EDQUOT", 125: "ECANCELED",
}  # fmt: skip
"""Error numbers of Linux (asm-generic/errno-base.h and errno.h)."""

AVERROR_NAMES = {
    "INDA": "AVERROR_INVALIDDATA", "EOF ": "AVERROR_EOF", "EXT ": "AVERROR_EXTERNAL", "EXIT": "AVERROR_EXIT",
    "BUG!": "AVERROR_BUG", "BUG ": "AVERROR_BUG2", "BUFS": "AVERROR_BUFFER_TOO_SMALL", "PAWE": "AVERROR_PATCHWELCOME",
    "UNKN": "AVERROR_UNKNOWN", "\xf8BSF": "AVERROR_BSF_NOT_FOUND", "\xf8DEC": "AVERROR_DECODER_NOT_FOUND",
    "\xf8DEM": "AVERROR_DEMUXER_NOT_FOUND", "\xf8ENC": "AVERROR_ENCODER_NOT_FOUND",
    "\xf8FIL": "AVERROR_FILTER_NOT_FOUND", "\xf8MUX": "AVERROR_MUXER_NOT_FOUND",
    "\xf8OPT": "AVERROR_OPTION_NOT_FOUND", "\xf8PRO": "AVERROR_PROTOCOL_NOT_FOUND",
    "\xf8STR": "AVERROR_STREAM_NOT_FOUND", "\xf8400": "AVERROR_HTTP_BAD_REQUEST",
    "\xf8401": "AVERROR_HTTP_UNAUTHORIZED", "\xf8403": "AVERROR_HTTP_FORBIDDEN", "\xf8404": "AVERROR_HTTP_NOT_FOUND",
    "\xf8429": "AVERROR_HTTP_TOO_MANY_REQUESTS", "\xf84XX": "AVERROR_HTTP_OTHER_4XX",
    "\xf85XX": "AVERROR_HTTP_SERVER_ERROR",
}  # fmt: skip
"""Error tags of libavutil/error.h: four characters, the first in the lowest byte, the whole negated."""

STATUS_CLASSES = {
    401: "no-credentials", 403: "forbidden", 404: "missing", 407: "proxy-credentials", 408: "timed-out",
    410: "missing", 413: "too-large", 415: "wrong-type", 416: "range", 429: "too-many", 453: "bandwidth",
    454: "session", 461: "transport-refused",
}  # fmt: skip
"""What a status means for whoever fetches something (RFC 9110; 453 to 461 RTSP, RFC 7826)."""


def derive(evidence: Evidence) -> None:
    """Adds the names of the codes that the log states."""
    for fact in evidence.known("log.exit_code"):
        _ended(evidence, fact)
    for fact in evidence.known("log.error_number"):
        number = _integer(fact)
        name = errno_name(number) if number is not None else ""
        if name:
            add(evidence, "derived.errno", name, fact, fact.text)
    for fact in evidence.known("log.ffmpeg_code"):
        number = _integer(fact)
        name = averror_name(number) if number is not None else ""
        if name:
            add(evidence, "derived.averror", name, fact, fact.text)
    for fact in evidence.known("log.http_status"):
        number = _integer(fact)
        if number is not None and 100 <= number < 600:
            add(evidence, "derived.http_status_class", status_class(number), fact, fact.text)


def _ended(evidence: Evidence, fact: Fact) -> None:
    number = _integer(fact)
    if number is None:
        return
    signal, status = exit_signal(number), nt_status(number)
    if signal:
        add(evidence, "derived.exit_signal", signal, fact, fact.text)
    elif status:
        add(evidence, "derived.exit_status", status, fact, fact.text)


def exit_signal(code: int) -> str:
    """The signal that ended a process: of 128 + n (a shell, a container) or -n (Python), or "" for another code."""
    if 128 < code < 192:
        return SIGNALS.get(code - 128, "")
    return SIGNALS.get(-code, "") if -64 < code < 0 else ""


def nt_status(code: int) -> str:
    """The name of a Windows exception that ended a process, from its signed or unsigned 32-bit code, or ""."""
    return NT_STATUS.get(code & 0xFFFFFFFF, "") if -(1 << 31) <= code < 1 << 32 else ""


def errno_name(code: int) -> str:
    """The name of an error number, or of its negative, also read as unsigned 32 bits (0xfffffff4)."""
    if (1 << 32) - 4096 <= code < 1 << 32:
        code -= 1 << 32
    return ERRNO.get(abs(code), "")


def averror_name(code: int) -> str:
    """The name of an FFmpeg error code of either sign, or "". -1094995529 = AVERROR_INVALIDDATA (tag `INDA`)."""
    tag = abs(code).to_bytes(8, "little")[:4].decode("latin-1") if abs(code) < 1 << 32 else ""
    return AVERROR_NAMES.get(tag, "")


def status_class(status: int) -> str:
    """What an HTTP or RTSP status means: success, redirect, missing, forbidden, server, ..."""
    if status in STATUS_CLASSES:
        return STATUS_CLASSES[status]
    return {1: "informational", 2: "success", 3: "redirect", 4: "request"}.get(status // 100, "server")


def _integer(fact: Fact) -> int | None:
    """The number of a code as it is printed: decimal or hexadecimal, with its sign."""
    found = re.fullmatch(r"(-?)(0x)?([0-9a-f]{1,20})", str(fact.value).strip().lower())
    if found is None or (found.group(2) is None and not found.group(3).isdigit()):
        return None
    number = int(found.group(3), 16 if found.group(2) else 10)
    return -number if found.group(1) else number
