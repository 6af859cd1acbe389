"""Models in Modelica: a small library of components with the names of the Modelica Standard Library, and rumoca."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from mbs_fmu.model.model import Model
from mbs_fmu.modelica.names import identifier
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


def compiled(text: str, name: str = "Alone") -> Any:
    """The model `name` of a text in Modelica, compiled by rumoca, which must find as many equations as unknowns.

    Skips the test if rumoca is missing.
    """
    rumoca = pytest.importorskip("rumoca", reason="Modelica needs the package rumoca, of the extra `peers`")
    file = f"test_{next(_numbers)}.mo"  # a file of this name would be read too
    model = rumoca.Session().loads(LIBRARY + text, model=name, filename=file)
    structure = model.structure()
    assert structure.is_balanced and structure.is_matched, f"{name}: {structure}"
    return model


def run(model: Any, expected: Result, rtol: float = 1e-11) -> Any:
    """Result of a run by rumoca, with rows at the times of another result."""
    import rumoca

    stop, rows = float(expected.time[-1]), len(expected) - 1
    return model.simulate(t=(0.0, stop), dt=stop / rows, config=rumoca.SimConfig(rtol=rtol, atol=rtol))


def assert_agree(got: Any, expected: Result, columns: Mapping[str, str], bound: float) -> None:
    """Compare variables of a run by rumoca with the columns of a result, to `bound` of the largest of each, or of 1.

    columns: of the result, by the names of the variables.
    """
    assert np.allclose(got.time, expected.time, rtol=0.0, atol=1e-12)
    for name, column in columns.items():
        numbers, wanted = np.array(got[name]), expected[column]
        differences = np.abs(numbers - wanted) / max(1.0, float(np.abs(wanted).max()))
        k = int(differences.argmax())
        assert differences[k] <= bound, f"{name} at {expected.time[k]:g} s is {numbers[k]!r} instead of {wanted[k]!r}"


def alone(text: str, model: Model, name: str = "M") -> str:
    """Text of the class Alone, an instance m of a model whose inputs have their start values."""
    inputs = "".join(f"  m.{identifier(x)} = {i.start!r};\n" for x, i in model.inputs.items())
    return f"{text}\nmodel Alone\n  {name} m;\nequation\n{inputs}end Alone;\n"


def columns_of(got: Any, expected: Result) -> dict[str, str]:
    """Columns of a result that the instance m of a model has too, by the names of its variables."""
    names = set(got.names)
    return {f"m.{identifier(x)}": x for x in expected.columns[1:] if f"m.{identifier(x)}" in names}
