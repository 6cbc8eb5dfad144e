"""Online bipartite matching with learned policies.

Fixed nodes wait; arrivals come one by one, and each must be matched at once and for good, or skipped.

    import foresight as fs

    data = fs.generate("crowd(u=10,v=30)", 2000, seed=2)
    run = fs.train("inv-ff-hist", "crowd(u=10,v=30)", "run", epochs=20)
    print(fs.evaluate(data, ["greedy", run]).to_pandas())
"""

from __future__ import annotations

from ._core import (
    Arrival,
    Dataset,
    Instance,
    Label,
    Market,
    Model,
    PolicyResult,
    State,
    canonical,
    load_model,
    models,
    policies,
    problems,
    sources,
    trainers,
    version,
)
from ._data import Source, concat, gather, generate, split
from ._evaluate import Evaluation, evaluate, play
from ._policy import Policy
from ._problem import Problem
from ._register import register_policy, register_problem, register_source
from ._report import report
from ._solve import solve
from ._train import Run, Search, load_run, load_search, train, train_auto

#: The version of the library.
__version__ = version

__all__ = [
    "Arrival",
    "Dataset",
    "Evaluation",
    "Instance",
    "Label",
    "Market",
    "Model",
    "Policy",
    "PolicyResult",
    "Problem",
    "Run",
    "Search",
    "Source",
    "State",
    "__version__",
    "canonical",
    "concat",
    "evaluate",
    "gather",
    "generate",
    "load_model",
    "load_run",
    "load_search",
    "models",
    "play",
    "policies",
    "problems",
    "register_policy",
    "register_problem",
    "register_source",
    "report",
    "solve",
    "sources",
    "split",
    "train",
    "train_auto",
    "trainers",
]
