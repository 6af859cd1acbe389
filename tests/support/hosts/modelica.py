"""Models in Modelica: a small library of components with the names of the Modelica Standard Library, and rumoca."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mbs_fmu.run.results.results import Result

#: Connectors and components that tests need, in the packages of the Modelica Standard Library.
LIBRARY = """
package Modelica
  package Blocks
    package Interfaces
      connector RealInput = input Real;
      connector RealOutput = output Real;
    end Interfaces;
  end Blocks;
  package Mechanics
    package Rotational
      package Interfaces
        connector Flange_a
          Real phi(unit="rad");
          flow Real tau(unit="N.m");
        end Flange_a;
        connector Flange_b
          Real phi(unit="rad");
          flow Real tau(unit="N.m");
        end Flange_b;
      end Interfaces;
      package Components
        model Inertia
          parameter Real J = 1.0;
          Interfaces.Flange_a flange_a;
          Interfaces.Flange_b flange_b;
          Real phi;
          Real w;
        equation
          phi = flange_a.phi;
          phi = flange_b.phi;
          der(phi) = w;
          J * der(w) = flange_a.tau + flange_b.tau;
        end Inertia;
        model SpringDamper
          parameter Real c = 1.0;
          parameter Real d = 0.0;
          Interfaces.Flange_a flange_a;
          Interfaces.Flange_b flange_b;
          Real twist;
        equation
          twist = flange_b.phi - flange_a.phi;
          flange_b.tau = c * twist + d * der(twist);
          flange_a.tau = -flange_b.tau;
        end SpringDamper;
      end Components;
      package Sources
        model Torque
          Modelica.Blocks.Interfaces.RealInput tau;
          Interfaces.Flange_b flange;
        equation
          flange.tau = -tau;
        end Torque;
      end Sources;
    end Rotational;
    package Translational
      package Interfaces
        connector Flange_a
          Real s(unit="m");
          flow Real f(unit="N");
        end Flange_a;
        connector Flange_b
          Real s(unit="m");
          flow Real f(unit="N");
        end Flange_b;
      end Interfaces;
      package Components
        model Mass
          parameter Real m = 1.0;
          Interfaces.Flange_a flange_a;
          Real s;
          Real v;
        equation
          s = flange_a.s;
          der(s) = v;
          m * der(v) = flange_a.f;
        end Mass;
      end Components;
    end Translational;
  end Mechanics;
end Modelica;
"""
_numbers = itertools.count()


def compiled(texts: Sequence[str], name: str) -> Any:
    """A model of Modelica, compiled by rumoca, from texts of classes; skips the test if rumoca is missing."""
    rumoca = pytest.importorskip("rumoca", reason="Modelica needs the package rumoca, of the extra `peers`")
    file = f"test_{next(_numbers)}.mo"  # a file of this name would be read too
    return rumoca.Session().loads("\n".join([LIBRARY, *texts]), model=name, filename=file)


def run(model: Any, stop: float, rows: int, rtol: float = 1e-10) -> Any:
    """Result of a run by rumoca, with rows at equal intervals."""
    import rumoca

    return model.simulate(t=(0.0, stop), dt=stop / rows, config=rumoca.SimConfig(rtol=rtol, atol=1e-2 * rtol))


def assert_agree(got: Any, expected: Result, names: Mapping[str, str], bound: float) -> None:
    """Compare variables of a run by rumoca with columns of a result at its times; bound: rad, m, rad/s or m/s."""
    times = np.array(got.time)
    for name, column in names.items():
        difference = np.abs(np.array(got[name]) - expected.at(times)[column])
        k = int(difference.argmax())
        assert difference[k] <= bound, f"{name} at {times[k]:g} s: {got[name][k]} instead of {difference[k]:g} less"


def text_of(path: Path) -> str:
    return path.read_text(encoding="utf-8")
