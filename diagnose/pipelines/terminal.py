"""A command on a terminal of its own, joined to ours: what is typed goes in, what it prints comes out untouched."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import selectors
import signal
import sys
import termios
import tty
from collections.abc import Iterator, Sequence

from diagnose.pipelines.live import PIECE_BYTES, Feed


def run_on_terminal(command: Sequence[str], feed: Feed) -> int:
    """The command's exit status, negative for a signal. Raises OSError if it cannot be started."""
    error_read, error_write = os.pipe()
    process_id, terminal = pty.fork()
    if process_id == 0:
        _become(command, error_write)
    os.close(error_write)
    problem = os.read(error_read, 64)
    os.close(error_read)
    if problem:
        os.waitpid(process_id, 0)
        os.close(terminal)
        raise OSError(int(problem), os.strerror(int(problem)), command[0])
    _copy_size(terminal)
    with _raw_input(), _followed_size(terminal):
        _join(terminal, feed)
    _, status = os.waitpid(process_id, 0)
    os.close(terminal)
    return os.waitstatus_to_exitcode(status)


def _become(command: Sequence[str], error_write: int) -> None:
    """In the child: becomes the command, or tells the parent why it cannot."""
    os.set_inheritable(error_write, False)
    try:
        os.execvp(command[0], list(command))  # noqa: S606
    except OSError as error:
        os.write(error_write, str(error.errno).encode())
    os._exit(127)


def _join(terminal: int, feed: Feed) -> None:
    """Copies both ways until the command's side of the terminal is closed."""
    with selectors.DefaultSelector() as selector:
        selector.register(terminal, selectors.EVENT_READ)
        selector.register(sys.stdin.fileno(), selectors.EVENT_READ)
        while True:
            for key, _ in selector.select():
                try:
                    piece = os.read(key.fd, PIECE_BYTES)
                except OSError:  # Linux gives EIO once the last process has closed its side
                    piece = b""
                if key.fd == terminal:
                    if not piece:
                        return
                    os.write(sys.stdout.fileno(), piece)
                    feed.put(piece)
                elif piece:
                    os.write(terminal, piece)
                else:
                    selector.unregister(key.fd)


@contextlib.contextmanager
def _raw_input() -> Iterator[None]:
    """Keys go to the command's terminal unread, Ctrl-C among them: it makes the signal there."""
    descriptor = sys.stdin.fileno()
    before = termios.tcgetattr(descriptor)
    try:
        tty.setraw(descriptor)
        yield
    finally:
        termios.tcsetattr(descriptor, termios.TCSADRAIN, before)


@contextlib.contextmanager
def _followed_size(terminal: int) -> Iterator[None]:
    before = signal.signal(signal.SIGWINCH, lambda *_: _copy_size(terminal))
    try:
        yield
    finally:
        signal.signal(signal.SIGWINCH, before)


def _copy_size(terminal: int) -> None:
    try:
        size = fcntl.ioctl(sys.stdout.fileno(), termios.TIOCGWINSZ, bytes(8))
        fcntl.ioctl(terminal, termios.TIOCSWINSZ, size)
    except OSError:
        return
