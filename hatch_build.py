"""Packs the shipped rules while a wheel is built, so that no user's first run has to read and check them all."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class PackRules(BuildHookInterface):  # type: ignore[type-arg]
    """Adds `diagnose/_rules.msgpack` and `diagnose/_targets.msgpack`.

    Rule and target files are named in them relative to the folder of the rules.
    """

    PLUGIN_NAME = "pack-rules"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        sys.path.insert(0, self.root)
        from diagnose.pipelines import targets
        from diagnose.pipelines.packed import pack
        from diagnose.pipelines.rulebook import load_rules, rule_files

        here = Path.cwd()
        os.chdir(Path(self.root) / "rules")
        try:
            packed = {
                "rules": pack(load_rules(rule_files([Path()]))),
                "targets": targets.pack(targets.read_targets(targets.target_files([Path()]))),
            }
        finally:
            os.chdir(here)
        for name, content in packed.items():
            made = Path(self.directory) / f"{name}.msgpack"
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_bytes(content)
            build_data["force_include"][str(made)] = f"diagnose/_{name}.msgpack"
