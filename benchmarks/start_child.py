"""Child process of the benchmark of first use that imports no more than a user's script."""

from __future__ import annotations

import time

import mbs_fmu as mbs

from .named import in_folder


def start(bodies: int, began: float) -> None:
    """Print processor and wall seconds from the start of the interpreter to the first result of a chain.

    began: `time.time()` at the start of the process.
    """
    model = in_folder("universal_chain")(bodies)
    mbs.simulate(model, 1e-3, method="rk4", step=1e-3, output_interval=1e-3, progress=False)
    print(time.process_time(), time.time() - began)
