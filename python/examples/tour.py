"""A tour in cells, for any editor that knows `# %%` and for a plain `python tour.py [FOLDER]`."""

# %% Instances: 10 workers wait, 30 tasks arrive one by one
import sys
import tempfile
from pathlib import Path

import numpy as np

import foresight as fs

folder = Path(sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp())
data = fs.generate("crowd(u=10,v=30)", 500, seed=2, label=True)
print(f"{len(data)} instances, {data.num_arrivals} arrivals, {data.num_edges} edges")

# %% Everything is NumPy, without copies
weights = data.arrays["edge.weight"]
print(f"mean weight {weights.mean():.3f}, mean optimum {data.arrays['label.value'].mean():.3f}")

# %% One instance as a SciPy matrix, solved in hindsight
matrix = data[0].to_scipy()
rows, columns = fs.solve(matrix)
print(f"instance 0: {matrix[rows, columns].sum():.4f} in hindsight")
np.testing.assert_allclose(matrix[rows, columns].sum(), data.arrays["label.value"][0], rtol=1e-6)


# %% A policy of one's own
class Patient(fs.Policy):
    """Takes less and less as time runs out."""

    def score(self, state):
        """Skipping is worth what is asked for now."""
        asked = 0.6 * (1 - state.share_passed)
        return [asked, *state.gains]


# %% A policy that is learned, in seconds
run = fs.train("inv-ff-hist", "crowd(u=10,v=30)", folder / "run", epochs=5, instances=2000, resume=True)
print(run.to_pandas()[["value", "validation_ratio"]])

# %% Who is better?
result = fs.evaluate(data, ["greedy", Patient(), run], episodes=2)
print(result.to_pandas()[["mean_ratio", "ci95", "vs_first", "p"]])
assert result["Patient"].ratio.mean > result["greedy"].ratio.mean

# %% A page to look at
print(fs.report([result, run], folder / "report.html", title="A tour"))
