"""Vectors of environments."""

from __future__ import annotations

import multiprocessing
import os
from typing import Any

import gymnasium
import numpy
import pytest
from conftest import assert_interrupted, turns_beside

import unbloat.gym

NAMES = ["unbloat/Aqm-v0", "unbloat/Autorate-v0", "unbloat/CongestionControl-v0"]


def short(name: str, steps: int) -> dict[str, Any]:
    """The arguments of an environment with short episodes."""
    return {"steps": steps} if "Congestion" in name else {"step_s": 0.1, "duration_s": steps / 10}


def actions(count: int, step: int) -> Any:
    wave = numpy.sin(numpy.arange(count) + step / 7) * 0.3
    return wave.astype(numpy.float32).reshape(count, 1)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("threads", [1, 2, 5])
def test_each_environment_is_what_it_is_alone(name: str, threads: int) -> None:
    count, steps = 5, 60
    vector = gymnasium.make_vec(name, num_envs=count, threads=threads)
    assert isinstance(vector, unbloat.gym.VectorEnvironment)
    singles = [gymnasium.make(name) for _ in range(count)]
    seen, infos = vector.reset(seed=7)
    for number, single in enumerate(singles):
        alone, info = single.reset(seed=7 + number)
        assert numpy.array_equal(seen[number], alone)
        assert {key: float(values[number]) for key, values in infos["path"].items() if key[0] != "_"} == info[
            "path"
        ]
    for step in range(steps):
        chosen = actions(count, step)
        seen, rewards, terminated, truncated, infos = vector.step(chosen)
        assert seen.dtype == numpy.float32 and rewards.dtype == numpy.float64
        assert vector.observation_space.contains(seen)
        for number, single in enumerate(singles):
            alone, reward, _, is_over, info = single.step(chosen[number])
            assert numpy.array_equal(seen[number], alone) and rewards[number] == reward
            assert (bool(terminated[number]), bool(truncated[number])) == (False, is_over)
            for key, value in info.items():
                told = infos[key][number]
                assert told == value or (value is None and numpy.isnan(told))
                assert infos[f"_{key}"][number]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", ["NextStep", "SameStep"])
def test_episodes_follow_each_other_as_in_a_vector_of_gymnasium(name: str, mode: str) -> None:
    ours = gymnasium.make_vec(name, num_envs=3, autoreset_mode=mode, **short(name, 4))
    theirs = gymnasium.make_vec(
        name,
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": gymnasium.vector.AutoresetMode(mode)},
        **short(name, 4),
    )
    assert isinstance(theirs, gymnasium.vector.SyncVectorEnv)
    assert ours.metadata["autoreset_mode"] == theirs.metadata["autoreset_mode"]
    assert numpy.array_equal(ours.reset(seed=3)[0], theirs.reset(seed=3)[0])
    for step in range(15):
        one, other = ours.step(actions(3, step)), theirs.step(actions(3, step))
        assert all(map(numpy.array_equal, one[:4], other[:4]))
        # A figure that no environment has is there, and masked.
        assert not any(one[4][f"_{key.lstrip('_')}"].any() for key in one[4].keys() - other[4].keys())
        assert one[4].keys() >= other[4].keys()
        for key in ("path", "utilisation", "final_obs"):
            if key in other[4]:
                assert numpy.array_equal(one[4][f"_{key}"], other[4][f"_{key}"])
        if "final_info" in other[4]:
            told = [info["final_info"]["utilisation"] for info in (one[4], other[4])]
            assert numpy.array_equal(*told)
        if "final_obs" in other[4]:
            assert all(map(numpy.array_equal, one[4]["final_obs"], other[4]["final_obs"]))


def test_without_autoreset_a_mask_begins_episodes() -> None:
    name = "unbloat/CongestionControl-v0"
    vector: Any = gymnasium.make_vec(name, num_envs=3, autoreset_mode="Disabled", **short(name, 2))
    vector.reset(seed=[5, 6, None])
    for _ in range(2):
        truncated = vector.step(actions(3, 0))[3]
    assert truncated.all()
    with pytest.raises(gymnasium.error.ResetNeeded, match="the episode is over"):
        vector.step(actions(3, 0))
    mask = numpy.array([True, False, True])
    options = {"reset_mask": mask, "rate_mbit": 10}
    _, infos = vector.reset(seed=[5, None, 7], options=options)
    assert numpy.array_equal(infos["_path"], mask) and infos["path"]["rate_mbit"].tolist() == [10, 0, 10]
    assert options == {"reset_mask": mask, "rate_mbit": 10}, "the caller's options are as they were"
    vector.reset(seed=[None, 6, None], options={"reset_mask": ~mask})
    vector.step(actions(3, 0))


def test_other_threads_go_on_during_a_step() -> None:
    path = {"rate_mbit": 50, "rtt_ms": 10, "uploads": 8}
    vector = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=2, step_s=10, duration_s=40)
    vector.reset(seed=1, options=path)
    assert turns_beside(lambda: vector.step(actions(2, 0))) > 3


def test_ctrl_c_ends_a_step() -> None:
    """The step would take minutes of processor time."""
    assert_interrupted(
        "import threading, gymnasium, numpy, unbloat.gym\n"
        "vector = gymnasium.make_vec('unbloat/Aqm-v0', num_envs=32, step_s=3600, duration_s=36000)\n"
        "vector.reset(seed=1, options={'rate_mbit': 50, 'rtt_ms': 50, 'uploads': 8})\n"
        "threading.Timer(1, print, ['begun'], {'flush': True}).start()\n"
        "vector.step(numpy.zeros((32, 1), numpy.float32) - 1)\n"
    )


def step_once(vector: gymnasium.vector.VectorEnv[Any, Any, Any]) -> None:
    vector.step(actions(4, 1))
    os._exit(0)


def test_a_fork_without_the_threads_goes_on() -> None:
    vector = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=4, threads=2)
    vector.reset(seed=1)
    vector.step(actions(4, 0))
    process = multiprocessing.get_context("fork").Process(target=step_once, args=(vector,))
    process.start()
    process.join(30)
    assert process.exitcode == 0


def test_an_episode_of_a_vector_has_a_result() -> None:
    vector = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=2)
    assert isinstance(vector, unbloat.gym.VectorEnvironment)
    vector.reset(seed=1)
    vector.step(actions(2, 0))
    assert vector.envs[1].result().document["interrupted_s"] == 0.05
    with pytest.raises(gymnasium.error.ResetNeeded, match="there is no episode"):
        vector.step(actions(2, 0))


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"num_envs": 0}, ValueError, "num_envs is 0; it is a number of environments"),
        ({"threads": 0}, ValueError, "threads is 0; it is a number of threads"),
        ({"autoreset_mode": "never"}, ValueError, "autoreset_mode is 'never'; it is one of NextStep, "),
        ({"limit": 0}, ValueError, "limit is 0"),
    ],
)
def test_a_wrong_argument_is_named(arguments: dict[str, Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        gymnasium.make_vec("unbloat/Aqm-v0", **{"num_envs": 2, **arguments})


@pytest.mark.parametrize("wrong", [[[0.1]], [0.1, 0.1], [[0.1], [1.5]], [[0.1], [float("nan")]], None, "a"])
def test_wrong_actions_are_refused_and_change_nothing(wrong: Any) -> None:
    vector = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=2)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match=r"action is .*; it is an array of the shape \(2, 1\) of numbers"):
        vector.step(wrong)
    after = vector.step(actions(2, 0))
    vector.reset(seed=1)
    assert numpy.array_equal(vector.step(actions(2, 0))[0], after[0])


def test_a_vector_has_what_those_of_gymnasium_have() -> None:
    ours = gymnasium.make_vec(NAMES[0], num_envs=2)
    theirs = gymnasium.make_vec(NAMES[0], num_envs=2, vectorization_mode="sync")
    assert isinstance(ours, unbloat.gym.VectorEnvironment)
    assert isinstance(theirs, gymnasium.vector.SyncVectorEnv)
    for vector in (ours, theirs):
        vector.reset(seed=3)
        vector.set_attr("delay_weight", [1.0, 2.0])
        assert vector.get_attr("delay_weight") == vector.call("delay_weight") == (1.0, 2.0)
        vector.set_attr("delay_weight", 5.0)
        assert vector.get_attr("delay_weight") == (5.0, 5.0)
        with pytest.raises(ValueError, match="2 environments"):
            vector.set_attr("delay_weight", [1.0])
    assert ours.np_random_seed == theirs.np_random_seed == (3, 4)
    drawn = [[int(one.integers(1000)) for one in vector.np_random] for vector in (ours, theirs)]
    assert drawn[0] == drawn[1]
    assert all(isinstance(result, unbloat.Result) for result in ours.call("result"))
    ours.close()
    ours.close()
    for use in (ours.reset, lambda: ours.step(actions(2, 0))):
        with pytest.raises(gymnasium.error.ClosedEnvironmentError, match="are closed"):
            use()


def test_wrong_seeds_and_masks_are_refused() -> None:
    vector: Any = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=2)
    with pytest.raises(TypeError, match="options is 3; it is a mapping such as"):
        vector.reset(options=3)
    with pytest.raises(ValueError, match="seed has 3 of them; there are 2 environments"):
        vector.reset(seed=[1, 2, 3])
    with pytest.raises(TypeError, match=r"seed is 1\.5; it is a whole number"):
        vector.reset(seed=1.5)
    wanted = r'options\["reset_mask"\] is .*; it is an array of 2 truth values'
    for mask in ([True], numpy.array([1, 0]), numpy.array([False, False])):
        with pytest.raises(ValueError, match=wanted):
            vector.reset(options={"reset_mask": mask})
