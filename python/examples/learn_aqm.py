"""A queue that learns: PPO of stable-baselines3 in `unbloat/Aqm-v0`, beside tail drop, PIE and CoDel.

pip install stable-baselines3
python python/examples/learn_aqm.py
"""

import time
from typing import Any

import gymnasium
import torch
from aqm_rewards import constant, show, show_all
from stable_baselines3 import PPO
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.vec_env import VecNormalize

STEPS = 400_000
POLICY = {"log_std_init": -1.0, "net_arch": [64, 64]}

if __name__ == "__main__":
    # Networks this small are not faster on several threads, which wait for each other.
    torch.set_num_threads(1)
    # The paths of the training are drawn from another seed than those of the comparison.
    paths = make_vec_env(lambda: gymnasium.make("unbloat/Aqm-v0"), n_envs=8, seed=1_000_000)
    scaled = VecNormalize(paths, norm_obs=False, gamma=0.97)
    options = {"n_steps": 512, "batch_size": 512, "gamma": 0.97, "seed": 1, "device": "cpu"}
    model = PPO("MlpPolicy", scaled, policy_kwargs=POLICY, **options)
    began = time.process_time()
    model.learn(STEPS)
    print(f"{STEPS} steps in {time.process_time() - began:.0f} CPU s", flush=True)
    show_all()

    def learned(observation: Any) -> Any:
        return model.predict(observation, deterministic=True)[0]

    show("learned", learned)
    print("On paths unlike those of the training, 100 to 200 Mbit/s and 100 to 200 ms:")
    unlike: dict[str, Any] = {"rate_mbit": (100, 200), "rtt_ms": (100, 200)}
    for queue in ["pfifo", "pie", "codel"]:
        show(queue, constant(-1), queue, **unlike)
    show("learned", learned, **unlike)
