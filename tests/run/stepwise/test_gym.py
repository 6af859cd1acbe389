"""Environments of gymnasium: what an algorithm sees at the ends of episodes, and gymnasium's own checks."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mbs_fmu as mbs
from support.comparisons import assert_close

gymnasium = pytest.importorskip("gymnasium", reason="the package gymnasium is not installed")
MODES = ("NextStep", "SameStep", "Disabled")
H = 0.1


def rolling() -> mbs.Model:
    """A cart without friction, that a force accelerates by 1 m/s² for each newton."""
    m = mbs.Model("rolling", gravity=(0, 0, 0))
    cart = m.body("cart", joint=mbs.Prismatic("x"), mass=m.parameter("mass", 1.0, unit="kg", min=0.1))
    m.motor("motor", on=cart, force=m.input("push", unit="N"))
    m.motor("wind", on=cart, force=m.input("wind", unit="N"))
    m.output("reward", 1.0 - mbs.coordinate(cart) ** 2)
    m.output("far", mbs.abs(mbs.coordinate(cart)) - 1.0)
    m.output("place", mbs.position(cart))
    return m


def environment(size: int = 4, **changes: Any) -> Any:
    """An environment in which the member k starts at s = 0.3 k, without a speed."""
    settings: dict[str, Any] = {
        "interval": H, "actions": {"push": (-2.0, 2.0)}, "observation": ["cart.s", "cart.v"], "reward": "reward",
        "terminated": "far", "start": lambda rng, n: {"cart.s": 0.3 * np.arange(n)},
    }  # fmt: skip
    return mbs.gym.MechanismEnv(rolling(), size, **settings | changes)


def one(action: float, size: int = 4) -> np.ndarray:
    return np.full((size, 1), action)


def test_steps_follow_the_equation_of_motion() -> None:
    """s = s0 + f t² / 2, which rk4 integrates exactly; rewards belong to the state after the step."""
    env = environment(terminated=None)
    observations, info = env.reset(seed=0)
    assert info == {} and np.array_equal(observations, np.c_[0.3 * np.arange(4), np.zeros(4)])
    for k in range(1, 6):
        observations, rewards, terminated, truncated, info = env.step(one(1.0))
        s = 0.3 * np.arange(4) + 0.5 * (k * H) ** 2
        exact = np.c_[s, np.full(4, k * H)]
        assert_close(observations, exact, 1e-14, f"observation after step {k}", ("cart.s", "cart.v"))
        assert_close(rewards, 1 - s * s, 1e-14, f"reward of step {k}")
        assert not (terminated.any() or truncated.any() or info)


def no_start(rng: np.random.Generator, count: int) -> dict[str, np.ndarray]:
    """Numbers of new members; a function of a module, so that environments with it can be pickled."""
    return {"cart.s": 0.3 * np.arange(count)}


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_judge_their_own_members(copied: Callable[[Any], Any]) -> None:
    """A copy of an environment goes its own way: its rewards and ends are those of its members."""
    env = environment(start=no_start)
    env.reset(seed=0)
    twin = copied(env)
    for _ in range(4):
        observations, rewards, terminated, *_ = twin.step(one(2.0))
        assert np.array_equal(rewards, 1.0 - observations[:, 0] ** 2)
        assert np.array_equal(terminated, observations[:, 0] > 1.0)
    assert np.array_equal(env.stepper.read(env.stepper.q)[:, 0], 0.3 * np.arange(4))


def test_next_step_starts_anew_in_the_following_step() -> None:
    """At an end the algorithm sees the last observation; the next step is a start, without reward."""
    env = environment()
    env.reset(seed=0)
    last, rewards, terminated, truncated, _ = env.step(np.array([[0.0], [0.0], [0.0], [2.0]]))
    assert not terminated.any()  # the last member is at 0.91
    for _ in range(3):
        last, rewards, terminated, truncated, info = env.step(np.array([[0.0], [0.0], [0.0], [2.0]]))
    assert terminated.tolist() == [False, False, False, True] and not truncated.any() and last[3, 0] > 1.0
    assert rewards[3] == pytest.approx(1 - last[3, 0] ** 2, abs=1e-14) and info == {}
    first, rewards, terminated, truncated, _ = env.step(one(1.0))
    assert np.array_equal(first[3], [0.0, 0.0]) and rewards[3] == 0.0 and not terminated.any()
    assert first[0, 1] == pytest.approx(H, abs=1e-15)  # the others have moved on
    second, *_ = env.step(one(1.0))
    assert second[3, 1] == pytest.approx(H, abs=1e-15) and second[0, 1] == pytest.approx(2 * H, abs=1e-15)


def test_same_step_starts_anew_at_once() -> None:
    """The observation is that of the new episode; `final_obs` is the last one of the old episode."""
    env = environment()
    env.reset(seed=0)
    for _ in range(4):
        seen, rewards, terminated, _, info = env.step(np.array([[0.0], [0.0], [0.0], [2.0]]))
    assert terminated.tolist() == [False, False, False, True] and "final_obs" not in info  # mode NextStep
    env = environment(autoreset="SameStep")
    env.reset(seed=0)
    for _ in range(4):
        seen, rewards, terminated, _, info = env.step(np.array([[0.0], [0.0], [0.0], [2.0]]))
    assert terminated[3] and np.array_equal(seen[3], [0.0, 0.0])
    assert info["_final_obs"].tolist() == terminated.tolist() == info["_final_info"].tolist()
    final = info["final_obs"][3]
    assert final[0] > 1.0 and rewards[3] == pytest.approx(1 - final[0] ** 2, abs=1e-14) and info["final_obs"][0] is None
    seen, rewards, terminated, *_ = env.step(one(1.0))
    assert seen[3, 1] == pytest.approx(H, abs=1e-15) and rewards[3] != 0.0 and not terminated.any()


def test_disabled_waits_for_a_reset() -> None:
    """After an end a step is refused until the ended members are reset; others keep their state."""
    env = environment(autoreset="Disabled")
    env.reset(seed=0)
    for _ in range(4):
        seen, _, terminated, *_ = env.step(np.array([[0.0], [0.0], [1.0], [2.0]]))
    with pytest.raises(mbs.ArgumentError, match="member 3 has ended: call reset"):
        env.step(one(0.0))
    again, _ = env.reset(options={"reset_mask": terminated})
    assert np.array_equal(again[:3], seen[:3]) and np.array_equal(again[3], [0.0, 0.0])
    env.step(one(0.0))
    for mask in (np.zeros(4, dtype=bool), [1, 0, 0, 0], np.ones(3, dtype=bool)):
        with pytest.raises(mbs.ArgumentError, match="a bool for each of 4 members"):
            env.reset(options={"reset_mask": mask})


@pytest.mark.parametrize("mode", MODES)
def test_horizon_truncates(mode: str) -> None:
    """Episodes of a horizon of three steps are truncated, not terminated, at their third step."""
    env = environment(terminated=None, horizon=3, autoreset=mode)
    env.reset(seed=0)
    ends = [env.step(one(0.1))[2:4] for _ in range(3)]
    assert [truncated.all() for _, truncated in ends] == [False, False, True]
    assert not any(terminated.any() for terminated, _ in ends)
    if mode != "Disabled":  # mode NextStep needs one more step, which starts the next episode
        ends = [env.step(one(0.1))[3].all() for _ in range(3 + (mode == "NextStep"))]
        assert ends == [False] * (2 + (mode == "NextStep")) + [True]


@pytest.mark.parametrize("mode", MODES)
def test_failures_end_episodes_with_finite_numbers(mode: str) -> None:
    """A member that fails terminates; its observation is the one before, and its reward the given one."""
    m = mbs.Model("growing")
    push = m.input("push")
    z = m.state("z", rate=lambda z: z * z + push, start=0.5)
    m.output("reward", z)
    env = mbs.gym.MechanismEnv(
        m, 3, interval=0.5, step=0.01, actions={"push": (0.0, 1e3)}, observation=["z"], reward="reward",
        reward_at_failure=-7.0, autoreset=mode,
    )  # fmt: skip
    env.reset(seed=0)
    seen, rewards, terminated, truncated, info = env.step(np.array([[0.0], [1e3], [0.0]]))
    assert terminated.tolist() == [False, True, False] and not truncated.any() and rewards[1] == -7.0
    assert np.isfinite(seen).all() and np.isfinite(rewards).all()
    final = info["final_obs"][1] if mode == "SameStep" else seen[1]
    failed = info["final_info"]["failed"] if mode == "SameStep" else info["failed"]
    assert final[0] == 0.5 and failed.tolist() == [False, True, False]
    if mode == "Disabled":
        env.reset(options={"reset_mask": terminated})
    seen, rewards, terminated, *_ = env.step(np.zeros((3, 1)))
    assert np.isfinite(seen).all() and not terminated.any() and -7.0 not in rewards


def test_functions_judge() -> None:
    """Rewards and ends as functions of observations and clipped actions; starts and parameters are drawn."""
    env = environment(
        reward=lambda seen, actions: -np.abs(actions[:, 0]), terminated=lambda seen, actions: seen[:, 1] > 0.2,
        start=lambda rng, n: {"cart.s": rng.normal(size=n), "cart.v": 0.0},
        new_parameters=lambda rng, n: {"mass": np.full(n, 2.0)}, inputs={"wind": 1.0},
    )  # fmt: skip
    first, _ = env.reset(seed=5)
    same, _ = environment(start=lambda rng, n: {"cart.s": rng.normal(size=n)}).reset(seed=5)
    assert np.array_equal(first[:, 0], same[:, 0]) and len(set(first[:, 0])) == 4
    seen, rewards, terminated, *_ = env.step(one(50.0))
    assert_close(seen[:, 1], (2.0 + 1.0) / 2.0 * H, 1e-14, "cart.v of the members")
    assert np.array_equal(rewards, np.full(4, -2.0))
    assert not terminated.any()
    assert env.step(one(50.0))[2].all()


class Single(gymnasium.Env):
    """One member as an environment of gymnasium, which has a checker for these alone."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self) -> None:
        self.env = environment(
            1, autoreset="Disabled", start=lambda rng, n: {"cart.s": rng.uniform(-0.5, 0.5, n)}, horizon=50
        )
        self.observation_space = self.env.single_observation_space
        self.action_space = self.env.single_action_space

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict]:
        super().reset(seed=seed)
        seen, info = self.env.reset(seed=seed)
        return seen[0], info

    def step(self, action: np.ndarray) -> tuple[Any, float, bool, bool, dict]:
        seen, rewards, terminated, truncated, info = self.env.step(action[None])
        return seen[0], float(rewards[0]), bool(terminated[0]), bool(truncated[0]), info


@pytest.mark.filterwarnings("ignore:.*(minimum|maximum) value.*infinity", "ignore:.*recommend using a symmetric")
def test_gymnasiums_checker() -> None:
    """gymnasium's checks: types, seeds, determinism, no reuse of returned arrays; its wrappers of statistics work."""
    from gymnasium.utils.env_checker import check_env

    check_env(Single(), skip_render_check=True)
    env = gymnasium.wrappers.vector.RecordEpisodeStatistics(environment(horizon=5, terminated=None))
    env.reset(seed=0)
    for _ in range(5):
        *_, info = env.step(one(0.0))
    s = 0.3 * np.arange(4)
    # gymnasium adds rewards in single precision
    assert_close(info["episode"]["r"], 5 * (1 - s * s), 5e-6, "sum of the rewards")
    assert (info["episode"]["l"] == 5).all()
    assert env.observation_space.contains(env.step(env.action_space.sample())[0])


def test_refusals() -> None:
    """Wrong arguments raise one sentence each."""
    for changes, message in (
        ({"actions": {}}, r"the bounds \(low, high\) of inputs"),
        ({"actions": {"pull": (0, 1)}}, "'pull' is not an input"),
        ({"actions": {"push": (1, 0)}}, "low below high"), ({"actions": {"push": 3.0}}, "'push'"),
        ({"observation": ["cart.x"]}, "unknown variable 'cart.x'"), ({"reward": "prize"}, "unknown variable 'prize'"),
        ({"reward": "place"}, "one of its components"), ({"reward": 3}, "name of an output, or a function"),
        ({"start": lambda rng: {}}, r"start is .*: give a function \(rng, n\)"),
        ({"autoreset": "Never"}, "'NextStep', 'SameStep', 'Disabled'"), ({"horizon": 0}, "horizon is 0"),
    ):  # fmt: skip
        with pytest.raises(mbs.ModelError, match=message):
            environment(**changes)
    env = environment(reward=lambda seen, actions: seen)
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"call reset\(\) before the first step"):
        env.step(one(0.0))
    env.reset(seed=0)
    with pytest.raises(mbs.ModelError, match=r"reward has the shape \(4, 2\)"):
        env.step(one(0.0))
    with pytest.raises(mbs.ModelError, match=r"actions have the shape \(4,\): give one of \(4, 1\)"):
        env.step(np.zeros(4))
    with pytest.raises(mbs.ModelError, match="returned None: return a dictionary by name"):
        environment(start=lambda rng, n: None).reset(seed=0)
    env = environment(reward=lambda seen, actions: np.full(4, np.nan))
    env.reset(seed=0)
    with pytest.raises(mbs.ModelError, match="reward of member 0 is nan"):
        env.step(one(0.0))
    with pytest.raises(AttributeError, match="no attribute 'Env'"):
        _ = mbs.gym.Env
