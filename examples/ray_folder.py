#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The lines in all images of a folder, or of Parquet files, on all machines of a Ray cluster.

    examples/ray_folder.py examples/photos lines.parquet
    examples/ray_folder.py images.parquet lines.parquet --column image
    examples/ray_folder.py /mnt/shots /mnt/lines.parquet --ray 10.0.0.1:6379

Starts Ray on this machine unless --ray names a cluster. The images in Parquet files are the bytes
of PNG or JPEG files.
"""

import argparse
from pathlib import Path

import pyarrow.parquet
import ray

import vsmax.ray


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument(
        "images", help="folder of PNG and JPEG files, or a name that ends in .parquet"
    )
    parser.add_argument("out", help="folder to write, which must not exist")
    parser.add_argument("--column", default="bytes", help="of the images in Parquet files")
    parser.add_argument("--model", default="auto")
    parser.add_argument("--ray", metavar="ADDRESS", default="local", help="of a cluster")
    arguments = parser.parse_args()
    source, out = Path(arguments.images).resolve(), Path(arguments.out).resolve()
    if out.exists():
        parser.error(f"{out} exists already")

    ray.init(arguments.ray)
    if source.suffix == ".parquet":
        images = ray.data.read_parquet(str(source))
    else:
        endings = ["png", "jpg", "jpeg"]
        images = ray.data.read_binary_files(
            str(source), include_paths=True, file_extensions=endings
        )
    found = vsmax.ray.detect(images, column=arguments.column, model=arguments.model)
    found.write_parquet(str(out))

    errors = pyarrow.parquet.read_table(out, columns=["error"]).column("error")
    print(f"{len(errors)} images, of which {errors.drop_null().length()} could not be read: {out}")


if __name__ == "__main__":
    main()
