# SPDX-License-Identifier: Apache-2.0
"""Lines in the images of a Ray Dataset, on all processors of a cluster. Ray is loaded when it is
first needed; the package's extra ``ray`` installs it.
"""

from __future__ import annotations

import os
import warnings
from typing import TYPE_CHECKING, Any

from .._c import Error
from ..detection import Detector, thread_count

if TYPE_CHECKING:
    import ray.data

# Of a task whose process dies. Without a limit, an image that kills its process, such as one too
# large for the machine's memory, would be retried forever.
_RETRIES = 5


def require_ray() -> None:
    """Raises an ImportError that says what to install."""
    try:
        import ray.data  # noqa: F401
    except ImportError as error:
        install = "pip install 'ray[data]>=2.60,<2.64'"
        raise ImportError(f"vsmax.ray needs Ray: {install} ({error})") from None


def detect(
    dataset: ray.data.Dataset,
    *,
    column: str = "bytes",
    model: str | os.PathLike[str] = "auto",
    lines: int | str = "auto",
    min_confidence: float = 0.5,
    dark: bool = False,
    threads: int = 1,
    concurrency: int | None = None,
    batch_size: int | None = 16,
    **options: Any,
) -> ray.data.Dataset:
    """The lines in a Dataset of images: one row per image, with the columns ``width``, ``height``,
    ``model``, ``lines`` and ``error``.

    ``column`` holds the images: the bytes of PNG or JPEG files, arrays as :func:`vsmax.detect`
    takes them, or paths of files that every machine can read. Bytes and arrays are left out of
    the result; all other columns are kept. An image that cannot be used has no ``lines`` but an
    ``error``, one sentence.

    ``model``, ``lines``, ``min_confidence`` and ``dark`` are those of :func:`vsmax.detect`; the
    file of a model must have the same path on every machine. Each actor keeps one model and uses
    ``threads`` threads. There are at most ``concurrency`` actors, by default as many as the cluster
    has processors for. ``batch_size`` and other ``options`` are those of ``Dataset.map_batches``,
    such as ``memory``. Lines are found on the CPU, so ``num_gpus`` is refused.

    Like ``map_batches``, this starts nothing yet. Raises :class:`vsmax.Error` for arguments that
    cannot be used, and ImportError without Ray.
    """
    require_ray()
    from ._worker import Worker, check_column

    if options.get("num_gpus"):
        raise Error("vsmax finds lines on the CPU: num_gpus would only keep GPUs from others")
    if thread_count(threads) == 0:
        raise Error("threads must be at least 1: an actor cannot know how many others there are")
    schema = dataset.schema(fetch_if_missing=False)
    if schema is not None:
        check_column(schema.names, column)
    asked = checked(model=model, lines=lines, min_confidence=min_confidence, dark=dark)
    return map_with(
        Worker,
        dataset,
        {"column": column, "folder": os.getcwd(), "asked": asked, "threads": threads},
        concurrency=concurrency,
        batch_size=batch_size,
        **{"num_cpus": threads, **options},
    )


def checked(model: str | os.PathLike[str], **others: Any) -> dict[str, Any]:
    """The arguments of a Detector, valid in any folder. Raises here rather than in every actor."""
    name = os.fsdecode(model)
    asked = {"model": os.path.abspath(name) if os.path.exists(name) else name, **others}
    Detector(**asked)
    return asked


def map_with(
    worker: type,
    dataset: ray.data.Dataset,
    arguments: dict[str, Any],
    concurrency: int | None,
    **options: Any,
) -> ray.data.Dataset:
    """``map_batches`` with our defaults, for actors that take and return Arrow tables."""
    import ray.data

    if concurrency is None:
        cpus = ray.cluster_resources().get("CPU", 1)
        concurrency = max(1, int(cpus / (options["num_cpus"] or 1)))
    with warnings.catch_warnings():
        # Ray 2.60 to 2.63 deprecate max_task_retries and have nothing in its place.
        warnings.filterwarnings("ignore", message="`ray_remote_args` is deprecated")
        return dataset.map_batches(
            worker,
            batch_format="pyarrow",
            fn_constructor_kwargs=arguments,
            # Starts with one: if actors took all processors, nothing could read their images.
            compute=ray.data.ActorPoolStrategy(min_size=1, max_size=concurrency),
            max_task_retries=_RETRIES,
            **options,
        )


__all__ = ["detect"]
