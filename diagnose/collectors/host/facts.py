"""The facts that can be seen on a host, in tables of what one probe looks at."""

from __future__ import annotations

from diagnose.collectors.host.software import LIBRARIES, NATIVE_LIBRARIES, version_fact
from diagnose.evidence import Fact, FactSpec, Vocabulary

DECODERS = (
    FactSpec("host.decoder_working", "str", "a decoder that decoded its sample to the known pixels, as check names it"),
    FactSpec("host.decoder_failed", "str", "a decoder that is there but did not decode its sample; the text says why"),
)

OPEN = (
    FactSpec("host.preferred_encoding", "str", "the encoding that open() takes when none is named, as Python names it"),
    FactSpec("host.utf8_mode", "bool", "whether Python runs in UTF-8 mode (PEP 540)"),
    FactSpec("host.locale", "str", "the locale of characters (LC_CTYPE)"),
    FactSpec("host.text_variables", "strs", "the set variables that decide on encodings, such as LANG=C"),
)

STANDARD_OUTPUT = (FactSpec("host.stdout_encoding", "str", "the encoding of standard output"),)

FILE_NAMES = (
    FactSpec("host.filesystem_encoding", "str", "the encoding of file names, arguments and environment variables"),
)

MEMORY = (
    FactSpec("host.memory_total_bytes", "int", "memory of the machine", "bytes"),
    FactSpec("host.memory_available_bytes", "int", "memory that could be had now without swapping", "bytes"),
    FactSpec("host.memory_limit_bytes", "int", "the limit of this process's control group; absent: none", "bytes"),
    FactSpec("host.memory_usable_bytes", "int", "the smaller of available memory and what the limit leaves", "bytes"),
    FactSpec("host.swap_total_bytes", "int", "swap space of the machine", "bytes"),
    FactSpec("host.address_space_limit_bytes", "int", "RLIMIT_AS of this process; absent: none", "bytes"),
)

SHARED_MEMORY = (
    FactSpec(
        "host.shm_total_bytes", "int", "size of /dev/shm, through which data loader workers pass tensors", "bytes"
    ),
    FactSpec("host.shm_free_bytes", "int", "free space in /dev/shm", "bytes"),
)

OPEN_FILES = (FactSpec("host.open_files_limit", "int", "soft limit of open files of this process (RLIMIT_NOFILE)"),)

PROCESSORS = (
    FactSpec("host.cpu_count", "int", "processors of the machine"),
    FactSpec("host.cpu_usable", "float", "processors that this process may use (affinity and control group quota)"),
)

DISK = (
    FactSpec("host.disk_free_bytes", "int", "free space for this user where the path lies", "bytes"),
    FactSpec("host.disk_total_bytes", "int", "size of the file system where the path lies", "bytes"),
    FactSpec("host.inodes_free", "int", "files that can still be created where the path lies"),
    FactSpec("host.disk_read_only", "bool", "whether the file system where the path lies is mounted read-only"),
)

PYTHON = (
    FactSpec("host.python_version", "version", "version of the Python that runs this program"),
    FactSpec("host.python_implementation", "str", "CPython, PyPy ..."),
    FactSpec("host.bits", "int", "width of a pointer of this Python", "bits"),
)

SYSTEM = (
    FactSpec("host.system", "str", "name of the operating system: Linux, Darwin, Windows"),
    FactSpec("host.system_release", "str", "release of the operating system or its kernel"),
    FactSpec("host.machine", "str", "architecture of the processor as the system names it, such as aarch64"),
    FactSpec("host.libc", "str", "the C library and its version, such as glibc 2.36"),
    FactSpec("host.container", "str", "the kind of container that this process runs in; absent: none was noticed"),
)

CONTAINERS = (
    FactSpec("host.docker_command", "str", "path of the docker command"),
    FactSpec("host.docker_engine_version", "version", "version of the container engine that answered"),
    FactSpec("host.docker_engine_unreachable", "str", "why the container engine did not answer although it is set up"),
)

DEVICES = (
    FactSpec("host.device_nodes", "strs", "device nodes of accelerators, graphics processors and video hardware"),
    FactSpec("host.device_nodes_denied", "strs", "those device nodes that this user may not read and write"),
)

PYTHON_LIBRARIES = tuple(
    FactSpec(version_fact(name), "version", f"version of {name} that is installed") for name in LIBRARIES
)

NATIVE = tuple(
    FactSpec(version_fact(name), "version", f"version of {name} that is bundled or installed")
    for name in NATIVE_LIBRARIES
)

FACTS = Vocabulary(
    "host",
    *DECODERS,
    *OPEN,
    *STANDARD_OUTPUT,
    *FILE_NAMES,
    *MEMORY,
    *SHARED_MEMORY,
    *OPEN_FILES,
    *PROCESSORS,
    *DISK,
    *PYTHON,
    *SYSTEM,
    *PYTHON_LIBRARIES,
    *NATIVE,
    *CONTAINERS,
    *DEVICES,
)


def not_checked(specs: tuple[FactSpec, ...], reason: str, where: str = "") -> list[Fact]:
    """All facts of a table as not checked for one reason."""
    return [FACTS.not_checked(spec.name, reason, where) for spec in specs]
