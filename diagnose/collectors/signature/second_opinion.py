"""libmagic's view of a file's type, where it is installed."""

from __future__ import annotations


def ask_libmagic(head: bytes) -> tuple[str, str]:
    """The media type that libmagic sees and no reason, or no type and the reason why it could not be asked."""
    try:
        import magic
    except ImportError as error:
        return "", f"libmagic is not installed ({error})"
    try:
        return str(magic.from_buffer(head, mime=True)), ""
    except (magic.MagicException, OSError, ValueError) as error:
        return "", f"libmagic failed: {error}"
