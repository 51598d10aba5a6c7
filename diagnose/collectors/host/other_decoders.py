"""What decodes or recognises other things than still images: file types, patterns, video."""

from __future__ import annotations

import shutil
import subprocess
from base64 import b64decode

from diagnose.collectors.host.facts import DECODERS, not_checked
from diagnose.collectors.host.outcomes import FAILURES, failed, not_imported, verdict
from diagnose.collectors.host.pixels import fault_in_pixels
from diagnose.collectors.host.samples import SAMPLES
from diagnose.evidence import Fact

VIDEO_WIDTH, VIDEO_HEIGHT = 64, 64
FFMPEG_SECONDS = 8


def look_at_libmagic(probe: str) -> list[Fact]:
    """Whether libmagic recognises a PNG. Without the library nothing is wrong: own signatures serve alone."""
    try:
        import magic
    except ModuleNotFoundError as error:
        return not_imported(probe, "python-magic", error)
    except ImportError as error:
        return not_checked(DECODERS, f"the library libmagic is not there ({error}): own signatures serve alone")
    try:
        seen = magic.from_buffer(b64decode(SAMPLES["pillow.png"].data), mime=True)
    except (magic.MagicException, *FAILURES) as error:
        return failed(probe, error)
    return verdict(probe, "" if seen == "image/png" else f"a PNG was recognised as {seen}")


def look_at_hyperscan(probe: str) -> list[Fact]:
    """Whether Hyperscan compiles two patterns and finds both in one pass."""
    try:
        import hyperscan
    except ImportError as error:
        return not_imported(probe, "hyperscan", error)
    found: set[int] = set()
    try:
        database = hyperscan.Database()
        database.compile(expressions=[b"can't decode byte 0x[0-9a-f]{2}", b"decode fail(ed|ure)"], ids=[1, 2])
        line = b"image decode failed: 'utf-8' codec can't decode byte 0x89"
        database.scan(line, match_event_handler=lambda pattern, *_: found.add(pattern))
    except (hyperscan.error, *FAILURES) as error:
        return failed(probe, error)
    return verdict(probe, "" if found == {1, 2} else f"of the patterns 1 and 2 it found {sorted(found) or 'none'}")


def look_at_ffmpeg(probe: str) -> list[Fact]:
    """Whether the ffmpeg on the PATH decodes one H.264 picture in software to its known pixels."""
    command = shutil.which("ffmpeg")
    if command is None:
        return not_checked(DECODERS, "ffmpeg is not on the PATH")
    sample = SAMPLES[probe]
    source = ["-v", "error", "-nostdin", "-f", "h264", "-i", "pipe:0"]
    target = ["-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "pipe:1"]
    try:
        done = subprocess.run(
            [command, *source, *target], input=b64decode(sample.data), capture_output=True, timeout=FFMPEG_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return failed(probe, error)
    if len(done.stdout) != VIDEO_WIDTH * VIDEO_HEIGHT * 3:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        return failed(probe, message[-1] if message else f"no picture came, and it ended with {done.returncode}")
    row = VIDEO_HEIGHT // 2 * VIDEO_WIDTH
    left, right = (
        tuple(done.stdout[at * 3 : at * 3 + 3]) for at in (row + VIDEO_WIDTH // 4, row + VIDEO_WIDTH * 3 // 4)
    )
    return verdict(probe, fault_in_pixels((left, right), sample))
