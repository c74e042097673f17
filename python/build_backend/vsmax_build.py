# SPDX-License-Identifier: Apache-2.0
"""scikit-build-core, after checking that everything the build needs is installed.

Reports what is missing in one sentence, where the tools themselves would print a hundred lines.
Builds the operators for torch if torch is there, which it never is in an isolated build.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from typing import Any


def _missing() -> str | None:
    if importlib.util.find_spec("scikit_build_core") is None:
        return "scikit-build-core is missing: pip install scikit-build-core"
    if shutil.which("cmake") is None and importlib.util.find_spec("cmake") is None:
        return "CMake 3.22 or newer is missing: apt install cmake, or pip install cmake"
    compilers = [os.environ.get("CXX", ""), "c++", "g++", "clang++"]
    if not any(name and shutil.which(name.split()[0]) for name in compilers):
        return "a C++20 compiler is missing: apt install g++"
    return None


def _require_everything() -> None:
    sentence = _missing()
    if sentence is not None:
        sys.exit(f"vsmax cannot be built: {sentence}.")


def _with_operators(settings: dict[str, Any] | None) -> dict[str, Any]:
    """Builds the operators where torch can be imported, unless the settings decide."""
    found = importlib.util.find_spec("torch") is not None
    return {"cmake.define.VSMAX_BUILD_PYTHON": "ON" if found else "OFF", **(settings or {})}


def get_requires_for_build_wheel(config_settings: dict[str, Any] | None = None) -> list[str]:
    from scikit_build_core import build

    return build.get_requires_for_build_wheel(config_settings)


def prepare_metadata_for_build_wheel(
    metadata_directory: str, config_settings: dict[str, Any] | None = None
) -> str:
    _require_everything()
    from scikit_build_core import build

    return build.prepare_metadata_for_build_wheel(metadata_directory, config_settings)


def build_wheel(
    wheel_directory: str,
    config_settings: dict[str, Any] | None = None,
    metadata_directory: str | None = None,
) -> str:
    _require_everything()
    from scikit_build_core import build

    return build.build_wheel(
        wheel_directory, _with_operators(config_settings), metadata_directory
    )


def get_requires_for_build_sdist(config_settings: dict[str, Any] | None = None) -> list[str]:
    from scikit_build_core import build

    return build.get_requires_for_build_sdist(config_settings)


def build_sdist(sdist_directory: str, config_settings: dict[str, Any] | None = None) -> str:
    from scikit_build_core import build

    return build.build_sdist(sdist_directory, config_settings)
