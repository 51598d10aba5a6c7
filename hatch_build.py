"""Packs the shipped rules while a wheel is built, so that no user's first run has to read and check them all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackRules(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `diagnose/_rules.msgpack`; rule files are named in it relative to the folder of the rules."""

    PLUGIN_NAME = "pack-rules"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        from diagnose.pipelines.packed import pack
        from diagnose.pipelines.rulebook import load_rules, rule_files

        here = Path.cwd()
        os.chdir(Path(self.root) / "rules")
        try:
            packed = pack(load_rules(rule_files([Path()])))
        finally:
            os.chdir(here)
        target = Path(self.directory) / "rules.msgpack"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(packed)
        build_data["force_include"][str(target)] = "diagnose/_rules.msgpack"
