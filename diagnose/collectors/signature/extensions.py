"""What a file name claims: the formats that may stand behind an extension, and what kind of thing they are."""

from __future__ import annotations

import re

from msgspec import Struct


class Claim(Struct, frozen=True):
    """`formats` may stand behind the extension, the usual one first; none where it names only a `kind`."""

    kind: str
    formats: tuple[str, ...] = ()


class FileName(Struct, frozen=True):
    """`extension` in lower case without its dot, `partial` the suffix of an unfinished download, `claim` if any."""

    extension: str
    partial: str
    claim: Claim | None


def read_name(path_name: str) -> FileName:
    """The parts of a path's last component that say what the file should be."""
    name = path_name.replace("\\", "/").rsplit("/", 1)[-1].lower()
    stem, _, extension = name.rpartition(".")
    partial = extension if stem and extension in PARTIAL_DOWNLOADS else ""
    if partial:
        name = stem
    _, _, inner = name.rpartition(".")
    has_extension = name.rfind(".") > 0 and not _NO_EXTENSION.search(inner)
    return FileName(
        partial or (extension if has_extension else ""), partial, CLAIMS.get(inner) if has_extension else None
    )


def may_be_empty(path_name: str) -> bool:
    """Whether files of this name are empty by custom: hidden ones, markers of finished work, locks, bare packages."""
    name = path_name.replace("\\", "/").rsplit("/", 1)[-1]
    return name.startswith(".") or name in _EMPTY_BY_CUSTOM or name.rpartition(".")[2].lower() in _EMPTY_EXTENSIONS


_EMPTY_BY_CUSTOM = frozenset(
    (
        "__init__.py",
        "py.typed",
        "zip-safe",
        "not-zip-safe",
        "REQUESTED",
        "dependency_links.txt",
        "top_level.txt",
        "_SUCCESS",
        "_STARTED",
        "_FINISHED",
        "LOCK",
        "lock",
        "placeholder",
        "PLACEHOLDER",
    )
)
"""Python packaging, Hadoop and its kin, LevelDB."""

_EMPTY_EXTENSIONS = frozenset(("lock", "lck", "done", "ok", "success", "finished", "complete", "stamp", "keep", "flag"))

_NO_EXTENSION = re.compile(r"[\s()\[\]{},;:=]|^$")
"""What stands behind the last dot of "1. Introduction" or "(.)" claims nothing."""

PARTIAL_DOWNLOADS = frozenset(
    (
        "part",
        "crdownload",
        "aria2",
        "download",
        "partial",
        "incomplete",
        "filepart",
        "opdownload",
        "dltmp",
        "!ut",
        "!qb",
    )
)

_RAW = ("tiff", "bigtiff", "nef", "dng", "arw", "pef", "cr2")
_TEXTS = ("text", "utf-16-text", "utf-32-text", "json", "yaml", "xml", "html", "svg", "openvino-ir-xml", "desktop-ini",
          "xpm", "xbm", "empty")  # fmt: skip
_ZIPS = ("zip", "torch-zip", "keras", "npz", "docx", "xlsx", "pptx", "odf", "epub")
_TORCH = ("torch-zip", "torch-legacy", "pickle", "zip", "tar", "torch-mobile", "safetensors")

_IMAGES: dict[str, tuple[str, ...]] = {
    "jpg jpeg jpe jfif": ("jpeg",),
    "mpo": ("jpeg",),
    "jls": ("jls",),
    "png apng": ("png",),
    "gif": ("gif",),
    "bmp rle": ("bmp",),
    "dib": ("bmp", "dib"),
    "grib grb grib2 grb2": ("grib",),
    "bufr": ("bufr",),
    "im": ("im",),
    "webp": ("webp",),
    "tif tiff btf tf8": ("tiff", "bigtiff", "dng"),
    "heic heics": ("heif",),
    "heif hif heifs": ("heif", "avif"),
    "avif avifs": ("avif",),
    "avci avcs": ("heif",),
    "jp2": ("jp2",),
    "jpx jpf": ("jpx", "jp2"),
    "jpm": ("jpm",),
    "jph": ("jph",),
    "mj2": ("mj2",),
    "j2k j2c jpc jhc": ("j2k",),
    "jxl": ("jxl",),
    "jxr wdp hdp": ("jxr",),
    "ico": ("ico", "png"),
    "cur": ("cur",),
    "icns": ("icns",),
    "psd psb": ("psd",),
    "xcf": ("xcf",),
    "tga icb vda vst": ("tga",),
    "dds": ("dds",),
    "ktx": ("ktx",),
    "ktx2": ("ktx2",),
    "astc": ("astc",),
    "exr": ("exr",),
    "qoi": ("qoi",),
    "fits fit fts": ("fits",),
    "flif": ("flif",),
    "ff farbfeld": ("farbfeld",),
    "bpg": ("bpg",),
    "sgi rgb rgba bw": ("sgi",),
    "pcx": ("pcx",),
    "dcx": ("dcx",),
    "pbm": ("pbm",),
    "pgm": ("pgm",),
    "ppm": ("ppm",),
    "pnm": ("ppm", "pgm", "pbm", "pam"),
    "pam": ("pam",),
    "pfm": ("pfm",),
    "ras": ("ras",),
    "wmf": ("wmf",),
    "emf": ("emf",),
    "blp": ("blp",),
    "ftc ftu": ("ftex",),
    "msp": ("msp",),
    "xpm": ("xpm",),
    "xbm": ("xbm",),
    "fli flc": ("fli",),
    "dcm dicom": ("dicom",),
    "svg": ("svg", "xml"),
    "eps epsf": ("eps", "postscript"),
    "cr2": ("cr2",),
    "cr3": ("cr3",),
    "crw": ("crw",),
    "nef nrw": ("nef", *_RAW),
    "dng": ("dng", *_RAW),
    "arw sr2 srf": ("arw", *_RAW),
    "pef": ("pef", *_RAW),
    "orf": ("orf",),
    "raf": ("raf",),
    "rw2": ("rw2",),
    "x3f": ("x3f",),
    "mrw": ("mrw",),
}

_MODELS: dict[str, tuple[str, ...]] = {
    "gguf": ("gguf",),
    "ggml": ("ggml", "ggmf", "ggjt", "gguf"),
    "safetensors": ("safetensors",),
    "onnx": ("onnx",),
    "ort": ("ort",),
    "tflite": ("tflite",),
    "circle": ("circle",),
    "rknn": ("rknn",),
    "mnn": ("mnn",),
    "ms": ("mindspore-lite",),
    "dlc": ("dlc", "zip"),
    "pte": ("executorch",),
    "ptl": ("torch-zip", "torch-mobile"),
    "pt pth": _TORCH,
    "pkl pickle": ("pickle", "torch-legacy", "torch-zip", "zlib", "gzip", "joblib-zfile"),
    "joblib": ("pickle", "zlib", "gzip", "joblib-zfile", "bzip2", "xz", "lzma", "lz4"),
    "npy": ("npy",),
    "npz": ("npz", "zip"),
    "h5 hdf5 hdf": ("hdf5",),
    "keras": ("keras", "hdf5", "zip"),
    "mlmodel": ("coreml",),
    "hef": ("hailo-hef",),
    "om": ("ascend-om",),
    "bmodel": ("sophgo-bmodel",),
    "kmodel": ("kmodel",),
    "cvimodel": ("cvimodel",),
    "tfrecord tfrecords": ("tfrecord", "gzip"),
    "parquet": ("parquet",),
    "arrow feather": ("arrow",),
    "orc": ("orc",),
    "avro": ("avro",),
    "nc": ("netcdf", "hdf5"),
    "sav": ("spss-sav", "idl-sav"),
    "bin": (), "ckpt": (), "engine": (), "plan": (), "trt": (), "model": (), "weights": (), "caffemodel": (),
    "params": (), "pdmodel": (), "pdiparams": (), "pb": (), "param": ("ncnn-param", "text"), "mat": (),
}  # fmt: skip

_ARCHIVES: dict[str, tuple[str, ...]] = {
    "zip": _ZIPS,
    "whl jar apk aar ipa mar nupkg": ("zip",),
    "gz tgz": ("gzip",),
    "zst tzst": ("zstd",),
    "xz txz": ("xz",),
    "bz2 tbz tbz2": ("bzip2",),
    "lz4": ("lz4",),
    "lz": ("lzip",),
    "lzma": ("lzma",),
    "z": ("compress", "zlib", "joblib-zfile"),
    "tar": ("tar",),
    "nemo": ("tar", "gzip"),
    "7z": ("7z",),
    "rar": ("rar",),
    "cab": ("cab",),
    "deb": ("deb",),
    "a ar": ("ar",),
    "rpm": ("rpm",),
    "arj": ("arj",),
    "cpio": ("cpio",),
    "squashfs": ("squashfs",),
}

_MEDIA: dict[str, tuple[str, ...]] = {
    "mp4 m4v m4s f4v": ("mp4", "mov", "3gp"),
    "m4a m4b": ("mp4",),
    "mov qt": ("mov", "mp4"),
    "3gp 3g2": ("3gp", "mp4"),
    "mkv mka": ("mkv", "webm"),
    "webm": ("webm", "mkv"),
    "avi": ("avi",),
    "wav": ("wav",),
    "flac": ("flac",),
    "mp3": ("mp3",),
    "ogg oga ogv opus spx": ("ogg",),
    "aac": ("aac",),
    "m2ts mts": ("mpeg-ts",),
    "h264 264 avc": ("h264-annexb",),
    "h265 265 hevc": ("hevc-annexb",),
    "flv": ("flv",),
    "wmv wma asf": ("asf",),
    "au snd": ("au",),
    "aif aiff aifc": ("aiff",),
    "amr": ("amr",),
    "voc": ("voc",),
    "mid midi": ("midi",),
    "caf": ("caf",),
    "mpg mpeg vob": ("mpeg-ps", "mpeg-video", "mpeg-ts"),
    "ivf": ("ivf",),
    "y4m": ("y4m",),
    "mxf": ("mxf",),
}

_DOCUMENTS: dict[str, tuple[str, ...]] = {
    "pdf": ("pdf",),
    "ps": ("postscript", "eps"),
    "rtf": ("rtf",),
    "doc xls ppt msi": ("ole",),
    "docx": ("docx",),
    "xlsx": ("xlsx",),
    "pptx": ("pptx",),
    "odt ods odp": ("odf",),
    "epub": ("epub",),
}

_TEXT: dict[str, tuple[str, ...]] = {
    "json ipynb geojson jsonl ndjson": ("json", "text", "utf-16-text", "utf-32-text"),
    "yaml yml": ("yaml", "text", "json", "utf-16-text"),
    "xml xmp": ("xml", "svg", "openvino-ir-xml", "text", "utf-16-text", "html"),
    "html htm xhtml": ("html", "xml", "text", "utf-16-text", "utf-32-text"),
    "txt csv tsv md rst log ini cfg conf toml py js c h cpp rs go java sh srt vtt prototxt merges names labels": _TEXTS,
}


_GROUPS = (
    ("image", _IMAGES),
    ("model", _MODELS),
    ("archive", _ARCHIVES),
    ("media", _MEDIA),
    ("document", _DOCUMENTS),
    ("text", _TEXT),
)

CLAIMS = {
    extension: Claim(kind, formats)
    for kind, group in _GROUPS
    for extensions, formats in group.items()
    for extension in extensions.split()
}

UNSIGNED_FORMATS = frozenset(
    ("tga", "pickle", "mnn", "text", "json", "yaml", "xml", "html", "mp3", "aac", "onnx", "coreml", "tar", "pcx")
)
"""Formats without a signature that every file of theirs has: that nothing was recognised speaks not against them."""
