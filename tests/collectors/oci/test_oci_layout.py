"""OCI layouts and archives of images, healthy and damaged."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from oci_images import INDEX, LAYER, Image, buildx_image, digest, encode, single_image

from diagnose.collectors.oci import UnusableImageError, collect
from diagnose.evidence import Evidence, State

MARKER = b'{"imageLayoutVersion": "1.0.0"}'


def files_of(image: Image, tag: str = "1") -> dict[str, bytes]:
    """The files of a layout that holds `image`, by name."""
    media_type, content = image.manifests[image.top]
    entry = {
        "mediaType": media_type,
        "digest": image.top,
        "size": len(content),
        "annotations": {"org.opencontainers.image.ref.name": tag},
    }
    contents = {**image.blobs, **{name: content for name, (_, content) in image.manifests.items()}}
    blobs = {f"blobs/{name.replace(':', '/')}": content for name, content in contents.items()}
    index = encode({"schemaVersion": 2, "mediaType": INDEX, "manifests": [entry]})
    return {"oci-layout": MARKER, "index.json": index, **blobs}


def write_layout(folder: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    return folder


def pack(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    return packed.getvalue()


def look(path: Path, platform: str = "linux/amd64") -> Evidence:
    return collect(str(path), platform=platform, use_engine=False)


def layer_name(image: Image) -> str:
    found: str = json.loads(image.manifests[next(iter(image.manifests))][1])["layers"][0]["digest"]
    return found


def blob_path(name: str) -> str:
    return f"blobs/{name.replace(':', '/')}"


AS_FOLDER_OR_ARCHIVE = pytest.mark.parametrize("form", ["folder", "tar", "tar.gz", "tar.xz"])


def put(tmp_path: Path, files: dict[str, bytes], form: str) -> Path:
    if form == "folder":
        return write_layout(tmp_path / "layout", files)
    compress: dict[str, Callable[[bytes], bytes]] = {"tar": bytes, "tar.gz": gzip.compress, "tar.xz": lzma.compress}
    path = tmp_path / f"image.{form}"
    path.write_bytes(compress[form](pack(files)))
    return path


@AS_FOLDER_OR_ARCHIVE
def test_a_healthy_layout_is_found_whole(tmp_path: Path, form: str) -> None:
    image = buildx_image()

    evidence = look(put(tmp_path, files_of(image), form))

    wanted = {
        "oci.source": "layout",
        "oci.digest": image.top,
        "oci.layout.version": "1.0.0",
        "oci.layout.tags": ["1"],
        "oci.manifest.kind": "index",
        "oci.platforms": ["linux/amd64", "linux/arm64/v8"],
        "oci.attestations": 2,
        "oci.host_platform_offered": True,
        "oci.platform_digest": next(iter(image.manifests)),
        "oci.layer.media_types": [LAYER],
        "oci.config.diff_ids_match": True,
    }
    assert {name: evidence.value(name) for name in wanted} == wanted
    for name in ("missing", "size_mismatch", "digest_mismatch"):
        assert evidence.state(f"oci.blob.{name}") is State.ABSENT


@AS_FOLDER_OR_ARCHIVE
@pytest.mark.parametrize(
    ("damage", "facts"),
    [
        (lambda _: None, {"missing"}),
        (lambda content: content[:-1], {"size_mismatch", "digest_mismatch"}),
        (lambda content: content[:-1] + bytes([content[-1] ^ 1]), {"digest_mismatch"}),
    ],
    ids=["removed", "cut", "one bit flipped"],
)
def test_a_damaged_blob_is_named(
    tmp_path: Path, form: str, damage: Callable[[bytes], bytes | None], facts: set[str]
) -> None:
    image = buildx_image()
    name = layer_name(image)
    files = files_of(image)
    content = damage(files.pop(blob_path(name)))
    if content is not None:
        files[blob_path(name)] = content

    evidence = look(put(tmp_path, files, form))

    kinds = ("missing", "size_mismatch", "digest_mismatch")
    assert {kind for kind in kinds if evidence.value(f"oci.blob.{kind}") == [name]} == facts
    assert blob_path(name) in evidence.known(f"oci.blob.{min(facts)}")[0].where


def test_content_of_platforms_other_than_the_hosts_is_checked_as_well(tmp_path: Path) -> None:
    image = buildx_image()
    arm64 = json.loads(list(image.manifests.values())[1][1])["layers"][0]["digest"]
    files = files_of(image)
    del files[blob_path(arm64)]

    assert look(write_layout(tmp_path, files)).value("oci.blob.missing") == [arm64]


def test_a_missing_manifest_is_named(tmp_path: Path) -> None:
    image = single_image()
    files = files_of(image)
    del files[blob_path(image.top)]

    assert look(write_layout(tmp_path, files)).value("oci.index.missing") == [image.top]


def test_a_layer_that_is_a_web_page_is_named(tmp_path: Path) -> None:
    image = single_image()
    files = files_of(image)
    files[blob_path(layer_name(image))] = b"<!DOCTYPE html><html>"

    fact = look(write_layout(tmp_path, files)).known("oci.layer.magic_mismatch")[0]

    assert "html instead of gzip" in fact.text


def test_a_folder_that_is_no_layout_is_refused_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(UnusableImageError) as raised:
        look(tmp_path)

    assert "oci-layout" in raised.value.what
    assert raised.value.where == str(tmp_path)
    assert "blobs/" in raised.value.remedy


@pytest.mark.parametrize(
    "index",
    [
        b"",
        b"\xff\xfe{",
        b"[]",
        b'{"manifests": [1, {"digest": "sha256:../../../etc/passwd", "size": -1}]}',
        b"{" * 9999,
    ],
)
def test_a_broken_index_is_a_finding(tmp_path: Path, index: bytes) -> None:
    evidence = look(write_layout(tmp_path, {"oci-layout": MARKER, "index.json": index}))

    assert evidence.state("oci.manifest.kind") is State.KNOWN
    assert "root:" not in repr(evidence.facts)


def test_links_out_of_a_layout_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"private")
    image = Image()
    layer = image.blob(LAYER, b"private")
    image.manifest(INDEX.replace("index", "manifest"), {"layers": [layer]})
    folder = write_layout(tmp_path / "layout", files_of(image))
    target = folder / blob_path(digest(b"private"))
    target.unlink()
    target.symlink_to(outside)

    evidence = look(folder)

    assert evidence.state("oci.blob.missing") is State.NOT_CHECKED
    assert "leads out" in next(fact.not_checked for fact in evidence.facts if fact.not_checked)


def test_special_files_in_a_layout_are_not_read(tmp_path: Path) -> None:
    import os

    image = single_image()
    folder = write_layout(tmp_path, files_of(image))
    target = folder / blob_path(layer_name(image))
    target.unlink()
    os.mkfifo(target)

    assert look(folder).state("oci.blob.missing") is State.NOT_CHECKED


def test_an_index_that_contains_itself_comes_to_an_end(tmp_path: Path) -> None:
    loop = {"mediaType": INDEX, "digest": digest(b"{}"), "size": 2}
    image = Image({digest(b"{}"): b"{}"})
    image.manifest(INDEX, {"manifests": [loop] * 900})

    assert look(write_layout(tmp_path, files_of(image))).value("oci.manifest.kind") == "index"


def saved_files(damage: bytes = b"") -> dict[str, bytes]:
    """What `docker save` wrote before version 25: a folder for each layer, named by nothing but convention."""
    layer = pack({"hello.txt": b"hi"})
    config = encode({"os": "linux", "architecture": "amd64", "rootfs": {"diff_ids": [digest(layer)]}})
    name = digest(config).partition(":")[2] + ".json"
    manifest = encode([{"Config": name, "RepoTags": ["app:1"], "Layers": ["one/layer.tar"]}])
    return {"one/layer.tar": layer + damage, name: config, "manifest.json": manifest}


def test_an_old_archive_of_docker_save_is_checked_by_its_diff_ids(tmp_path: Path) -> None:
    healthy = look(put(tmp_path, saved_files(), "tar"))
    assert healthy.value("oci.platforms") == ["linux/amd64"]
    assert healthy.value("oci.config.diff_ids_match") is True
    assert healthy.state("oci.blob.digest_mismatch") is State.ABSENT

    damaged = look(put(tmp_path, saved_files(b"\0" * 512), "tar"))
    assert damaged.known("oci.blob.digest_mismatch")[0].where.startswith("member one/layer.tar (byte ")

    files = saved_files()
    del files["one/layer.tar"]
    assert look(put(tmp_path, files, "tar")).value("oci.blob.missing") == ["one/layer.tar"]


def test_a_layer_that_is_a_link_to_another_in_the_archive_is_found(tmp_path: Path) -> None:
    files = saved_files()
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name.replace("one/layer.tar", "two/layer.tar"))
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("one/layer.tar")
        link.type, link.linkname = tarfile.SYMTYPE, "../two/layer.tar"
        archive.addfile(link)
    (tmp_path / "image.tar").write_bytes(packed.getvalue())

    assert look(tmp_path / "image.tar").state("oci.blob.missing") is State.ABSENT


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (pack(saved_files()).decode("latin-1").encode("utf-16"), "utf-16-text"),
        (b"<!DOCTYPE html><html></html>", "html"),
        (b"", "empty"),
        (b"\x28\xb5\x2f\xfd" + b"\0" * 50, "zstd"),
        (b"just a text", "unknown"),
        (b"\x1f\x8b\x08" + b"\xff" * 60, "gzip"),
    ],
)
def test_a_file_that_is_no_archive_is_named_for_what_it_is(tmp_path: Path, content: bytes, found: str) -> None:
    path = tmp_path / "image.tar"
    path.write_bytes(content)

    evidence = look(path)

    assert evidence.value("oci.archive.format") == found
    assert evidence.state("oci.manifest.kind") is State.NOT_CHECKED


def test_an_archive_that_was_cut_is_told_with_the_byte(tmp_path: Path) -> None:
    path = tmp_path / "image.tar"
    path.write_bytes(pack(saved_files())[:3000])

    fact = look(path).known("oci.archive.cut")[0]

    assert (fact.value, fact.where) == (True, "byte 3000")


def test_every_cut_and_bit_flip_of_an_archive_is_survived(tmp_path: Path) -> None:
    whole = pack(saved_files())
    path = tmp_path / "image.tar"
    for position in range(0, len(whole), 97):
        flipped = bytearray(whole)
        flipped[position] ^= 0x55
        for content in (whole[:position], bytes(flipped)):
            path.write_bytes(content)
            assert look(path).value("oci.source") == "layout"


@pytest.mark.parametrize("size", [b"\x80" + b"\x7f" * 11, b"77777777777 ", b"-0000000001 "])
def test_a_member_that_claims_to_be_huge_costs_nothing(tmp_path: Path, size: bytes) -> None:
    header = bytearray(tarfile.TarInfo("index.json").tobuf(tarfile.USTAR_FORMAT))
    header[124:136] = size
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    path = tmp_path / "image.tar"
    path.write_bytes(bytes(header) + b"x" * 700)
    started = time.monotonic()

    evidence = look(path)

    assert evidence.value("oci.archive.format") == "tar"
    assert evidence.state("oci.archive.cut") is State.KNOWN
    assert time.monotonic() - started < 20


def test_an_archive_that_expands_beyond_reason_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("diagnose.collectors.oci.files._EXPANSION_FLOOR_BYTES", 1024 * 1024)
    path = tmp_path / "image.tar.gz"
    path.write_bytes(gzip.compress(pack({"a": b"\0" * 8_000_000, "b": b"\0" * 8_000_000, "manifest.json": b"[]"})))

    evidence = look(path)

    assert "beyond reason" in evidence.known("oci.archive.cut")[0].text
