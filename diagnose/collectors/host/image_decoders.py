"""Decoders of still images, each proved by decoding a tiny sample to its known pixels."""

from __future__ import annotations

from base64 import b64decode
from importlib import import_module
from io import BytesIO

from diagnose.collectors.host.outcomes import FAILURES, failed, not_imported, verdict
from diagnose.collectors.host.pixels import fault_in_array, fault_in_image
from diagnose.collectors.host.samples import SAMPLES
from diagnose.evidence import Fact


def look_at_pillow(probe: str) -> list[Fact]:
    """Whether Pillow decodes the sample of this name, in each of its frames."""
    try:
        from PIL import Image
    except ImportError as error:
        return not_imported(probe, "Pillow", error)
    sample = SAMPLES[probe]
    try:
        with Image.open(BytesIO(b64decode(sample.data))) as image:
            return verdict(probe, fault_in_image(image, sample))
    except FAILURES as error:
        return failed(probe, error)


def look_at_heif(probe: str) -> list[Fact]:
    """Whether pillow-heif decodes the HEIC sample."""
    try:
        from pillow_heif import open_heif
    except ImportError as error:
        return not_imported(probe, "pillow-heif", error)
    sample = SAMPLES[probe]
    try:
        return verdict(probe, fault_in_image(open_heif(b64decode(sample.data)).to_pillow(), sample))
    except FAILURES as error:
        return failed(probe, error)


def look_at_simplejpeg(probe: str) -> list[Fact]:
    """Whether simplejpeg decodes the JPEG sample, and in strict mode refuses it when its end is missing."""
    try:
        from simplejpeg import decode_jpeg
    except ImportError as error:
        return not_imported(probe, "simplejpeg", error)
    sample = SAMPLES["pillow.jpeg"]
    data = b64decode(sample.data)
    try:
        fault = fault_in_array(decode_jpeg(data, strict=True), sample)
    except FAILURES as error:
        return failed(probe, error)
    try:
        decode_jpeg(data[:-8], strict=True)
    except ValueError:
        return verdict(probe, fault)
    return failed(probe, "strict mode did not notice that the end of a JPEG is missing")


def look_at_opencv(probe: str) -> list[Fact]:
    """Whether OpenCV decodes the sample of the probe `pillow.<format>` to the same pixels."""
    try:
        import numpy

        cv2 = import_module("cv2")
    except ImportError as error:
        return not_imported(probe, "OpenCV", error)
    sample = SAMPLES[probe.replace("opencv.", "pillow.")]
    try:
        pixels = cv2.imdecode(numpy.frombuffer(b64decode(sample.data), numpy.uint8), cv2.IMREAD_COLOR)
    except (cv2.error, *FAILURES) as error:
        return failed(probe, error)
    if pixels is None:
        return failed(probe, "imdecode gave nothing: this OpenCV has no decoder for the format")
    return verdict(probe, fault_in_array(pixels[:, :, ::-1], sample))
