"""A controller from another source: a pythonfmu slave, written by hand, without mbs_fmu.

It is a proportional speed regulator with variable names of its own. `mbs.System` couples it to the governor like
any other FMU (see governor_speed_regulation.py).
"""

from pythonfmu import Fmi2Causality, Fmi2Slave, Fmi2Variability, Real


class HandWrittenRegulator(Fmi2Slave):
    """moment = gain (set_point - speed)."""

    description = "Proportional speed regulator, written by hand"

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.speed = 0.0
        self.set_point = 10.0
        self.gain = 0.5
        self.moment = 0.0
        self.register_variable(Real("speed", causality=Fmi2Causality.input))
        self.register_variable(Real("set_point", causality=Fmi2Causality.input))
        self.register_variable(Real("gain", causality=Fmi2Causality.parameter, variability=Fmi2Variability.tunable))
        self.register_variable(Real("moment", causality=Fmi2Causality.output, getter=self.law))

    def law(self) -> float:
        return self.gain * (self.set_point - self.speed)

    def do_step(self, current_time: float, step_size: float) -> bool:
        return True
