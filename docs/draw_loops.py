"""Draw docs/loops.png: the mechanisms with closed loops of models/, in motion. Run from the top of the project:

python docs/draw_loops.py
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np

import mbs_fmu as mbs
from mbs_fmu.view.plots import new_figure

sys.path.insert(0, "models")
from four_bar import four_bar
from n_four_bar import n_four_bar
from slider_crank import regulated_slider_crank
from stewart_platform import HEIGHT, stewart_platform

LINE = {"linewidth": 1.6, "solid_capstyle": "round"}


def rods(axis: Any, points: list[np.ndarray], color: str, alpha: float = 1.0) -> None:
    """A chain of rods from point to point."""
    axis.plot(*np.array(points).T, color=color, alpha=alpha, marker="o", markersize=3, **LINE)


def draw_four_bar(axis: Any) -> None:
    model = four_bar()
    model.output("middle", mbs.position("coupler", (1.0, 0, 0.7)))
    run = mbs.simulate(model, 3.6, rtol=1e-8)
    for k, alpha in zip(np.linspace(0, len(run) - 1, 9).astype(int), np.linspace(0.15, 1.0, 9), strict=True):
        crank = run["crank.phi"][k]
        end = np.array([np.cos(crank), np.sin(crank)])
        rods(axis, [np.zeros(2), end, run["place"][k][[0, 2]], np.array([2.0, 0.0])], "tab:blue", alpha)
    axis.plot(run["middle"][:, 0], run["middle"][:, 2], color="tab:orange", label="a point of the coupler")
    axis.set(title="four_bar", aspect="equal", xlabel="x (m)", ylabel="z (m)")
    axis.legend(loc="lower left", fontsize=7)


def draw_slider_crank(axis: Any) -> None:
    run = mbs.simulate(regulated_slider_crank(), 3.0, inputs={"set_point": 110.0, "torque": -8.0}, output_interval=2e-3)
    axis.plot(run.time, run["speed"], color="tab:blue", label="speed (rad/s)")
    axis.plot(run.time, 100 * run["throttle"], color="tab:orange", label="throttle (%)")
    axis.set(title="slider_crank with its regulator", xlabel="time (s)")
    axis.legend(loc="lower right", fontsize=7)


def draw_n_four_bar(axis: Any) -> None:
    n = 4
    run = mbs.simulate(n_four_bar(n), 2.7, rtol=1e-8)
    for k, alpha in zip(np.linspace(0, len(run) - 1, 7).astype(int), np.linspace(0.15, 1.0, 7), strict=True):
        top = np.array([np.sin(run["angle"][k]), np.cos(run["angle"][k])])
        feet = [np.array([i, 0.0]) for i in range(n + 1)]
        rods(axis, [foot + top for foot in feet], "tab:green", alpha)
        for foot in feet:
            rods(axis, [foot, foot + top], "tab:blue", alpha)
    axis.set(title=f"n_four_bar({n}), through its singular positions", aspect="equal", xlabel="x (m)", ylabel="z (m)")


def draw_stewart(axis: Any) -> None:
    model = stewart_platform()
    for k in range(6):
        model.output(f"foot{k}", mbs.position(f"tube{k + 1}"))
        model.output(f"head{k}", mbs.position(f"rod{k + 1}"))
    push = {f"leg{k + 1}": (lambda t, k=k: 400 * mbs.sin(3 * t + k)) for k in range(6)}
    run = mbs.simulate(model, 4.0, inputs=push, rtol=1e-7)
    for k in range(6):
        rods(axis, [run[f"foot{k}"][-1], run[f"head{k}"][-1]], "tab:blue")
    ring = [run[f"head{k % 6}"][-1] for k in range(7)]
    axis.plot(*np.array(ring).T, color="tab:green", linewidth=2.5)
    centre = {"color": "tab:orange", "zorder": 10}
    axis.plot(*run["place"].T, linewidth=1, **centre)
    axis.plot(*run["place"][-1:].T, linestyle="", marker="o", markersize=7, label="the plate's centre", **centre)
    axis.set(title="stewart_platform", zlim=(0, 1.3 * HEIGHT))
    axis.set_box_aspect((1, 1, 0.6), zoom=0.95)
    axis.set(xlabel="x (m)", ylabel="y (m)", zlabel="z (m)", xticks=(-1, 0, 1), yticks=(-1, 0, 1), zticks=(0, 0.5, 1))
    axis.computed_zorder = False  # the centre in front of the legs
    axis.legend(loc="upper left", fontsize=7)


def main() -> None:
    figure = new_figure(width=10, height=7.5)
    figure.get_layout_engine().set(h_pad=0.15)
    draw_four_bar(figure.add_subplot(2, 2, 1))
    draw_slider_crank(figure.add_subplot(2, 2, 2))
    draw_n_four_bar(figure.add_subplot(2, 2, 3))
    draw_stewart(figure.add_subplot(2, 2, 4, projection="3d"))
    figure.savefig(Path("docs/loops.png"), dpi=90)


if __name__ == "__main__":
    main()
