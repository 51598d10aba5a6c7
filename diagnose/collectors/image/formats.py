"""Which formats of the signature are read how: the names of content formats, in groups."""

from __future__ import annotations

COMMON = frozenset(["jpeg", "png", "apng", "gif", "bmp", "tiff", "webp", "pgm", "ppm"])
"""What the image loaders of training and inference programs read without further ado."""

UNKNOWN = frozenset(["", "empty", "unknown", "text", "zeros"])
"""What a signature says when it knows no format of images."""

MANGLED = frozenset(["crlf-mangled-png", "stripped-png", "utf8-mangled-png", "utf16-mangled-png", "utf8-mangled-jpeg"])
"""Images that a transfer or a program took for text; no decoder reads them."""

PNG = frozenset(["png", "apng"])
HEIF = frozenset(["heif", "heic"])
TIFF = frozenset(["tiff", "bigtiff"])

CAMERA_RAW = frozenset(["arw", "cr2", "cr3", "crw", "dng", "mrw", "nef", "orf", "pef", "raf", "rw2", "srw", "x3f"])
"""Undeveloped sensor data; what an image library shows of them is the preview inside."""

TIFF_RAW = frozenset(["arw", "cr2", "dng", "nef", "pef", "srw"])
"""Camera raw files whose directories can be read as those of TIFF."""

BARE_SAMPLES = frozenset(["bmp", "tiff", "bigtiff", "pbm", "pgm", "ppm", "pam", "tga", "ico", "dds", "sgi", "farbfeld"])
"""Formats whose pixels may lie in the file as they are."""
