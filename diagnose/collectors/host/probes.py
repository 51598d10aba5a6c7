"""The probes of the self-check, in the order in which they are shown."""

from __future__ import annotations

from diagnose.collectors.host import facts
from diagnose.collectors.host.probe import Probe
from diagnose.evidence import FactSpec
from diagnose.selfcheck import Bilingual

_IMAGES = Bilingual("Image decoders", "图像解码器")
_OTHERS = Bilingual("Video and recognition", "视频与识别")
_TEXT = Bilingual("Text defaults", "文本默认编码")
_RESOURCES = Bilingual("Memory and disk", "内存与磁盘")
_SOFTWARE = Bilingual("Software and devices", "软件与设备")


def _probe(
    group: Bilingual, look: str, specs: tuple[FactSpec, ...], name: str, en: str, zh: str, *, here: bool = False
) -> Probe:
    function = f"diagnose.collectors.host.{look}"
    names = tuple(spec.name for spec in specs)
    failure = "host.decoder_failed" if specs is facts.DECODERS else ""
    return Probe(name, group, Bilingual(en, zh), function, names, failure, here)


def _pillow(name: str, en: str, zh: str) -> Probe:
    return _probe(_IMAGES, "image_decoders:look_at_pillow", facts.DECODERS, f"pillow.{name}", en, zh)


def _image(function: str, name: str, en: str, zh: str) -> Probe:
    return _probe(_IMAGES, f"image_decoders:look_at_{function}", facts.DECODERS, name, en, zh)


def _other(function: str, name: str, en: str, zh: str) -> Probe:
    return _probe(_OTHERS, f"other_decoders:look_at_{function}", facts.DECODERS, name, en, zh)


def _text(function: str, specs: tuple[FactSpec, ...], name: str, en: str, zh: str) -> Probe:
    return _probe(_TEXT, f"text_defaults:look_at_{function}", specs, name, en, zh, here=True)


def _memory(function: str, specs: tuple[FactSpec, ...], name: str, en: str, zh: str) -> Probe:
    return _probe(_RESOURCES, f"memory:look_at_{function}", specs, name, en, zh)


def _disk(function: str, name: str, en: str, zh: str) -> Probe:
    return _probe(_RESOURCES, f"disk:look_at_{function}", facts.DISK, name, en, zh)


def _software(look: str, specs: tuple[FactSpec, ...], name: str, en: str, zh: str) -> Probe:
    return _probe(_SOFTWARE, look, specs, name, en, zh)


PROBES: tuple[Probe, ...] = (
    _pillow("jpeg", "JPEG, baseline", "JPEG 基线"),
    _pillow("jpeg-progressive", "JPEG, progressive", "JPEG 渐进式"),
    _pillow("jpeg-arithmetic", "JPEG, arithmetic coding", "JPEG 算术编码"),
    _pillow("jpeg-cmyk", "JPEG, CMYK", "JPEG CMYK"),
    _pillow("png", "PNG, 8 bits", "PNG 8 位"),
    _pillow("png-16bit", "PNG, 16 bits", "PNG 16 位"),
    _pillow("gif", "GIF", "GIF"),
    _pillow("bmp", "BMP", "BMP"),
    _pillow("ico", "ICO", "ICO"),
    _pillow("tiff-lzw", "TIFF, LZW", "TIFF LZW"),
    _pillow("tiff-deflate", "TIFF, Deflate", "TIFF Deflate"),
    _pillow("tiff-jpeg", "TIFF, JPEG", "TIFF JPEG"),
    _pillow("tiff-zstd", "TIFF, Zstandard", "TIFF Zstandard"),
    _pillow("webp", "WebP, lossy", "WebP 有损"),
    _pillow("webp-lossless", "WebP, lossless", "WebP 无损"),
    _pillow("webp-animated", "WebP, animated", "WebP 动画"),
    _pillow("jpeg2000", "JPEG 2000", "JPEG 2000"),
    _pillow("avif", "AVIF", "AVIF"),
    _image("heif", "heif.heic", "HEIC (pillow-heif)", "HEIC（pillow-heif）"),
    _image("simplejpeg", "simplejpeg.strict", "strict JPEG (simplejpeg)", "严格 JPEG（simplejpeg）"),
    _image("opencv", "opencv.jpeg", "JPEG (OpenCV)", "JPEG（OpenCV）"),
    _image("opencv", "opencv.png", "PNG (OpenCV)", "PNG（OpenCV）"),
    _other("ffmpeg", "ffmpeg.h264", "H.264 in software (ffmpeg)", "H.264 软件解码（ffmpeg）"),
    _other("libmagic", "libmagic", "file types (libmagic)", "文件类型（libmagic）"),
    _other("hyperscan", "hyperscan", "patterns (Hyperscan)", "模式匹配（Hyperscan）"),
    _text("open", facts.OPEN, "text.open", "open() without encoding", "未指定编码的 open()"),
    _text("standard_output", facts.STANDARD_OUTPUT, "text.stdout", "standard output", "标准输出"),
    _text("file_names", facts.FILE_NAMES, "text.filenames", "file names", "文件名"),
    _memory("memory", facts.MEMORY, "memory", "memory", "内存"),
    _memory("shared_memory", facts.SHARED_MEMORY, "memory.shm", "shared memory", "共享内存"),
    _memory("processors", facts.PROCESSORS, "processors", "processors", "处理器"),
    _memory("open_files", facts.OPEN_FILES, "open-files", "open files", "打开文件数"),
    _disk("working_folder", "disk.cwd", "current folder", "当前目录"),
    _disk("temporary_folder", "disk.temp", "temporary files", "临时文件"),
    _disk("hugging_face_cache", "disk.hf-cache", "Hugging Face cache", "Hugging Face 缓存"),
    _disk("docker_folder", "disk.docker", "Docker images", "Docker 镜像"),
    _software("system:look_at_python", facts.PYTHON, "python", "Python", "Python"),
    _software("system:look_at_system", facts.SYSTEM, "system", "system", "操作系统"),
    _software("libraries:look_at_libraries", facts.PYTHON_LIBRARIES, "libraries", "Python libraries", "Python 库"),
    _software("libraries:look_at_native_libraries", facts.NATIVE, "libraries.native", "native libraries", "本地库"),
    _software("containers:look_at_docker", facts.CONTAINERS, "docker", "container engine", "容器引擎"),
    _software("devices:look_at_device_nodes", facts.DEVICES, "devices", "device nodes", "设备节点"),
)
