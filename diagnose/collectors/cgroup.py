"""Limits of the control group of this process, version 1 and 2 (Linux documentation, cgroup-v1 and cgroup-v2)."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct

UNLIMITED_BYTES = 1 << 60
"""Version 1 writes a number near 2**63 for "no limit"."""

PROC = Path("/proc/self")


class Limit(Struct, frozen=True):
    """A limit or usage, and the file that said it."""

    value: float
    where: str


class _Mount(Struct, frozen=True):
    root: str
    point: Path
    version: int
    controllers: frozenset[str]


def memory_limit_bytes(proc: Path = PROC) -> Limit | None:
    """The tightest memory limit of the control group and its parents, or None when there is none."""
    found = []
    for folder, version in _folders("memory", proc):
        name = "memory.max" if version == 2 else "memory.limit_in_bytes"
        value = _number(folder / name)
        if value is not None and value < UNLIMITED_BYTES:
            found.append(Limit(value, str(folder / name)))
    return min(found, key=lambda limit: limit.value, default=None)


def memory_used_bytes(limit: Limit) -> int | None:
    """What the control group of this limit uses now, without the page cache that can be dropped."""
    folder = Path(limit.where).parent
    used = _number(folder / "memory.current") or _number(folder / "memory.usage_in_bytes")
    if used is None:
        return None
    fields = dict(line.split(maxsplit=1) for line in _read(folder / "memory.stat").splitlines() if " " in line)
    droppable = fields.get("inactive_file") or fields.get("total_inactive_file") or "0"
    return max(0, int(used) - int(droppable)) if droppable.isdigit() else int(used)


def cpu_quota(proc: Path = PROC) -> Limit | None:
    """The tightest quota in processors (1.5 = one and a half), or None when there is none."""
    found = []
    for folder, version in _folders("cpu", proc):
        if version == 2:
            words = [*_read(folder / "cpu.max").split(), "", ""]
            quota, period, where = _positive(words[0]), _positive(words[1]), folder / "cpu.max"
        else:
            where = folder / "cpu.cfs_quota_us"
            quota, period = _number(where), _number(folder / "cpu.cfs_period_us")
        if quota and period and quota > 0:
            found.append(Limit(quota / period, str(where)))
    return min(found, key=lambda limit: limit.value, default=None)


def _folders(controller: str, proc: Path) -> list[tuple[Path, int]]:
    """The folders of this process's group for a controller, from the group itself up to the root of the mount."""
    folders: list[tuple[Path, int]] = []
    mounts = _mounts(proc)
    for line in _read(proc / "cgroup").splitlines():
        _, names, path = [*line.split(":", 2), "", ""][:3]
        version = 2 if not names else 1
        if version == 1 and controller not in names.split(","):
            continue
        for mount in mounts:
            if mount.version == version and (version == 2 or controller in mount.controllers):
                folders.extend((folder, version) for folder in _upwards(mount, path))
    return folders


def _mounts(proc: Path) -> list[_Mount]:
    """The cgroup mounts of mountinfo (proc(5): root is field 4, mount point field 5, type stands after the dash)."""
    mounts = []
    for line in _read(proc / "mountinfo").splitlines():
        before, dash, after = line.partition(" - ")
        fields, kind = before.split(), after.split()
        if dash and len(fields) >= 5 and len(kind) >= 3 and kind[0] in ("cgroup", "cgroup2"):
            version = 2 if kind[0] == "cgroup2" else 1
            mounts.append(_Mount(fields[3], Path(fields[4]), version, frozenset(kind[2].split(","))))
    return mounts


def _upwards(mount: _Mount, path: str) -> list[Path]:
    """Inside a container the path may lie above what is mounted: then the mount point itself is the group."""
    inside = path.removeprefix(mount.root) if mount.root != "/" and path.startswith(mount.root) else path
    folder = mount.point / inside.strip("/")
    if ".." in Path(inside).parts or not folder.is_dir():
        return [mount.point]
    parents = [parent for parent in folder.parents if parent == mount.point or mount.point in parent.parents]
    return [folder, *parents]


def _number(path: Path) -> float | None:
    return _positive(_read(path).strip())


def _positive(text: str) -> float | None:
    return float(text) if text.isdigit() else None


def _read(path: Path) -> str:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            return file.read(1 << 20)
    except OSError:
        return ""
