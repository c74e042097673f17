# SPDX-License-Identifier: Apache-2.0
"""``python -m vsmax`` is the command vsmax."""

from ._program import main

main()
