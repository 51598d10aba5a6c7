from __future__ import annotations

from pathlib import Path

import pytest

from diagnose.collectors import cgroup

UNLIMITED = "9223372036854771712"


class Machine:
    """A /proc/self and its control group mounts in a temporary folder."""

    def __init__(self, root: Path) -> None:
        self.proc = root / "proc"
        self.mounted = root / "cgroup"
        self.proc.mkdir()
        self.mounted.mkdir()

    def group(self, line: str) -> None:
        (self.proc / "cgroup").write_text(line + "\n", encoding="utf-8")

    def mount(self, kind: str, controllers: str, root: str = "/") -> None:
        line = f"31 23 0:28 {root} {self.mounted} rw,relatime shared:1 - {kind} cgroup rw,{controllers}\n"
        with (self.proc / "mountinfo").open("a", encoding="utf-8") as file:
            file.write(line)

    def file(self, path: str, text: str) -> None:
        target = self.mounted / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_version_2_takes_the_tightest_limit_of_the_group_and_its_parents(machine: Machine) -> None:
    machine.group("0::/user.slice/app.scope")
    machine.mount("cgroup2", "nsdelegate")
    machine.file("user.slice/app.scope/memory.max", "max")
    machine.file("user.slice/memory.max", "1073741824")

    limit = cgroup.memory_limit_bytes(machine.proc)

    assert limit is not None
    assert limit.value == 1 << 30
    assert limit.where.endswith("user.slice/memory.max")


@pytest.mark.parametrize(("written", "expected"), [("536870912", 536870912), (UNLIMITED, None)])
def test_version_1_near_2_to_the_63_is_no_limit(machine: Machine, written: str, expected: int | None) -> None:
    machine.group("4:memory:/docker/abc")
    machine.mount("cgroup", "memory")
    machine.file("docker/abc/memory.limit_in_bytes", written)

    limit = cgroup.memory_limit_bytes(machine.proc)

    assert (limit and limit.value) == expected


def test_inside_a_container_the_mount_is_the_group_although_the_path_lies_above_it(machine: Machine) -> None:
    machine.group("4:memory:/docker/abc")
    machine.mount("cgroup", "memory", root="/docker/abc")
    machine.file("memory.limit_in_bytes", "268435456")

    limit = cgroup.memory_limit_bytes(machine.proc)

    assert limit is not None
    assert limit.value == 1 << 28


@pytest.mark.parametrize(
    ("kind", "line", "files", "expected"),
    [
        ("cgroup2", "0::/a", {"a/cpu.max": "150000 100000"}, 1.5),
        ("cgroup2", "0::/a", {"a/cpu.max": "max 100000"}, None),
        ("cgroup2", "0::/a", {"a/cpu.max": ""}, None),
        ("cgroup", "1:cpu:/a", {"a/cpu.cfs_quota_us": "50000", "a/cpu.cfs_period_us": "100000"}, 0.5),
        ("cgroup", "1:cpu:/a", {"a/cpu.cfs_quota_us": "-1", "a/cpu.cfs_period_us": "100000"}, None),
        ("cgroup", "1:cpu:/a", {"a/cpu.cfs_quota_us": "50000", "a/cpu.cfs_period_us": "0"}, None),
    ],
)
def test_processor_quota(machine: Machine, kind: str, line: str, files: dict[str, str], expected: float | None) -> None:
    machine.group(line)
    machine.mount(kind, "cpu")
    for path, text in files.items():
        machine.file(path, text)

    quota = cgroup.cpu_quota(machine.proc)

    assert (quota and quota.value) == expected


def test_page_cache_that_can_be_dropped_is_not_used_memory(machine: Machine) -> None:
    machine.file("memory.current", "1000")
    machine.file("memory.stat", "anon 300\ninactive_file 600\n")

    assert cgroup.memory_used_bytes(cgroup.Limit(2000, str(machine.mounted / "memory.max"))) == 400


@pytest.mark.parametrize(
    ("groups", "mounts"), [("", ""), ("nonsense\n:::\n0::/../../etc", "nonsense - \n1 2 3 - cgroup2 x y\n - - -")]
)
def test_what_is_not_there_or_nonsense_is_no_limit(machine: Machine, groups: str, mounts: str) -> None:
    (machine.proc / "cgroup").write_text(groups, encoding="utf-8")
    (machine.proc / "mountinfo").write_text(mounts, encoding="utf-8")

    assert cgroup.memory_limit_bytes(machine.proc) is None
    assert cgroup.cpu_quota(machine.proc) is None
