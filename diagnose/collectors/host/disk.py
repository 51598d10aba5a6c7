"""Disk space and inodes where decoding reads, caches and unpacks."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path

from diagnose.collectors.host.facts import DISK, FACTS, not_checked
from diagnose.evidence import Fact


def look_at_working_folder(_probe: str) -> list[Fact]:
    """Space in bytes and inodes of the current folder."""
    return space(Path.cwd())


def look_at_temporary_folder(_probe: str) -> list[Fact]:
    """Space in bytes and inodes of the folder for temporary files."""
    return space(Path(tempfile.gettempdir()))


def look_at_hugging_face_cache(_probe: str) -> list[Fact]:
    """Space in bytes and inodes of the Hugging Face cache, where HF_HUB_CACHE or HF_HOME puts it."""
    home = os.environ.get("HF_HOME") or Path.home() / ".cache" / "huggingface"
    return space(Path(os.environ.get("HF_HUB_CACHE") or home))


def look_at_docker_folder(_probe: str) -> list[Fact]:
    """Space in bytes and inodes of the folder in which Docker keeps images on Linux."""
    return space(Path("/var/lib/docker"))


def space(folder: Path) -> list[Fact]:
    """What is left where `folder` lies; a folder that is not there or not readable is not checked."""
    where = str(folder)
    try:
        usage = shutil.disk_usage(folder)
    except OSError as error:
        return not_checked(DISK, f"{where}: {error.strerror}", where)
    facts = [
        FACTS.known("host.disk_free_bytes", usage.free, where),
        FACTS.known("host.disk_total_bytes", usage.total, where),
    ]
    return facts + (of_file_system(folder, where) if hasattr(os, "statvfs") else [])


def of_file_system(folder: Path, where: str) -> list[Fact]:
    """File systems that make inodes as they need them (btrfs, vfat) report none at all: no fact then."""
    system = os.statvfs(folder)
    facts = [FACTS.known("host.disk_read_only", bool(system.f_flag & os.ST_RDONLY), where)]
    if system.f_files:
        facts.append(FACTS.known("host.inodes_free", system.f_favail, where))
    return facts
