"""Device nodes through which hardware decoders and accelerators are reached."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from diagnose.collectors.host.facts import DEVICES, FACTS, not_checked
from diagnose.evidence import Fact

NODES = (
    "dri/render*",  # graphics processors, VA-API
    "nvidia[0-9]*",
    "nvidiactl",
    "nvhost-*",  # NVIDIA Jetson
    "nvmap",
    "dxg",  # WSL 2
    "kfd",  # AMD ROCm
    "accel/accel*",  # Intel and others through the kernel's accel subsystem
    "rknpu*",
    "mpp_service",  # Rockchip video codecs
    "rga",
    "video[0-9]*",  # V4L2: cameras and memory-to-memory codecs
    "media[0-9]*",
    "davinci*",  # Ascend
    "hailo*",
    "apex_*",  # Edge TPU
    "bpu*",  # D-Robotics
    "axcl*",  # Axera
    "dxrt*",  # DeepX
    "adsprpc-smd*",  # Qualcomm DSP
    "mali*",
    "galcore",  # Vivante
    "ethosu*",
)
"""Patterns under /dev."""


def look_at_device_nodes(_probe: str) -> list[Fact]:
    """Which of the nodes exist, and which of them this user may not open for reading and writing."""
    if sys.platform == "win32":
        return not_checked(DEVICES, "Windows has no device nodes")
    nodes = sorted({str(node) for pattern in NODES for node in Path("/dev").glob(pattern)})
    denied = [node for node in nodes if not os.access(node, os.R_OK | os.W_OK)]
    found = {"host.device_nodes": nodes, "host.device_nodes_denied": denied}
    return [FACTS.known(name, value) for name, value in found.items() if value]
