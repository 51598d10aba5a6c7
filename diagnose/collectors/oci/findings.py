"""Findings on many pieces of content, gathered into one fact each."""

from __future__ import annotations

from collections.abc import Iterator

from diagnose.collectors.oci import digest as digests
from diagnose.collectors.oci import media_types
from diagnose.collectors.oci.content import Blob
from diagnose.collectors.oci.document import Descriptor
from diagnose.collectors.oci.facts import FACTS
from diagnose.evidence import Fact

_SHOWN = 3
_COMPRESSIONS = ("gzip", "zstd", "xz", "bzip2", "tar")


class Findings:
    """Which digests are missing, mismatched and so on. Each is counted once, where it was first seen."""

    def __init__(self) -> None:
        self._digests: dict[str, dict[str, str]] = {}
        self._where: dict[str, str] = {}
        self._reasons: dict[str, tuple[str, str]] = {}
        self._compressions: dict[str, str] = {}
        self.checked = 0

    def note(self, name: str, digest: str, where: str, text: str = "") -> None:
        self._digests.setdefault(name, {}).setdefault(digest, text)
        self._where.setdefault(name, where)

    def note_not_checked(self, name: str, reason: str, where: str) -> None:
        self._reasons.setdefault(name, (reason, where))

    def note_body(self, descriptor: Descriptor, body: bytes, where: str) -> None:
        """Compares content that was read whole with its descriptor."""
        self.checked += 1
        if 0 <= descriptor.size_bytes != len(body):
            self._note_size(descriptor, len(body), where)
        if not digests.matches(body, descriptor.digest):
            self.note("oci.blob.digest_mismatch", descriptor.digest, where, f"it is {digests.digest_of(body)}")

    def note_blob(self, descriptor: Descriptor, blob: Blob) -> None:
        """Compares what was seen of a blob with its descriptor."""
        if blob.not_checked:
            self.note_not_checked("oci.blob.missing", blob.not_checked, blob.where)
            return
        self.checked += 1
        if blob.missing:
            self.note("oci.blob.missing", descriptor.digest, blob.where)
        elif blob.refused:
            self.note("oci.blob.refused", descriptor.digest, blob.where, blob.refused)
        else:
            self._note_seen(descriptor, blob)

    def facts(self) -> Iterator[Fact]:
        """One fact for each kind of finding, and why something could not be looked at."""
        yield FACTS.known("oci.blob.checked", self.checked)
        for name, found in self._digests.items():
            texts = [f"{digest[:19]}: {text}" for digest, text in found.items() if text][:_SHOWN]
            yield FACTS.known(name, list(found), self._where[name], "; ".join(texts))
        for name, (reason, where) in self._reasons.items():
            yield FACTS.not_checked(name, reason, where)
        if self._compressions:
            yield FACTS.known(
                "oci.layer.compressions", list(self._compressions), next(iter(self._compressions.values()))
            )

    def _note_seen(self, descriptor: Descriptor, blob: Blob) -> None:
        if blob.size_bytes is not None and 0 <= descriptor.size_bytes != blob.size_bytes:
            self._note_size(descriptor, blob.size_bytes, blob.where)
        if blob.digest_matches is False:
            self.note("oci.blob.digest_mismatch", descriptor.digest, blob.where)
        promised = media_types.compression_of_layer(descriptor.media_type)
        if promised is None or not blob.start:
            return
        found = media_types.recognise(blob.start)
        if found in _COMPRESSIONS:
            self._compressions.setdefault(found, blob.where)
        # Old tar formats bear no magic, so an unknown beginning says nothing about an uncompressed layer.
        if found != promised and not (promised == "tar" and found == "unknown"):
            self.note("oci.layer.magic_mismatch", descriptor.digest, blob.where, f"{found} instead of {promised}")

    def _note_size(self, descriptor: Descriptor, size_bytes: int, where: str) -> None:
        text = f"{size_bytes} bytes instead of {descriptor.size_bytes}"
        self.note("oci.blob.size_mismatch", descriptor.digest, where, text)
