"""Which calls FMI allows in each state of an instance, copied from the standard.

FMI 2.0.4: the tables of sections 3.2.3 and 4.2.4. FMI 3.0.2: "Allowed Function Calls" of the states in sections 2.3,
3.2 and 4.2. Of setting and reading variables each kind of variable has its own row.

    x  allowed
    .  not allowed: the FMU answers with an error
    t  not allowed, but tolerated: the FMU answers, and what says the present state again changes nothing
    -  left out: the standard leaves it open, or it depends on the variable

Kinds of variables: "start" has an exact start value and is fixed, "state" is a continuous state, "computed" the result
of others. Inputs are continuous. What is tolerated is harmless, and importers do it: they read start values before they
initialize, set parameters at any time, and set the time and states before they leave event mode.
"""

from __future__ import annotations

EXCHANGE_2 = """
                           instantiated initialization event continuous terminated
SetDebugLogging            x x x x x
SetupExperiment            x . . . .
EnterInitializationMode    x . . . .
ExitInitializationMode     . x . . .
Terminate                  . . x x .
Reset                      x x x x x
get_output                 t x x x x
get_any                    t t x x x
set_start                  x x . . .
set_input                  t x x x .
set_tunable                x x x t .
set_state                  - - t x .
set_computed               . . . . .
GetFMUState                x x x x x
SetFMUState                x x x x x
FreeFMUState               x x x x x
SerializeFMUState          x x x x x
DeserializeFMUState        x x x x x
GetDirectionalDerivative   . x x x x
EnterEventMode             . . x x .
UpdateDiscreteStates       . . x . .
EnterContinuousTimeMode    . . x . .
CompletedIntegratorStep    . . . x .
SetTime                    . . t x .
SetContinuousStates        . . . x .
GetEventIndicators         . x x x x
GetContinuousStates        . x x x x
GetContinuousStateDerivatives . x x x x
GetNominalsOfContinuousStates x x x x x
SetInputDerivatives        . . . . .
GetOutputDerivatives       . . . . .
DoStep                     . . . . .
CancelStep                 . . . . .
GetRealStatus              . . . . .
"""

COSIMULATION_2 = """
                           instantiated initialization step terminated
SetDebugLogging            x x x x
SetupExperiment            x . . .
EnterInitializationMode    x . . .
ExitInitializationMode     . x . .
Terminate                  . . x .
Reset                      x x x x
get_output                 t x x x
get_any                    t t x x
set_start                  x x . .
set_input                  t x x .
set_tunable                x x x .
set_state                  - - . .
set_computed               . . . .
GetFMUState                x x x x
SetFMUState                x x x x
FreeFMUState               x x x x
SerializeFMUState          x x x x
DeserializeFMUState        x x x x
GetDirectionalDerivative   . x x x
EnterEventMode             . . . .
UpdateDiscreteStates       . . . .
EnterContinuousTimeMode    . . . .
CompletedIntegratorStep    . . . .
SetTime                    . . . .
SetContinuousStates        . . . .
GetEventIndicators         . . . .
GetContinuousStates        . . . .
GetContinuousStateDerivatives . . . .
GetNominalsOfContinuousStates . . . .
SetInputDerivatives        x x x .
GetOutputDerivatives       . . x x
DoStep                     . . x .
CancelStep                 . . . .
GetRealStatus              . . x x
"""

EXCHANGE_3 = """
                           instantiated initialization event continuous terminated
SetDebugLogging            x x x x x
EnterInitializationMode    x . . . .
ExitInitializationMode     . x . . .
Terminate                  . . x x .
Reset                      x x x x x
get_output                 x x x x x
get_any                    x x x x x
set_start                  x x . . .
set_input                  x x x x .
set_tunable                x x x t .
set_state                  - - t x .
set_computed               . . . . .
GetFMUState                x x x x x
SetFMUState                x x x x x
FreeFMUState               x x x x x
SerializeFMUState          x x x x x
DeserializeFMUState        x x x x x
GetDirectionalDerivative   . x x x x
GetAdjointDerivative       . x x x x
EnterConfigurationMode     . . . . .
EnterEventMode             . . t x .
EvaluateDiscreteStates     . t x . .
UpdateDiscreteStates       . . x . .
EnterContinuousTimeMode    . . x . .
EnterStepMode              . . . . .
CompletedIntegratorStep    . . . x .
SetTime                    . . t x .
SetContinuousStates        . . . x .
GetEventIndicators         . x x x x
GetContinuousStates        . x x x x
GetContinuousStateDerivatives . x x x x
GetNominalsOfContinuousStates . x x x x
GetNumberOfContinuousStates x t x t t
GetNumberOfEventIndicators x t x t t
GetOutputDerivatives       . . . . .
DoStep                     . . . . .
"""

# In intermediate updates the standard's super state would allow to reset, save and restore an instance whose step is
# under way; the FMU refuses it, and the walks leave it out.
COSIMULATION_3 = """
                           instantiated initialization event step update terminated
SetDebugLogging            x x x x x x
EnterInitializationMode    x . . . . .
ExitInitializationMode     . x . . . .
Terminate                  . . x x . .
Reset                      x x x x - x
get_output                 x x x x x x
get_any                    x x x x x x
set_start                  x x . . . .
set_input                  x x x x . .
set_tunable                x x x x . .
set_state                  - - . . . .
set_computed               . . . . . .
GetFMUState                x x x x - x
SetFMUState                x x x x - x
FreeFMUState               x x x x - x
SerializeFMUState          x x x x - x
DeserializeFMUState        x x x x - x
GetDirectionalDerivative   . x x x . x
GetAdjointDerivative       . x x x . x
EnterConfigurationMode     . . . . . .
EnterEventMode             . . t x . .
EvaluateDiscreteStates     . t x . . .
UpdateDiscreteStates       . . x . . .
EnterContinuousTimeMode    . . . . . .
EnterStepMode              . . x . . .
CompletedIntegratorStep    . . . . . .
SetTime                    . . . . . .
SetContinuousStates        . . . . . .
GetEventIndicators         . . . . . .
GetContinuousStates        . . . . . .
GetContinuousStateDerivatives . . . . . .
GetNominalsOfContinuousStates . . . . . .
GetNumberOfContinuousStates . . . . . .
GetNumberOfEventIndicators . . . . . .
GetOutputDerivatives       . . . x x x
DoStep                     . . . x . .
"""

Table = dict[str, dict[str, str]]  #: mark of each call, by the state of the instance


def parsed(text: str) -> Table:
    head, *rows = [line.split() for line in text.strip().splitlines()]
    assert all(len(row) == len(head) + 1 for row in rows)
    return {state: {row[0]: row[k + 1] for row in rows} for k, state in enumerate(head)}


TABLES: dict[tuple[str, bool], Table] = {
    ("2.0", True): parsed(EXCHANGE_2),
    ("2.0", False): parsed(COSIMULATION_2),
    ("3.0", True): parsed(EXCHANGE_3),
    ("3.0", False): parsed(COSIMULATION_3),
}  #: by version, and whether the interface is model exchange


def without_event_mode(table: Table) -> Table:
    """The table of a co-simulation instance that was made without event mode."""
    return {state: {**row, "EnterEventMode": "."} for state, row in table.items() if state != "event"}
