"""Rebuilds a trained inv-ff-hist in PyTorch from its checkpoint, and shows that it decides the same.

pip install torch safetensors
python pytorch_model.py [RUN]
"""

import json
import re
import sys
import tempfile

import torch
from safetensors import safe_open
from safetensors.torch import load_file
from torch import nn

import foresight as fs

SOURCE = "crowd(u=10,v=30)"


def build(tensors):
    """Linear layers under the checkpoint's names, with a ReLU between: ff.0, ff.2, ff.4."""
    places = sorted(int(re.fullmatch(r"ff\.(\d+)\.weight", name).group(1)) for name in tensors if "weight" in name)
    layers = []
    for place in places:
        outputs, inputs = tensors[f"ff.{place}.weight"].shape
        layers += [nn.Linear(inputs, outputs), nn.ReLU()]
    network = nn.Sequential(*layers[:-1])
    network.load_state_dict({name.removeprefix("ff."): tensor for name, tensor in tensors.items()})
    return network


class TorchPolicy(fs.Policy):
    """Scores each candidate, skip first, by the network."""

    name = "pytorch"

    def __init__(self, network, units):
        """Take the network as it is, and the units in which it sees gains, costs and amounts."""
        self.network = network
        self.units = units

    @torch.no_grad()
    def score_batch(self, states):
        """All candidates of all states in one pass."""
        rows = [torch.from_numpy(state.node_features(units=self.units)) for state in states]
        scores = self.network(torch.cat(rows)).squeeze(1).split([len(row) for row in rows])
        return [score.numpy() for score in scores]


def main():
    """Train for a moment unless a run is given, rebuild, compare."""
    torch.set_num_threads(1)  # the network is tiny
    folder = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()
    run = fs.train("inv-ff-hist", SOURCE, folder, epochs=5, instances=2000, resume=True)
    checkpoint = run.folder / "best.safetensors"
    network = build(load_file(checkpoint))
    with safe_open(checkpoint, "pt") as file:
        units = json.loads(file.metadata()["context"])["units"]
    print(network)

    data = fs.generate(SOURCE, 500, seed=2, label=True)
    ours, theirs = fs.evaluate(data, [run, TorchPolicy(network, units)]).policies
    same = (abs(ours.ratios - theirs.ratios) < 1e-6).mean()
    print(
        f"foresight {ours.ratio.mean:.6f}, PyTorch {theirs.ratio.mean:.6f}, the same on {100 * same:.1f} % of instances"
    )
    print(f"decisions per second: {ours.decisions_per_second:,.0f} and {theirs.decisions_per_second:,.0f}")
    assert same > 0.99


if __name__ == "__main__":
    main()
