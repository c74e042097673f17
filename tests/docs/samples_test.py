#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The examples of the documents: commands print what the documents say, C++ programs compile
against the installed library and run.

tests/docs/samples_test.py build
"""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(sys.argv.pop(1)).resolve()
PAGES = sorted((ROOT / "docs/site").rglob("*.md"))
DOCUMENTS = [ROOT / "README.md", ROOT / "examples/photos/README.md", *PAGES]
NEEDS_MORE = re.compile(r"\b(make|run|run-paper|DIR|photos|evaluate)\b(?!/\w+\.jpg|/\*)")


def blocks(text: str) -> list[str]:
    """Fenced sessions and indented blocks, without their fence or indentation."""
    fenced = re.findall(r"^```console\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    text = re.sub(r"^```.*?^```", "", text, flags=re.DOTALL | re.MULTILINE)
    indented = re.findall(r"(?:^    .*\n)+", text, re.MULTILINE)
    return fenced + [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in indented]


def sessions(text: str) -> list[tuple[str, str]]:
    """Commands after a "$" and what they print."""
    found = []
    for block in blocks(text):
        if block.startswith("$ "):
            for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
                command, _, output = part.partition("\n")
                found.append((command, output))
    return found


def commands(text: str) -> list[str]:
    """Commands without one, which are shown without their output."""
    lines = (line for block in blocks(text) for line in block.splitlines())
    return [line for line in lines if line.startswith("build/vsmax ")]


class Samples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        (cls.folder / "build").symlink_to(BUILD)
        (cls.folder / "examples").symlink_to(ROOT / "examples")
        (cls.folder / "photo.jpg").symlink_to(ROOT / "examples/photos/lake.jpg")
        cls.run_in_folder(f"{ROOT}/tools/demo.sh build/vsmax demo")
        cls.run_in_folder(f"cmake --install {BUILD} --prefix prefix")

    @classmethod
    def run_in_folder(cls, command):
        done = subprocess.run(command, shell=True, cwd=cls.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(f"{command}\n{done.stdout}{done.stderr}")
        return done.stdout

    def test_sessions_print_what_they_show(self):
        count = 0
        for document in DOCUMENTS:
            for command, output in sessions(document.read_text()):
                if not NEEDS_MORE.search(command):
                    count += 1
                    with self.subTest(document=document.name, command=command):
                        self.assertEqual(self.run_in_folder(command), output)
        self.assertGreater(count, 8)

    def test_commands_work(self):
        count = 0
        for document in DOCUMENTS:
            for command in commands(document.read_text()):
                if not NEEDS_MORE.search(command):
                    count += 1
                    with self.subTest(document=document.name, command=command):
                        self.run_in_folder(command)
        self.assertGreater(count, 0)

    def compile_and_run(self, code, opencv=""):
        """With the lines for CMake that the README shows."""
        readme = (ROOT / "README.md").read_text()
        use, link = re.search(r"```cmake\n(.*)\n(.*)\n```", readme).groups()
        (self.folder / "main.cpp").write_text(code)
        (self.folder / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.16)\nproject(app CXX)\n{use}\n"
            f"add_executable(app main.cpp)\n{link}\n{opencv}\n"
            "target_compile_options(app PRIVATE -Wall -Werror)\n"
        )
        self.run_in_folder("cmake -B app-build -DCMAKE_PREFIX_PATH=$PWD/prefix")
        self.run_in_folder("cmake --build app-build")
        return self.run_in_folder(
            "app-build/app examples/photos/streak.jpg examples/photos/sea.jpg"
        )

    def test_cpp_programs(self):
        page = (ROOT / "docs/site/engineer/cpp.md").read_text()
        one, batch = re.findall(r"```cpp\n(#include.*?)```", page, re.DOTALL)
        found = self.compile_and_run(one)
        self.assertRegex(
            found, r"streak.jpg: theta 1.08\d, rho 40.\d\d, confidence 0.7\d \(default\)"
        )
        self.assertRegex(found, r"sea.jpg: .* \(horizon\)")
        self.assertRegex(self.compile_and_run(batch), r"^\d+ lines\n\d+ lines\n$")

    def test_cpp_of_the_readme(self):
        code = re.search(r"```cpp\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
        include, statements = code.split("\n", 1)
        program = (
            f"#include <cstdio>\n#include <opencv2/core.hpp>\n{include}\nint main() {{\n"
            f"cv::Mat mat(64, 64, CV_8UC1, cv::Scalar(0));\nmat.row(20) = 255;\n{statements}"
            "return recovery.lines.size() == 1 ? 0 : 1;\n}\n"
        )
        self.compile_and_run(
            program,
            "target_include_directories(app SYSTEM PRIVATE /usr/include/opencv4)\n"
            "target_link_libraries(app PRIVATE opencv_core)",
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
