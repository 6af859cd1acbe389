"""Functions that sweeps of tests apply to results, in a module that worker processes can import."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import numpy as np

import mbs_fmu as mbs


def ends(result: mbs.BatchResult) -> dict[str, np.ndarray]:
    """Last values and ranges."""
    return {"last": result["z"][:, -1], "range": np.stack([result["z"].min(axis=1), result["z"].max(axis=1)], axis=-1)}


def deadly(result: mbs.BatchResult, marker: str, process: int) -> dict[str, np.ndarray]:
    """Like `ends`, but the first worker that has members 6 to 8 kills itself."""
    if os.getpid() != process and result.parameters["c"][0] == 6.0 and not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))
    return ends(result)
