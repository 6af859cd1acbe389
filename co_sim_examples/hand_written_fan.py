"""A fan of a supplier: a pythonfmu slave, written by hand, without mbs_fmu.

A turning mass with the drag of its blades, and a flange to which a shaft is coupled: it takes the torque and gives
angle and speed. `mbs.System` couples it to the drive train like any other FMU (see drive_train.py).
"""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real

SUBSTEP = 2e-4  # s


class HandWrittenFan(Fmi2Slave):
    """inertia dw/dt = tau - drag w |w|, dphi/dt = w."""

    description = "Fan with quadratic drag, written by hand"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.inertia = 0.3  # kg.m2
        self.drag = 0.02  # N.m.s2/rad2
        self.values = {"phi": 0.0, "w": 0.0, "tau": 0.0}  # of the flange: rad, rad/s, N.m
        for name in ("inertia", "drag"):
            self.register_variable(Real(name, causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        for name, causality in (
            ("phi", Fmi2Causality.output), ("w", Fmi2Causality.output), ("tau", Fmi2Causality.input)
        ):  # fmt: skip
            self.register_variable(
                Real(
                    f"shaft.{name}",
                    causality=causality,
                    getter=lambda name=name: self.values[name],
                    setter=lambda value, name=name: self.values.update({name: value}),
                )
            )

    def rate(self, w: float) -> float:
        return (self.values["tau"] - self.drag * w * abs(w)) / self.inertia

    def do_step(self, current_time: float, step_size: float) -> bool:
        count = max(1, round(step_size / SUBSTEP))
        h = step_size / count
        for _ in range(count):  # the midpoint rule
            w = self.values["w"]
            middle = w + 0.5 * h * self.rate(w)
            self.values["phi"] += h * middle
            self.values["w"] += h * self.rate(middle)
        return True
