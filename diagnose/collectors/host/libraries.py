"""Versions of libraries, read from their metadata without loading those that are heavy."""

from __future__ import annotations

import re
import shutil
import subprocess
from importlib import metadata

from diagnose.collectors.host.facts import FACTS
from diagnose.collectors.host.software import LIBRARIES, version_fact
from diagnose.evidence import Fact

PILLOW_FEATURES = {
    "libjpeg_turbo": "libjpeg_turbo",
    "libwebp": "webp",
    "libavif": "avif",
    "openjpeg": "jpg_2000",
    "libtiff": "libtiff",
}
"""A native library, and the name under which PIL.features knows it."""

FFMPEG_VERSION = re.compile(rb"ffmpeg version n?(\d+(?:\.\d+)*)")
FFMPEG_SECONDS = 5


def look_at_libraries(_probe: str) -> list[Fact]:
    """The version of each library of Python that is installed; nothing for one that is not."""
    facts = []
    for library, distributions in LIBRARIES.items():
        for distribution in distributions:
            version = installed_version(distribution)
            if version:
                facts.append(FACTS.known(version_fact(library), version, where=distribution))
                break
    return facts


def installed_version(distribution: str) -> str | None:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return None


def look_at_native_libraries(_probe: str) -> list[Fact]:
    """The versions of the libraries in C that Pillow and pillow-heif bring, and of ffmpeg."""
    return [*of_pillow(), *of_pillow_heif(), *of_ffmpeg()]


def of_pillow() -> list[Fact]:
    try:
        from PIL import features
    except ImportError:
        return []
    found = ((library, features.version(feature)) for library, feature in PILLOW_FEATURES.items())
    return [FACTS.known(version_fact(library), version, where="Pillow") for library, version in found if version]


def of_pillow_heif() -> list[Fact]:
    try:
        from pillow_heif import libheif_version
    except ImportError:
        return []
    return [FACTS.known(version_fact("libheif"), libheif_version(), where="pillow-heif")]


def of_ffmpeg() -> list[Fact]:
    """A build from a snapshot names a commit in place of a version: no fact then."""
    command = shutil.which("ffmpeg")
    if command is None:
        return []
    try:
        said = subprocess.run([command, "-version"], capture_output=True, timeout=FFMPEG_SECONDS).stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        return [FACTS.not_checked(version_fact("ffmpeg"), str(error), where=command)]
    found = FFMPEG_VERSION.match(said)
    return [FACTS.known(version_fact("ffmpeg"), found[1].decode(), where=command)] if found else []
