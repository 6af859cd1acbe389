"""A vector environment of gymnasium on a `Stepper`; importing this module needs the extra `gym`."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ...infrastructure.arguments import ParameterValues, finite, whole
from ...infrastructure.errors import ArgumentError
from ...infrastructure.messages.calls import add_clear_errors
from ...infrastructure.messages.failures import display
from ...infrastructure.messages.names import listed
from ...infrastructure.messages.suggestions import did_you_mean
from ...model.model import Model
from ..extras import extra
from .stepper import Stepper

extra("gymnasium", "gymnasium", "gym", "mbs.gym")  # raises ModelError without the package

import gymnasium  # noqa: E402
from gymnasium import vector  # noqa: E402

Judged = str | Callable[[np.ndarray, np.ndarray], Any]  #: name of an output, or a function of observations and actions
Drawn = Callable[[np.random.Generator, int], Mapping[str, Any]]  #: numbers by name for a number of members
Info = dict[str, Any]


@add_clear_errors
class MechanismEnv(vector.VectorEnv):
    """A vector environment of gymnasium: `num_envs` members of a model, with actions for its inputs.

    model: the model. num_envs: number of members. interval, step, method, threads, inputs, parameters: as in `Stepper`;
    the inputs are those that are not actions. actions: bounds (low, high) of the inputs that are actions, by name, in
    their units; actions beyond them are clipped. observation: names of coordinates, joint velocities, signal states and
    outputs. reward: the name of an output, or a function of the observations after the step, (num_envs, numbers), and
    the clipped actions, (num_envs, inputs), that returns (num_envs,). terminated: the same for the ends of episodes: an
    output that is positive at an end, or a function that returns booleans; None: episodes end by failures and horizon
    only. start, new_parameters: functions of a random generator and a number of members, that return start values and
    parameters by name for this number of members; None: the model's. horizon: number of steps after which an episode is
    truncated; None: unlimited. autoreset: "NextStep", "SameStep" or "Disabled", as in `gymnasium.vector.AutoresetMode`.
    reward_at_failure: reward of a step that fails.

    A member that fails (its numbers are no longer finite) terminates with the observation before that step, so that all
    observations and rewards are finite; `info["failed"]` marks such members. Observations and actions are doubles.

    Raises ModelError and ArgumentError for unusable arguments.
    """

    def __init__(
        self, model: Model, num_envs: int, *, interval: float, actions: Mapping[str, tuple[float, float]],
        observation: Sequence[str], reward: Judged, terminated: Judged | None = None, step: float | None = None,
        start: Drawn | None = None, new_parameters: Drawn | None = None, horizon: int | None = None,
        autoreset: Any = "NextStep", reward_at_failure: float = 0.0, method: str = "rk4", threads: int = 1,
        inputs: Mapping[str, float] | None = None, parameters: ParameterValues | None = None,
    ):  # fmt: skip
        self.autoreset_mode = _mode(autoreset)
        self.metadata = {"autoreset_mode": self.autoreset_mode}
        self.stepper = Stepper(
            model, num_envs, interval, step, threads, method=method, inputs=inputs, parameters=parameters
        )
        self.num_envs, self.horizon = num_envs, None if horizon is None else whole(horizon, "horizon")
        self._low, self._high, self._acting = self._bounds(actions)
        self._inputs = self.stepper.read(self.stepper.inputs)
        self._observed = [observation] if isinstance(observation, str) else list(observation)
        self._reward = self._judge(reward, "reward")
        self._ends = None if terminated is None else self._judge(terminated, "terminated")
        self._start, self._new_parameters = _drawing(start, "start"), _drawing(new_parameters, "new_parameters")
        self._reward_at_failure = finite(reward_at_failure, "reward_at_failure")
        self._ages, self._over = np.zeros(num_envs, dtype=int), np.zeros(num_envs, dtype=bool)
        self._seen, self._is_started = self.stepper.values(self._observed), False
        self._make_spaces()

    # -- gymnasium's interface ---------------------------------------------------------------------------
    def reset(self, *, seed: int | None = None, options: Info | None = None) -> tuple[np.ndarray, Info]:
        """Start all members, or those of `options["reset_mask"]`, bool (num_envs,); return all observations.

        Raises ArgumentError for an invalid mask.
        """
        super().reset(seed=seed)
        self._is_started = True
        given = (options or {}).get("reset_mask")
        mask = np.ones(self.num_envs, dtype=bool) if given is None else np.asarray(given)
        if mask.shape != (self.num_envs,) or mask.dtype != bool or not mask.any():
            raise ArgumentError(f"reset_mask is {display(given)}: give a bool for each of {self.num_envs} members")
        self._restart(mask)
        return self._seen.copy(), {}

    def step(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, Info]:
        """Advance all members by one interval; return observations, rewards, terminations, truncations and information.

        In mode "NextStep", members whose episode has ended restart instead; their action has no effect and their reward
        is 0. In mode "SameStep", they restart at once, and `info["final_obs"]` has their last observations. In mode
        "Disabled", raises ArgumentError until `reset` has started them. Raises gymnasium's ResetNeeded before the first
        `reset`.
        """
        if not self._is_started:
            raise gymnasium.error.ResetNeeded("call reset() before the first step: it draws the start values")
        again, same_step = self._over, self.autoreset_mode is vector.AutoresetMode.SAME_STEP
        if again.any() and self.autoreset_mode is vector.AutoresetMode.DISABLED:
            member = int(np.argmax(again))
            raise ArgumentError(f"member {member} has ended: call reset(options={{'reset_mask': ...}}) before the step")
        rewards, terminated, truncated, failed = self._advanced(actions)
        for result in (rewards, terminated, truncated, failed):
            result[again] = 0
        over = terminated | truncated
        info: Info = {"failed": failed, "_failed": failed.copy()} if failed.any() else {}
        if same_step and over.any():
            info = _final(over, self._seen, info)
        self._over = over
        self._restart(over.copy() if same_step else again)
        return self._seen.copy(), rewards, terminated, truncated, info

    # -- parts of a step ---------------------------------------------------------------------------------
    def _advanced(self, actions: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Make an interval; return rewards, terminations, truncations and failures, each (num_envs,)."""
        given = np.asarray(actions, dtype=float)
        if given.shape != self.action_space.shape:
            raise ArgumentError(f"actions have the shape {given.shape}: give one of {self.action_space.shape}")
        clipped = np.clip(given, self._low, self._high)
        self._inputs[:, self._acting] = clipped
        self.stepper.advance(self._inputs)
        failed, seen = self.stepper.failed.copy(), self.stepper.values(self._observed)
        seen[failed] = self._seen[failed]
        self._seen = seen
        self._ages += 1
        rewards = np.where(failed, self._reward_at_failure, self._reward(seen, clipped))
        if not np.isfinite(rewards).all():
            member = int(np.argmin(np.isfinite(rewards)))
            raise ArgumentError(f"reward of member {member} is {rewards[member]}: give finite numbers")
        ended = failed if self._ends is None else failed | (self._ends(seen, clipped) > 0.0)
        late = np.zeros_like(failed) if self.horizon is None else self._ages >= self.horizon
        return rewards, ended.copy(), late, failed

    def _restart(self, mask: np.ndarray) -> None:
        """Restart the members of a mask."""
        if not np.any(mask):
            return
        self.stepper.reset(mask, self._drawn(self._start, mask), self._drawn(self._new_parameters, mask))
        self._seen[mask] = self.stepper.values(self._observed)[mask]
        self._ages[mask], self._over[mask] = 0, False

    def _drawn(self, draw: Drawn | None, mask: np.ndarray) -> dict[str, np.ndarray]:
        """Return numbers by name for all members; those of the mask are drawn."""
        count = int(mask.sum())
        numbers = {}
        given = {} if draw is None else draw(self.np_random, count)
        if not isinstance(given, Mapping):
            raise ArgumentError(f"start= or new_parameters= returned {display(given)}: return a dictionary by name")
        for name, values in given.items():
            drawn = np.asarray(values, dtype=float)
            if drawn.shape not in ((), (count,)):
                raise ArgumentError(f"{name!r} is drawn with the shape {drawn.shape}: return ({count},), or one number")
            numbers[name] = np.full(self.num_envs, drawn.flat[0])
            numbers[name][mask] = drawn
        return numbers

    def _judge(self, judged: Any, what: str) -> Callable[[np.ndarray, np.ndarray], np.ndarray]:
        """Return a function of observations and actions with a number for each member, (num_envs,)."""
        if isinstance(judged, str):
            if len(self.stepper.columns([judged])) != 1:
                raise ArgumentError(f"{what} is the vector {judged!r}: name one of its components")
            self.stepper.values([judged])  # raises ArgumentError for an unknown name
            return functools.partial(self._output, judged)
        if not callable(judged):
            raise ArgumentError(f"{what} is {display(judged)}: give the name of an output, or a function")
        return functools.partial(self._judged, judged, what)

    def _output(self, name: str, observations: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return an output of all members."""
        return self.stepper.values([name])[:, 0]

    def _judged(self, judged: Any, what: str, observations: np.ndarray, actions: np.ndarray) -> np.ndarray:
        """Return the numbers of a user's function. Raises ArgumentError for another shape."""
        numbers = np.asarray(judged(observations, actions), dtype=float)
        if numbers.shape != (self.num_envs,):
            raise ArgumentError(f"{what} has the shape {numbers.shape}: return one of ({self.num_envs},)")
        return numbers

    # -- spaces ------------------------------------------------------------------------------------------
    def _bounds(self, actions: Any) -> tuple[np.ndarray, np.ndarray, list[int]]:
        """Return lower and upper bounds of actions, and their places among the inputs. Raises ArgumentError."""
        inputs = self.stepper.names["inputs"]
        if not isinstance(actions, Mapping) or not actions:
            raise ArgumentError(f"actions is {display(actions)}: give the bounds (low, high) of inputs by name")
        for name, bounds in actions.items():
            if name not in inputs:
                raise ArgumentError(
                    f"action {display(name)} is not an input{did_you_mean(name, inputs)}: {listed(inputs)}"
                )
            low, high = bounds if isinstance(bounds, Sequence) and len(bounds) == 2 else (bounds, None)
            if not finite(low, f"lower bound of {name!r}") < finite(high, f"upper bound of {name!r}"):
                raise ArgumentError(f"bounds of {name!r} are {display(bounds)}: give (low, high), low below high")
        low, high = (np.array([float(bounds[k]) for bounds in actions.values()]) for k in (0, 1))
        return low, high, [inputs.index(name) for name in actions]

    def _make_spaces(self) -> None:
        box, batched = gymnasium.spaces.Box, vector.utils.batch_space
        self.single_action_space = box(self._low, self._high, dtype=np.float64)
        self.single_observation_space = box(-np.inf, np.inf, self._seen.shape[1:], np.float64)
        self.action_space = batched(self.single_action_space, self.num_envs)
        self.observation_space = batched(self.single_observation_space, self.num_envs)


def _drawing(draw: Drawn | None, what: str) -> Drawn | None:
    """Return a function that draws numbers. Raises ArgumentError if it does not accept a generator and a number."""
    if draw is None:
        return None
    try:
        inspect.signature(draw).bind(None, 1)
    except TypeError:
        raise ArgumentError(
            f"{what} is {display(draw)}: give a function (rng, n) of a random generator and a number of members"
        ) from None
    return draw


def _mode(autoreset: Any) -> Any:
    """Return a mode of gymnasium by its name or as it is. Raises ArgumentError."""
    try:
        return vector.AutoresetMode(autoreset)
    except ValueError:
        known = ", ".join(repr(mode.value) for mode in vector.AutoresetMode)
        raise ArgumentError(f"autoreset is {display(autoreset)}: use one of {known}") from None


def _final(over: np.ndarray, observations: np.ndarray, info: Info) -> Info:
    """Return the information about ended episodes in mode "SameStep", in the form of gymnasium's environments."""
    final = np.full(len(over), None, dtype=object)
    for member in np.flatnonzero(over).tolist():
        final[member] = observations[member].copy()
    return {"final_obs": final, "_final_obs": over.copy(), "final_info": info, "_final_info": over.copy()}
