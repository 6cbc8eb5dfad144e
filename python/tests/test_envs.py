import warnings

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import foresight
import foresight.envs

SOURCES = {"EOBM": "crowd(u=6,v=12)", "Adwords": "thick-z(u=5,v=20)", "OSBM": None}


@pytest.fixture(params=SOURCES)
def environment(request, coverage_source):
    """The id and the source of each environment."""
    return f"foresight/{request.param}-v0", SOURCES[request.param] or coverage_source


def make(environment, **more):
    return gym.make(environment[0], source=environment[1], **more)


def make_vector(environment, count, **more):
    return gym.make_vec(
        environment[0], num_envs=count, vectorization_mode="vector_entry_point", source=environment[1], **more
    )


def legal(random, mask):
    return random.choice(np.flatnonzero(mask))


@pytest.mark.parametrize("history", [True, False])
def test_the_checker_of_gymnasium_is_content(environment, history):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*observation space (min|max)imum value is -?infinity.*")
        check_env(make(environment, history=history).unwrapped)


def test_an_episodes_return_is_the_value_of_its_instance(environment):
    env = make(environment)
    random = np.random.default_rng(1)
    source = foresight.Source(environment[1])
    for index in range(5):
        observation, info = env.reset(seed=7 if index == 0 else None)
        instance = source.draw(7, index)
        gains = np.zeros(instance.num_fixed + 1)
        arrival = instance.to_scipy()[[0]].toarray()[0]
        gains[1:] = observation[1 : instance.num_fixed + 1]
        assert ((gains[1:] > 0) <= (arrival > 0)).all()
        total, steps, done = 0.0, 0, False
        while not done:
            mask = info["action_mask"]
            np.testing.assert_array_equal(mask, env.unwrapped.action_masks())
            assert mask[0] and mask.dtype == bool and mask.shape == (instance.num_fixed + 1,)
            assert observation in env.observation_space
            action = legal(random, mask)
            expected = observation[action]  # the first block is the gains, skip first
            observation, reward, done, truncated, info = env.step(action)
            assert reward == pytest.approx(expected, abs=1e-6) and not truncated and not info["illegal"]
            total += reward
            steps += 1
        assert steps == instance.num_arrivals
        assert not observation.any() and info["action_mask"].sum() == 1
        best = foresight.solve(foresight.generate(environment[1], index + 1, seed=7), progress=False)
        assert total <= best.arrays["label.bound"][index] + 1e-4
        with pytest.raises(ValueError, match="the episode is over"):
            env.unwrapped.step(0)


def test_greedy_in_the_environment_is_our_greedy(environment):
    data = foresight.generate(environment[1], 20, seed=9, progress=False)
    expected, _ = foresight.play(data, GreedyByFirst(), progress=False)
    env = make(environment)
    found = []
    for index in range(len(data)):
        observation, info = env.reset(seed=9 if index == 0 else None)
        total, done = 0.0, False
        while not done:
            mask = info["action_mask"]
            scores = np.where(mask, observation[: len(mask)], -np.inf)
            observation, reward, done, _, info = env.step(int(np.argmax(scores)))
            total += reward
        found.append(total)
    np.testing.assert_allclose(found, expected, rtol=1e-5)


class GreedyByFirst(foresight.Policy):
    """Breaks ties as argmax does."""

    def score(self, state):
        scores = np.array([0, *state.gains])
        scores[np.arange(len(scores)) != np.argmax(scores)] = -1
        return scores


def test_an_impossible_action_skips_and_says_so(environment):
    env = make(environment)
    _, info = env.reset(seed=1)
    while info["action_mask"].all():
        _, _, _, _, info = env.step(1)
    impossible = int(np.flatnonzero(~info["action_mask"])[0])
    _, reward, _, _, info = env.step(impossible)
    assert reward == 0 and info["illegal"]


def test_the_same_seed_gives_the_same_episodes(environment):
    def episodes(env, seed):
        seen = []
        for index in range(3):
            observation, info = env.reset(seed=seed if index == 0 else None)
            done = False
            while not done:
                seen.append(observation)
                observation, _, done, _, info = env.step(int(np.flatnonzero(info["action_mask"])[-1]))
        return np.array(seen)

    first = episodes(make(environment), 3)
    env = make(environment)
    np.testing.assert_array_equal(first, episodes(env, 3))
    np.testing.assert_array_equal(first, episodes(env, 3))
    other = episodes(env, 4)
    assert first.shape == other.shape and (first != other).any()
    unseeded = [make(environment).reset()[0] for _ in range(2)]
    assert unseeded[0].shape == unseeded[1].shape


def test_a_vector_is_many_single_ones(environment):
    count = 4
    vector = make_vector(environment, count)
    singles = [make(environment) for _ in range(count)]
    assert vector.unwrapped.single_action_space == singles[0].action_space
    observations, infos = vector.reset(seed=11)
    assert observations in vector.observation_space
    single = [env.reset(seed=11 + i) for i, env in enumerate(singles)]
    ended = np.zeros(count, bool)
    random = np.random.default_rng(2)
    for _ in range(60):
        np.testing.assert_array_equal(observations, [observation for observation, _ in single])
        np.testing.assert_array_equal(infos["action_mask"], [info["action_mask"] for _, info in single])
        np.testing.assert_array_equal(infos["action_mask"], vector.unwrapped.action_masks())
        assert infos["_action_mask"].all()
        actions = np.array([legal(random, mask) for mask in infos["action_mask"]])
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        single = []
        for i, env in enumerate(singles):
            if ended[i]:  # the step after the last begins the next episode
                single.append(env.reset())
                assert rewards[i] == 0 and not terminated[i]
                ended[i] = False
                continue
            observation, reward, done, _, info = env.step(actions[i])
            assert (reward, done) == (rewards[i], terminated[i])
            single.append((observation, info))
            ended[i] = done
        assert not truncated.any()
    assert vector.metadata["autoreset_mode"] == gym.vector.AutoresetMode.NEXT_STEP


def test_a_vector_takes_a_seed_each(environment):
    vector = make_vector(environment, 3)
    observations, _ = vector.reset(seed=[5, 5, 6])
    np.testing.assert_array_equal(observations[0], observations[1])
    np.testing.assert_array_equal(observations[0], make(environment).reset(seed=5)[0])
    with pytest.raises(ValueError, match="2 seeds are given for 3"):
        vector.reset(seed=[1, 2])
    with pytest.raises(ValueError, match="2 actions are given for 3"):
        vector.unwrapped._core.step(np.zeros(2, np.int64), True)
    assert vector.unwrapped.feature_names == make(environment).unwrapped.feature_names


@pytest.mark.parametrize("action", [1.5, 1.0, float("nan"), True, np.True_, None, "1"])
def test_an_action_is_a_whole_number(action):
    single, vector = (
        make(("foresight/EOBM-v0", SOURCES["EOBM"])),
        make_vector(("foresight/EOBM-v0", SOURCES["EOBM"]), 2),
    )
    single.reset(seed=1)
    vector.reset(seed=1)
    with pytest.raises(TypeError, match="an action: expected whole numbers .*got"):
        single.unwrapped.step(action)
    with pytest.raises(TypeError, match="an action: expected whole numbers .*got"):
        vector.step([action, action])
    for wrong in [0, [[0, 0]]]:
        with pytest.raises(ValueError, match="expected one action per environment"):
            vector.step(wrong)


def test_an_episode_begins_with_reset(environment):
    for env, action in [(make(environment).unwrapped, 0), (make_vector(environment, 2).unwrapped, [0, 0])]:
        with pytest.raises(gym.error.ResetNeeded, match="call reset before step"):
            env.step(action)
        env.reset(seed=1)
        env.step(action)


def test_seeds_and_numbers_of_environments_have_a_range(environment):
    for count in [0, -1]:
        with pytest.raises(ValueError, match=rf"num_envs must be a whole number 1\.\..*got {count}"):
            make_vector(environment, count)
    with pytest.raises(TypeError, match="num_envs must be a whole number, got 1.5"):
        foresight.envs.MatchingVectorEnv("e-obm", SOURCES["EOBM"], num_envs=1.5)
    with pytest.raises(TypeError, match="source must be a text, got 5"):
        foresight.envs.MatchingEnv("e-obm", 5)
    with pytest.raises(TypeError, match="history must be True or False, got 5"):
        foresight.envs.MatchingEnv("e-obm", SOURCES["EOBM"], history=5)
    single, vector = make(environment), make_vector(environment, 2)
    for env, seed in [(single, 2**64), (vector, 2**64 - 1), (vector, [2**64, 1])]:
        with pytest.raises(ValueError, match="reset: seed must be a whole number .*got 18446744073709551616"):
            env.reset(seed=seed)
    with pytest.raises(TypeError, match="reset: seed must be .*got 1.5"):
        vector.reset(seed=1.5)
    vector.reset(seed=2**64 - 2)


def test_gymnasiums_own_vectors_work_too(environment):
    vector = gym.make_vec(environment[0], num_envs=2, vectorization_mode="sync", source=environment[1])
    observations, infos = vector.reset(seed=3)
    native, _ = make_vector(environment, 2).reset(seed=3)
    np.testing.assert_array_equal(observations, native)
    assert infos["action_mask"].shape == (2, vector.single_action_space.n)


def test_wrong_sources_are_refused():
    with pytest.raises(ValueError, match="needs a source"):
        gym.make("foresight/OSBM-v0")
    with pytest.raises(ValueError, match="budget"):
        gym.make("foresight/Adwords-v0", source="crowd(u=4,v=8)")
    with pytest.raises(ValueError, match='there is no source "nope"'):
        gym.make("foresight/EOBM-v0", source="nope")
    assert gym.make("foresight/EOBM-v0").action_space.n == 11
    assert gym.make("foresight/Adwords-v0").action_space.n == 11


class GreedyAgent:
    """Has the face of a Stable-Baselines3 agent."""

    def predict(self, observations, action_masks=None, deterministic=False):
        assert deterministic and observations.dtype == np.float32
        gains = observations[:, : action_masks.shape[1]]
        return np.argmax(np.where(action_masks, gains, -1), axis=1), None


class StubbornAgent:
    """Knows no masks and always wants node 0."""

    def predict(self, observations, deterministic=False):
        return np.ones(len(observations), np.int64), None


def test_agents_are_judged_by_our_evaluator(environment):
    data = foresight.generate(environment[1], 50, seed=2, progress=False)
    agents = [
        foresight.envs.AgentPolicy(GreedyAgent(), name="greedy-agent"),
        foresight.envs.AgentPolicy(StubbornAgent(), name="stubborn", masked=False),
        GreedyByFirst(),
    ]
    found = foresight.evaluate(data, ["greedy", *agents], progress=False)
    np.testing.assert_array_equal(found["greedy-agent"].ratios, found["GreedyByFirst"].ratios)
    assert found["stubborn"].mean_value <= found["greedy"].mean_value
