"""What a file is by its content and what its name claims: own signatures, no library in the normal path."""

from __future__ import annotations

import re
from collections.abc import Iterator

from diagnose.collectors.signature.damage import find_error_page, find_text_damage, read_title
from diagnose.collectors.signature.extensions import UNSIGNED_FORMATS, Claim, may_be_empty, read_name
from diagnose.collectors.signature.holes import find_hole
from diagnose.collectors.signature.identification import Signature, identify
from diagnose.collectors.signature.second_opinion import ask_libmagic
from diagnose.evidence import Fact, FactSpec, Vocabulary

__all__ = ["DISK_FACTS", "FACTS", "Signature", "collect", "collect_from_disk", "identify"]

FACTS = Vocabulary(
    "signature",
    FactSpec("file.size_bytes", "int", "size of the file", "bytes"),
    FactSpec("file.format", "str", "format by content, such as jpeg, gguf, html; unknown where nothing matches"),
    FactSpec("file.format_detail", "str", "variant of the format, such as a brand, a version or a protocol"),
    FactSpec("file.kind", "str", "image, model, media, archive, text, document, executable, other or unknown"),
    FactSpec("file.extension", "str", "extension of the name in lower case, without its dot"),
    FactSpec("file.extension_format", "str", "format that the extension claims, the usual one where it allows several"),
    FactSpec("file.extension_kind", "str", "kind of content that the extension claims"),
    FactSpec("file.extension_matches", "bool", "whether the content is what the extension claims"),
    FactSpec("file.is_empty", "bool", "whether the file has no bytes"),
    FactSpec("file.may_be_empty", "bool", "whether files of this name are empty by custom, such as .gitkeep, _SUCCESS"),
    FactSpec("file.is_zero_filled", "bool", "whether the first and the last bytes are all zero"),
    FactSpec("file.zero_tail_bytes", "int", "zero bytes at the end, as far as the tail was read; from 512 on", "bytes"),
    FactSpec("file.first_hole", "int", "where the first part begins that was never written to the disk", "bytes"),
    FactSpec("file.first_bytes", "str", "the first 16 bytes in hexadecimal"),
    FactSpec("file.partial_download", "str", "suffix that a downloader gives to unfinished files, such as part"),
    FactSpec("file.size_multiple_of_block", "int", "largest power of two from 4096 on that divides the size", "bytes"),
    FactSpec("file.lfs_pointer_oid", "str", "SHA-256 of the object that a Git LFS pointer stands for"),
    FactSpec("file.lfs_pointer_size_bytes", "int", "size of the object that a Git LFS pointer stands for", "bytes"),
    FactSpec(
        "file.error_page", "str", "html, json, xml, s3-xml or text where a server's answer stands for the content"
    ),
    FactSpec(
        "file.text_damage",
        "str",
        "conversion of text that was done to binary content: crlf-mangled, utf8-replacement, utf8-reencoded, "
        "ascii-replacement, utf16-reencoded, bit-7-stripped",
    ),
    FactSpec("file.libmagic_type", "str", "media type according to libmagic"),
)


DISK_FACTS = frozenset(("file.first_hole",))
"""The facts that only `collect_from_disk` yields."""


def collect_from_disk(descriptor: int, size_bytes: int) -> list[Fact]:
    """What only the file system knows of an open file of `size_bytes`. The descriptor is at the start afterwards."""
    hole = find_hole(descriptor, size_bytes)
    return [] if hole is None else [FACTS.known("file.first_hole", hole, f"byte {hole}")]


def collect(path_name: str, head: bytes, tail: bytes, size_bytes: int, *, second_opinion: bool = False) -> list[Fact]:
    """Facts on a file named `path_name` from its first bytes (4 KiB or more), its last (512 or more) and its size.

    `second_opinion` asks libmagic too; where that is not installed, file.libmagic_type is not checked.
    """
    signature = identify(head, size_bytes, tail)
    facts = [
        FACTS.known("file.size_bytes", size_bytes),
        FACTS.known("file.format", signature.format, "byte 0", signature.detail),
        FACTS.known("file.kind", signature.kind),
        FACTS.known("file.is_empty", size_bytes == 0),
        FACTS.known("file.may_be_empty", may_be_empty(path_name)),
        FACTS.known("file.is_zero_filled", bool(head) and not head.strip(b"\0") and not tail.strip(b"\0")),
        FACTS.known("file.first_bytes", head[:16].hex(), "byte 0"),
    ]
    facts.extend(_name_facts(path_name, signature, head, size_bytes))
    facts.extend(_content_facts(signature, head, tail, size_bytes))
    if second_opinion:
        facts.append(_libmagic_fact(head))
    return facts


def _name_facts(path_name: str, signature: Signature, head: bytes, size_bytes: int) -> Iterator[Fact]:
    name = read_name(path_name)
    yield FACTS.known("file.extension", name.extension)
    if name.partial:
        yield FACTS.known("file.partial_download", name.partial)
    if name.claim is None:
        return
    yield FACTS.known("file.extension_kind", name.claim.kind)
    if name.claim.formats:
        yield FACTS.known("file.extension_format", name.claim.formats[0])
        matches = _matches(name.claim, signature)
        if matches is not None:
            yield FACTS.known("file.extension_matches", matches)
    page = find_error_page(signature, name.claim, head, size_bytes)
    if page:
        yield FACTS.known("file.error_page", page, "byte 0", read_title(page, head))


def _matches(claim: Claim, signature: Signature) -> bool | None:
    """None where the content cannot speak: no bytes, or unknown and the claimed format has no signature."""
    if signature.format in claim.formats:
        return True
    if signature.format in ("empty", "zeros"):
        return None
    return None if signature.format == "unknown" and UNSIGNED_FORMATS.intersection(claim.formats) else False


def _content_facts(signature: Signature, head: bytes, tail: bytes, size_bytes: int) -> Iterator[Fact]:
    if signature.detail:
        yield FACTS.known("file.format_detail", signature.detail)
    block = size_bytes & -size_bytes
    if block >= 4096:
        yield FACTS.known("file.size_multiple_of_block", block)
    zero_tail = len(tail) - len(tail.rstrip(b"\0"))
    if zero_tail >= _TELLING_ZEROS:
        yield FACTS.known("file.zero_tail_bytes", zero_tail, f"byte {size_bytes - zero_tail}")
    if signature.format == "git-lfs-pointer":
        yield from _lfs_facts(head)
    damage = find_text_damage(signature, head, tail)
    if damage:
        yield FACTS.known("file.text_damage", damage, "byte 0", signature.detail)


_TELLING_ZEROS = 512


def _lfs_facts(head: bytes) -> Iterator[Fact]:
    """Git LFS specification, "The Pointer": lines `oid sha256:...` and `size ...`."""
    oid = re.search(rb"^oid sha256:([0-9a-f]{64})\r?$", head[:1024], re.MULTILINE)
    if oid:
        yield FACTS.known("file.lfs_pointer_oid", oid[1].decode(), f"byte {oid.start()}")
    size = re.search(rb"^size (\d{1,18})\r?$", head[:1024], re.MULTILINE)
    if size:
        yield FACTS.known("file.lfs_pointer_size_bytes", int(size[1]), f"byte {size.start()}")


def _libmagic_fact(head: bytes) -> Fact:
    media_type, reason = ask_libmagic(head)
    if reason:
        return FACTS.not_checked("file.libmagic_type", reason)
    return FACTS.known("file.libmagic_type", media_type)
