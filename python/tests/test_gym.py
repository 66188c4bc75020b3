"""Environments of Gymnasium."""

from __future__ import annotations

import subprocess
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import gymnasium
import numpy
import pytest
from conftest import ROOT
from gymnasium.utils.env_checker import check_env

import unbloat.gym

NAMES = ["unbloat/Aqm-v0", "unbloat/Autorate-v0", "unbloat/CongestionControl-v0"]


def make(name: str, **arguments: Any) -> gymnasium.Env[Any, Any]:
    return gymnasium.make(name, **arguments)


def episode(name: str, seed: int, actions: Any, **arguments: Any) -> tuple[list[float], list[Any]]:
    """The rewards and the observations of an episode whose actions are those of a function of the step."""
    env = make(name, **arguments)
    observation, _ = env.reset(seed=seed)
    rewards: list[float] = []
    seen = [observation]
    is_over = False
    while not is_over:
        step = env.step(numpy.array([actions(len(rewards))], numpy.float32))
        observation, reward, _, is_over, _ = step
        rewards.append(float(reward))
        seen.append(observation)
    return rewards, seen


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_checks_the_environment(name: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(name).unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_an_episode_is_a_function_of_seed_and_actions(name: str) -> None:
    def wave(step: int) -> float:
        return float(numpy.sin(step / 7)) * 0.3 - 0.05

    rewards, seen = episode(name, 5, wave)
    assert len(rewards) == 400 and len(set(rewards)) > 100
    with ThreadPoolExecutor(4) as pool:
        for again, other in pool.map(lambda seed: episode(name, seed, wave), [5, 6] * 3):
            assert (again == rewards) == all(map(numpy.array_equal, other, seen))
            assert len(again) == 400
        same = [again == rewards for again, _ in pool.map(lambda seed: episode(name, seed, wave), [5, 6, 5])]
    assert same == [True, False, True]


@pytest.mark.parametrize("name", NAMES)
def test_a_second_episode_does_not_depend_on_the_first(name: str) -> None:
    env = make(name)
    env.reset(seed=3)
    first = [env.step(numpy.array([0.1], numpy.float32)) for _ in range(50)]
    env.reset(seed=4)
    env.step(numpy.array([-1.0], numpy.float32))
    env.reset(seed=3)
    again = [env.step(numpy.array([0.1], numpy.float32)) for _ in range(50)]
    assert all(numpy.array_equal(one[0], other[0]) for one, other in zip(first, again, strict=True))
    assert [one[1:] for one in first] == [other[1:] for other in again]


def test_an_agent_that_drops_beats_tail_drop_and_one_that_drops_all_does_not() -> None:
    seeds = range(10)

    def mean(action: float) -> float:
        return float(
            numpy.mean([sum(episode("unbloat/Aqm-v0", seed, lambda _: action)[0]) for seed in seeds])
        )

    tail_drop, gentle, everything = mean(-1), mean(0.5), mean(1)
    assert gentle > everything == 0 > tail_drop


def test_the_rewards_of_a_queue_of_ours() -> None:
    def rewards(**arguments: Any) -> list[float]:
        return episode("unbloat/Aqm-v0", 2, lambda _: -1, **arguments)[0]

    assert rewards() == rewards(queue="pfifo limit 1000"), "an agent that never drops is tail drop"
    assert sum(rewards(queue="codel")) > sum(rewards())


@pytest.mark.parametrize("congestion", ["cubic", "reno", "ledbat"])
def test_the_rewards_of_a_congestion_control_of_ours(congestion: str) -> None:
    env = make("unbloat/CongestionControl-v0", congestion=congestion)
    env.reset(seed=3, options={"rate_mbit": 10, "rtt_ms": 40, "buffer_bdp": 2})
    total, is_over = 0.0, False
    while not is_over:
        _, reward, _, is_over, told = env.step(numpy.array([1.0], numpy.float32))
        total += float(reward)
    assert 100 < total < 400 and told["cwnd"] > 2
    assert isinstance(env.unwrapped, unbloat.gym.CongestionControlEnv)
    watched = env.unwrapped.result()
    scenario = watched.document["scenario"]
    assert scenario["flow"][0]["congestion"] == congestion
    assert unbloat.run(scenario).json == watched.json, "who watches changes nothing"


def test_a_window_of_the_path_beats_one_that_fills_the_buffer() -> None:
    path = {"rate_mbit": 12, "rtt_ms": 50, "buffer_bdp": 4, "loss": 0.00001}

    def total(segments: int) -> float:
        env = make("unbloat/CongestionControl-v0")
        env.reset(seed=1, options=path)
        total, is_over, info = 0.0, False, {"cwnd": 10}
        while not is_over:
            action = numpy.clip(numpy.log2(segments / info["cwnd"]), -1, 1)
            _, reward, _, is_over, info = env.step(numpy.array([action], numpy.float32))
            total += float(reward)
        assert info["cwnd"] == segments
        return total

    # 12 Mbit/s for 50 ms are 50 segments.
    small, right, large = total(12), total(52), total(200)
    assert right > 350 > small > 80 and right > 2 * large


def test_a_shaper_below_the_line_beats_none() -> None:
    fixed = {"rate_mbit": 10, "variation": 0.05}

    def total(action: float) -> float:
        env = make("unbloat/Autorate-v0")
        env.reset(seed=1, options=fixed)
        rewards = []
        for step in range(400):
            chosen = numpy.array([action if step < 10 else 0], numpy.float32)
            rewards.append(float(env.step(chosen)[1]))
        return sum(rewards)

    assert total(-0.1) > 0 > total(1)


def test_an_episode_has_a_result() -> None:
    env = make("unbloat/Aqm-v0")
    assert isinstance(env.unwrapped, unbloat.gym.AqmEnv)
    env.reset(seed=1, options={"rate_mbit": 8, "uploads": 2})
    for _ in range(100):
        env.step(numpy.array([0.2], numpy.float32))
    result = env.unwrapped.result()
    assert result.document["interrupted_s"] == 5.0
    link = result.links["link"]["forward"]
    assert link["queue"] == "random drop" and link["drops"]["aqm"] > 10
    assert set(result.flows) >= {"upload[0]", "upload[1]", "ping"}


def test_the_path_is_drawn_from_the_ranges() -> None:
    env = make("unbloat/Aqm-v0", rate_mbit=(3, 4), uploads=(2, 2))
    paths = [env.reset(seed=seed)[1]["path"] for seed in range(20)]
    rates = {path["rate_mbit"] for path in paths}
    assert len(rates) == 20 and 3 <= min(rates) < max(rates) <= 4
    assert {path["uploads"] for path in paths} == {2}
    assert env.reset(seed=1, options={"rate_mbit": 9})[1]["path"]["rate_mbit"] == 9


def test_mistakes_are_refused() -> None:
    with pytest.raises(ValueError, match=r"rate_mbit is .*; it is a range"):
        make("unbloat/Aqm-v0", rate_mbit=(5, 1))
    with pytest.raises(TypeError, match=r"rate_mbit is '12'; it is a range"):
        make("unbloat/Aqm-v0", rate_mbit="12")
    with pytest.raises(ValueError, match="limit is 0"):
        make("unbloat/Aqm-v0", limit=0)
    for name in ("unbloat/Aqm-v0", "unbloat/Autorate-v0"):
        with pytest.raises(ValueError, match=r"step_s is 0; it is a number from 0.001"):
            make(name, step_s=0)
        with pytest.raises(ValueError, match=r"step_s is 50 and duration_s .*; a step is no longer than"):
            make(name, step_s=50)
    with pytest.raises(ValueError, match=r"queue is 'coddel': .* did you mean `codel`"):
        make("unbloat/Aqm-v0", queue="coddel")
    with pytest.raises(ValueError, match=r"congestion is 'cubix': .* `cubic`"):
        make("unbloat/CongestionControl-v0", congestion="cubix")
    with pytest.raises(ValueError, match="history is 0"):
        make("unbloat/CongestionControl-v0", history=0)
    with pytest.raises(ValueError, match="there is no option 'rate'; there are rate_mbit, "):
        make("unbloat/Aqm-v0").reset(options={"rate": 1})
    with pytest.raises(gymnasium.error.ResetNeeded, match="there is no episode"):
        make("unbloat/Aqm-v0").unwrapped.step(numpy.array([0], numpy.float32))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("rate_mbit", 5, TypeError),
        ("rate_mbit", "ab", TypeError),
        ("rate_mbit", (1, 2, 3), TypeError),
        ("rtt_ms", (float("nan"), 3), ValueError),
        ("uploads", (0.1, 3), ValueError),
        ("limit", 1.5, TypeError),
        ("limit", -1, ValueError),
        ("queue", 3, TypeError),
        ("step_s", "1", TypeError),
        ("duration_s", float("nan"), ValueError),
        ("duration_s", float("inf"), ValueError),
        ("delay_weight", float("nan"), ValueError),
        ("delay_weight", None, TypeError),
    ],
)
def test_a_wrong_argument_is_named(name: str, value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=f"{name} is .*; it is a"):
        make("unbloat/Aqm-v0", **{name: value})


@pytest.mark.parametrize(
    ("name", "arguments", "says"),
    [
        ("CongestionControl", {"steps": 2**31}, "steps is 2147483648 and rtt_ms 10.0; an episode"),
        ("CongestionControl", {"steps": 1, "rtt_ms": (0.01, 9)}, "steps is 1 and rtt_ms 0.01; an episode"),
        ("CongestionControl", {"steps": 10**6, "rtt_ms": (1, 10**5)}, "rtt_ms 100000.0; an episode"),
        ("Aqm", {"duration_s": 1e6}, "duration_s is 1000000.0; it is a number from 0.001 to 604800"),
        ("Autorate", {"duration_s": 604_801}, "duration_s is 604801; it is a number from 0.001 to 604800"),
    ],
)
def test_an_episode_that_cannot_be_is_refused_at_once(name: str, arguments: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        make(f"unbloat/{name}-v0", **arguments)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("end", [0, 1])
def test_paths_at_the_bounds_of_all_ranges_have_episodes(name: str, end: int) -> None:
    env = make(name, **({"steps": 200} if "Congestion" in name else {"duration_s": 1}))
    assert isinstance(env.unwrapped, unbloat.gym.Environment)
    bounds = unbloat.gym._environment._BOUNDS
    for names in [[name] for name in env.unwrapped._ranges] + [list(env.unwrapped._ranges)]:
        path = {name: bounds[name][end] for name in names}
        # Links of 100 Gbit/s and round trips of 100 s would take long here.
        if end == 1 and {"rate_mbit", "rtt_ms"} <= path.keys():
            path.update(rate_mbit=1000)
        env.reset(seed=1, options=path)
        env.step(numpy.array([0.0], numpy.float32))


def test_an_option_that_makes_an_episode_too_long_is_refused() -> None:
    env = make("unbloat/CongestionControl-v0", steps=10_000)
    with pytest.raises(ValueError, match="steps is 10000 and rtt_ms 100000"):
        env.reset(options={"rtt_ms": 100_000})


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ([1], TypeError, r"options is \[1\]; it is a mapping"),
        ({"rate_mbit": -1}, ValueError, r'options\["rate_mbit"\] is -1; it is a number from'),
        ({"rate_mbit": float("nan")}, ValueError, r'options\["rate_mbit"\] is nan'),
        ({"rtt_ms": "5"}, TypeError, r'options\["rtt_ms"\] is .5.; it is a number'),
        ({"uploads": 0}, ValueError, r'options\["uploads"\] is 0'),
    ],
)
def test_a_wrong_option_is_named(options: Any, error: type[Exception], says: str) -> None:
    env = make("unbloat/Aqm-v0")
    with pytest.raises(error, match=says):
        env.reset(seed=1, options=options)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("action", [[0.5, 0.5], 0.5, [float("nan")], [1.5], ["a"], [[0.5]], None])
def test_a_wrong_action_is_refused_and_changes_nothing(name: str, action: Any) -> None:
    env = make(name).unwrapped
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"action is .*; it is an array of one number from -1 to 1"):
        env.step(numpy.array(action) if isinstance(action, list) else action)
    right = numpy.array([0.5], numpy.float32)
    after = env.step(right)
    env.reset(seed=1)
    assert env.step(right)[1:] == after[1:]


def test_an_interrupted_step_ends_the_episode(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    env = make(NAMES[0]).unwrapped
    vector = gymnasium.make_vec(NAMES[0], num_envs=2)
    env.reset(seed=1)
    vector.reset(seed=1)
    action = numpy.zeros(1, numpy.float32)
    with monkeypatch.context() as patched:
        patched.setattr("unbloat._unbloat.step_episodes", interrupted)
        with pytest.raises(KeyboardInterrupt):
            env.step(action)
        with pytest.raises(KeyboardInterrupt):
            vector.step(numpy.zeros((2, 1), numpy.float32))
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.step(action)
    with pytest.raises(gymnasium.error.ResetNeeded):
        vector.step(numpy.zeros((2, 1), numpy.float32))
    env.reset(seed=1)
    env.step(action)


@pytest.mark.parametrize("name", NAMES)
def test_after_the_end_an_episode_is_begun_anew(name: str) -> None:
    env = make(name, **({"steps": 3} if "Congestion" in name else {"step_s": 0.1, "duration_s": 0.3}))
    env.reset(seed=1)
    action = numpy.array([0.0], numpy.float32)
    assert [env.step(action)[3] for _ in range(3)] == [False, False, True]
    with pytest.raises(gymnasium.error.ResetNeeded, match=r"the episode is over: call reset\(\) first"):
        env.step(action)
    env.reset()
    assert not env.step(action)[3]
    assert isinstance(env.unwrapped, unbloat.gym.Environment)
    env.unwrapped.result()
    with pytest.raises(gymnasium.error.ResetNeeded, match="there is no episode"):
        env.step(action)


@pytest.mark.parametrize("name", ["unbloat/Aqm-v0", "unbloat/Autorate-v0"])
def test_the_last_step_may_be_shorter(name: str) -> None:
    def used(duration_s: float) -> list[float]:
        env = make(name, step_s=1, duration_s=duration_s)
        env.reset(seed=1, options={"rate_mbit": 10, "rtt_ms": 20})
        steps, is_over = [], False
        while not is_over:
            *_, is_over, told = env.step(numpy.array([-1.0 if "Aqm" in name else 0.0], numpy.float32))
            steps.append(told["utilisation"])
        return steps

    whole, cut = used(4), used(3.5)
    assert len(whole) == len(cut) == 4 and whole[:3] == cut[:3]
    assert cut[3] == pytest.approx(whole[3], abs=0.05), "the part of the rate in half the time"


@pytest.mark.parametrize("name", NAMES)
def test_gymnasium_makes_vectors(name: str) -> None:
    vector = gymnasium.make_vec(name, num_envs=2)
    vector.reset(seed=5)
    actions = numpy.array([[0.1], [0.1]], numpy.float32)
    rewards = [float(vector.step(actions)[1][0]) for _ in range(20)]
    assert rewards == episode(name, 5, lambda _: 0.1)[0][:20]
    vector.close()
    assert isinstance(vector, unbloat.gym.VectorEnvironment)


def test_a_name_with_its_module_needs_no_import() -> None:
    script = "import gymnasium; gymnasium.make('unbloat.gym:unbloat/Aqm-v0').reset(seed=1)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_unbloat_does_not_need_gymnasium() -> None:
    script = "import sys, unbloat; sys.exit('gymnasium' in sys.modules or 'numpy' in sys.modules)"
    subprocess.run([sys.executable, "-c", script], check=True)


def test_the_example_of_the_readme_runs(capsys: pytest.CaptureFixture[str]) -> None:
    text = (ROOT / "python" / "README.md").read_text()
    example = text.split("## Environments for learning")[1].split("```python\n")[1].split("```")[0]
    exec(example, {})
    tail_drop, codel, pie = map(float, capsys.readouterr().out.split())
    assert tail_drop < codel and tail_drop < pie


def test_a_step_of_another_thread_ends_no_episode() -> None:
    """Steps of several threads are done one at a time, or are refused and change nothing."""
    env = make("unbloat/Aqm-v0", duration_s=1000, step_s=5).unwrapped
    env.reset(seed=1, options={"rate_mbit": 50})

    def step(_: int) -> tuple[float, ...] | None:
        try:
            return tuple(env.step(numpy.array([-1], numpy.float32))[0].tolist())
        except RuntimeError as error:
            assert str(error) == "another thread steps through the episode"
            return None

    with ThreadPoolExecutor(4) as pool:
        seen = [observation for observation in pool.map(step, range(40)) if observation is not None]
    assert 0 < len(seen) < 40
    same = make("unbloat/Aqm-v0", duration_s=1000, step_s=5).unwrapped
    same.reset(seed=1, options={"rate_mbit": 50})
    alone = [tuple(same.step(numpy.array([-1], numpy.float32))[0].tolist()) for _ in seen]
    assert sorted(seen) == sorted(alone)
    assert step(0) == tuple(same.step(numpy.array([-1], numpy.float32))[0].tolist())


def test_a_result_that_is_refused_ends_no_episode() -> None:
    env: Any = make("unbloat/Aqm-v0", duration_s=10_000, step_s=1000).unwrapped
    env.reset(seed=1, options={"rate_mbit": 50})
    with ThreadPoolExecutor(1) as pool:
        stepped = pool.submit(env.step, numpy.array([-1], numpy.float32))
        refused = 0
        while not stepped.done():
            try:
                _ = env.going_on()
            except RuntimeError:
                refused += 1
                with pytest.raises(RuntimeError, match="another thread steps"):
                    env.result()
                break
        assert len(stepped.result()) == 5
    assert refused == 1
    assert env.result().document["interrupted_s"] == 1000


def test_each_kind_of_environment_names_its_wrapper() -> None:
    wrong = numpy.array([2], numpy.float32)
    env = make("unbloat/Aqm-v0")
    env.reset(seed=1)
    with pytest.raises(ValueError, match=r"\(gymnasium\.wrappers\.ClipAction clips"):
        env.step(wrong)
    vector = gymnasium.make_vec("unbloat/Aqm-v0", num_envs=2)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match=r"\(gymnasium\.wrappers\.vector\.ClipAction clips"):
        vector.step(numpy.array([[2], [0]], numpy.float32))
    clipped = gymnasium.wrappers.vector.ClipAction(vector)
    assert len(clipped.step(numpy.array([[2], [0]], numpy.float32))) == 5


def test_without_gymnasium_the_import_says_how_to_install_it() -> None:
    script = "import sys; sys.modules['gymnasium'] = None; import unbloat.gym"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True)
    assert done.returncode == 1
    assert "unbloat.gym needs Gymnasium: pip install '.[gym]'" in done.stderr
