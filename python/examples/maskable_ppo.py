"""Trains a MaskablePPO agent of sb3-contrib on our environment, and judges it with our evaluator.

pip install foresight[gym] sb3-contrib
python maskable_ppo.py [STEPS]
"""

import sys

import gymnasium as gym
import torch
from sb3_contrib import MaskablePPO

import foresight as fs
from foresight.envs import AgentPolicy

SOURCE = "crowd(u=10,v=30)"


def main():
    """Train, then play 500 instances that the agent has not seen."""
    torch.set_num_threads(1)  # the network is tiny
    steps = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    env = gym.make("foresight/EOBM-v0", source=SOURCE)
    agent = MaskablePPO("MlpPolicy", env, n_steps=1800, batch_size=300, gamma=1.0, seed=1, device="cpu")
    agent.learn(steps)

    data = fs.generate(SOURCE, 500, seed=2, label=True)
    result = fs.evaluate(data, ["greedy", "greedy-t(threshold=0.3)", AgentPolicy(agent, name="maskable-ppo")])
    print(result.to_pandas()[["mean_ratio", "ci95", "vs_first", "decisions_per_second"]])


if __name__ == "__main__":
    main()
