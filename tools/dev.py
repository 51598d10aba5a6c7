"""Sets up what a developer or a newcomer needs, in .venv of this checkout, and runs it. Needs only Python 3.11.

python3 tools/dev.py demo     scan a small broken data set and explain a log
python3 tools/dev.py test     style, types, import order, rules, tests with coverage
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import venv
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
BIN = VENV / ("Scripts" if os.name == "nt" else "bin")
STAMP = VENV / "installed-for"


def main() -> int:
    if sys.version_info < (3, 11):  # noqa: UP036  (this runs before anything has checked it)
        return fail(f"Python 3.11 or newer is needed, this is {sys.version.split()[0]}")
    name = sys.argv[1] if len(sys.argv) == 2 else ""
    if name not in COMMANDS:
        return fail(f"usage: python3 tools/dev.py {'|'.join(COMMANDS)}")
    os.chdir(ROOT)
    try:
        set_up(extras="" if name == "demo" else "dev")
        return COMMANDS[name]()
    except subprocess.CalledProcessError as error:
        return fail(f"{' '.join(map(str, error.cmd))} ended with status {error.returncode}")
    except KeyboardInterrupt:
        return fail("interrupted")


def fail(message: str) -> int:
    print(message, file=sys.stderr)
    return 1


def set_up(extras: str) -> None:
    """The virtual environment with this checkout in it, made anew only where pyproject.toml has changed."""
    wanted = {hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest(), f"extras={extras}"}
    present = set(STAMP.read_text().split()) if STAMP.exists() else set()
    if wanted <= present or (extras == "" and wanted - {"extras="} <= present):
        return
    print("setting up .venv (once; a minute or two) ...", flush=True)
    if not (BIN / ("python.exe" if os.name == "nt" else "python")).exists():
        try:
            venv.create(VENV, with_pip=True)
        except subprocess.CalledProcessError:
            raise SystemExit(
                f"{sys.executable} cannot make virtual environments: its pip is packed apart. "
                "On Debian and Ubuntu: apt-get install python3-venv"
            ) from None
    package = f".[{extras}]" if extras else "."
    run("python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-e", package)
    STAMP.write_text("\n".join(sorted(wanted)))


def run(program: str, *arguments: str, allowed: tuple[int, ...] = (0,)) -> None:
    """Runs a program of .venv. Raises CalledProcessError where its status is none of `allowed`."""
    command = [str(BIN / program), *arguments]
    status = subprocess.run(command, check=False).returncode
    if status not in allowed:
        raise subprocess.CalledProcessError(status, [program, *arguments])


def demo() -> int:
    for arguments in (("scan", "fixtures/dataset"), ("explain", "fixtures/logs/docker-pull-referrers.log")):
        print(f"\n$ decodedoctor {' '.join(arguments)}\n", flush=True)
        run("decodedoctor", *arguments, allowed=(0, 1))
    return 0


def test() -> int:
    lint()
    run("python", "-m", "pytest", "-n", "2", "--cov", "--cov-report=term:skip-covered")
    return 0


def lint() -> int:
    run("ruff", "check", ".")
    run("ruff", "format", "--check", ".")
    run("mypy")
    run("lint-imports")
    run("decodedoctor", "rules", "lint", "--strict")
    return 0


def tidy() -> int:
    run("ruff", "check", "--fix", "--quiet", ".", allowed=(0, 1))
    run("ruff", "format", ".")
    run("python", "docs/generate.py")
    return 0


def bench() -> int:
    for script in sorted((ROOT / "benchmarks").glob("*.py")):
        print(f"\n== {script.name}", flush=True)
        run("python", str(script))
    return 0


COMMANDS: dict[str, Callable[[], int]] = {"demo": demo, "test": test, "lint": lint, "tidy": tidy, "bench": bench}

if __name__ == "__main__":
    sys.exit(main())
