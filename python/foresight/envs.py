"""Gymnasium environments: one episode is one instance, one step is one arrival.

    import gymnasium as gym
    import foresight.envs  # registers them

    env = gym.make("foresight/EOBM-v0", source="crowd(u=10,v=30)")
    envs = gym.make_vec("foresight/EOBM-v0", num_envs=64, vectorization_mode="vector_entry_point")

One id per problem, such as foresight/EOBM-v0, foresight/OSBM-v0 and foresight/Adwords-v0.

Action: 0 skips, 1 + u matches the arrival to fixed node u, as in our scores. What can be chosen is in
`info["action_mask"]` and in `env.unwrapped.action_masks()`, True for possible. An action that is not
possible skips, with `info["illegal"]` True: an untrained agent may then play, and learns that it gains
nothing. Reward: the gain of the match, so an episode's return is its value.

Observation: what our model ff-hist sees (without `history`: ff), one row of numbers over skip and all fixed
nodes; `env.unwrapped.feature_names` says what they are. It is all zeros once the episode is over. All
instances of the source must have the same number of fixed nodes.

Seed: `reset(seed=s)` begins with instance 0 of the source's sequence s; every further `reset` takes the next
one. In a vector, environment i has seed s + i, and is the same as a single one with that seed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import gymnasium as gym
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode
from gymnasium.vector.utils import batch_space

from . import _core
from ._arrays import fitting
from ._core import State
from ._policy import Policy

__all__ = ["AgentPolicy", "MatchingEnv", "MatchingVectorEnv"]

_SEED_LIMIT = 1 << 63


def _make(problem: str, source: str | None, count: int, history: bool) -> _core.Environments:
    if source is None:
        raise ValueError(f'an environment for {problem} needs a source, e.g. source="movielens(path=FOLDER)"')
    return _core.Environments(source, problem, count, history)


def _spaces(core: _core.Environments) -> tuple[Any, Any]:
    observation = gym.spaces.Box(-np.inf, np.inf, (core.width,), np.float32)
    return observation, gym.spaces.Discrete(core.num_actions)


def _step(core: _core.Environments, begun: bool, actions: Any, restart: bool) -> Any:
    """Steps all environments. Raises TypeError for actions that are not whole numbers."""
    if not begun:
        raise gym.error.ResetNeeded("there is no episode yet: call reset before step")
    chosen = fitting("an action", actions, np.int64)
    if chosen.ndim != 1:
        raise ValueError(f"expected one action per environment, got {actions!r}")
    return core.step(chosen, restart)


class MatchingEnv(gym.Env[npt.NDArray[np.float32], np.int64]):
    """One episode at a time; see the module."""

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(self, problem: str, source: str | None = None, *, history: bool = True) -> None:
        """Raise ValueError if the source does not fit the problem."""
        self._core = _make(problem, source, 1, history)
        self.observation_space, self.action_space = _spaces(self._core)
        self._seeded = False

    @property
    def feature_names(self) -> list[str]:
        """What the columns of an observation are."""
        return self._core.feature_names

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Per action, whether it is possible now; as sb3-contrib's MaskablePPO asks for it."""
        masks: npt.NDArray[np.bool_] = self._core.masks()[0]
        return masks

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next instance; with a seed, the first of its sequence."""
        super().reset(seed=seed)
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(_SEED_LIMIT))
        self._core.reset(0, seed)
        self._seeded = True
        return self._core.observations()[0], {"action_mask": self.action_masks()}

    def step(self, action: Any) -> tuple[npt.NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Match the current arrival, or skip it."""
        rewards, terminated, illegal = _step(self._core, self._seeded, [action], False)
        info = {"action_mask": self.action_masks(), "illegal": bool(illegal[0])}
        return self._core.observations()[0], float(rewards[0]), bool(terminated[0]), False, info


class MatchingVectorEnv(gym.vector.VectorEnv[Any, Any, Any]):
    """Many episodes, stepped in C++; see the module. The step after an episode's last begins the next one."""

    metadata: dict[str, Any] = {"render_modes": [], "autoreset_mode": AutoresetMode.NEXT_STEP}

    def __init__(self, problem: str, source: str | None = None, *, num_envs: int = 1, history: bool = True) -> None:
        """Raise ValueError if the source does not fit the problem."""
        self._core = _make(problem, source, num_envs, history)
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = _spaces(self._core)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._seeded = False

    @property
    def feature_names(self) -> list[str]:
        """What the columns of an observation are."""
        return self._core.feature_names

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """A row per environment: per action, whether it is possible now."""
        return self._core.masks()

    def _info(self, **more: npt.NDArray[Any]) -> dict[str, Any]:
        info: dict[str, Any] = {"action_mask": self.action_masks(), **more}
        return info | {f"_{key}": np.ones(self.num_envs, np.bool_) for key in info}

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[npt.NDArray[np.float32], dict[str, Any]]:
        """Begin the next instance everywhere; a single seed gives environment i that seed + i."""
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(_SEED_LIMIT))
        if seed is None or isinstance(seed, (int, np.integer)):
            seeds = [None if seed is None else int(seed) + i for i in range(self.num_envs)]
        elif not isinstance(seed, (Sequence, np.ndarray)):
            raise TypeError(f"reset: seed must be a whole number, None, or one of these per environment, got {seed!r}")
        else:
            seeds = list(seed)
            if len(seeds) != self.num_envs:
                raise ValueError(f"{len(seeds)} seeds are given for {self.num_envs} environments")
        for i, own in enumerate(seeds):
            self._core.reset(i, own)
        self._seeded = True
        return self._core.observations(), self._info()

    def step(
        self, actions: Any
    ) -> tuple[
        npt.NDArray[np.float32],
        npt.NDArray[np.float64],
        npt.NDArray[np.bool_],
        npt.NDArray[np.bool_],
        dict[str, Any],
    ]:
        """Match or skip in every environment; one whose episode was over begins the next one instead."""
        rewards, terminated, illegal = _step(self._core, self._seeded, actions, True)
        truncated = np.zeros(self.num_envs, np.bool_)
        return self._core.observations(), rewards, terminated, truncated, self._info(illegal=illegal)


class AgentPolicy(Policy):
    """A trained agent as a policy, so that `foresight.evaluate` can judge it beside ours.

    Takes any agent with Stable-Baselines3's `predict(observations, action_masks=..., deterministic=True)`,
    that was trained on environments of the same number of fixed nodes.
    """

    def __init__(self, agent: Any, *, name: str = "agent", history: bool = True, masked: bool = True) -> None:
        """`history` as in the environment; `masked` is False for agents that know no masks."""
        self._agent, self._name, self._history, self._masked = agent, name, history, masked

    @property
    def name(self) -> str:
        """What results call it."""
        return self._name

    def score_batch(self, states: list[State]) -> list[npt.NDArray[np.float32]]:
        """1 for what the agent chooses, 0 for the rest; skip where that is not possible."""
        observations = np.stack([state.flat_features(self._history) for state in states])
        nodes = [state.nodes for state in states]
        masks = np.zeros((len(states), states[0].market.num_fixed + 1), np.bool_)
        masks[:, 0] = True
        for mask, offered in zip(masks, nodes, strict=True):
            mask[offered + 1] = True
        if self._masked:
            actions, _ = self._agent.predict(observations, action_masks=masks, deterministic=True)
        else:
            actions, _ = self._agent.predict(observations, deterministic=True)
        rows = []
        for action, offered in zip(actions, nodes, strict=True):
            row = np.zeros(len(offered) + 1, np.float32)
            chosen = np.flatnonzero(offered + 1 == action)
            row[chosen[0] + 1 if len(chosen) else 0] = 1
            rows.append(row)
        return rows


def _register() -> None:
    """One id per problem; the source by default is the problem's own example, if it has one."""
    for problem in _core.problems():
        name = "".join(letter for letter in problem["title"] if letter.isalnum())
        gym.register(
            id=f"foresight/{name}-v0",
            entry_point="foresight.envs:MatchingEnv",
            vector_entry_point="foresight.envs:MatchingVectorEnv",
            kwargs={"problem": problem["name"], "source": problem["example"] or None},
        )


_register()
