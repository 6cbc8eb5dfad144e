"""An exported model gives the same scores in ONNX Runtime as in Foresight.

Runs the program itself: $FORESIGHT, else the one beside this interpreter or on the path.
"""

import json
import os
import shutil
import subprocess
import sys
from collections import defaultdict

import numpy as np
import pytest

onnx = pytest.importorskip("onnx")
ort = pytest.importorskip("onnxruntime")
from entries import names  # noqa: E402
from safetensors import safe_open  # noqa: E402

import foresight as package  # noqa: E402

BESIDE = os.path.join(os.path.dirname(sys.executable), "foresight")
PROGRAM = os.environ.get("FORESIGHT") or (BESIDE if os.path.exists(BESIDE) else shutil.which("foresight"))
if not PROGRAM:
    pytest.skip("set FORESIGHT to the program's path", allow_module_level=True)

# Sources with other numbers of fixed nodes, problems, attributes, topics, capacities and costs.
E_OBM, ATTRIBUTES, CAPACITIES, COSTS, ADWORDS, OSBM = KINDS = (
    "e-obm",
    "attributes",
    "capacities",
    "costs",
    "adwords",
    "osbm",
)
# Every model by its name on every source, and some with options that change the network.
CASES = [(model, kind) for model in names(package.models()) for kind in KINDS]
CASES += [("gnn-hist(embed=8,hidden=20,encoder=3)", kind) for kind in (E_OBM, ADWORDS, COSTS)]
CASES += [("gnn-hist(encoder=2)", ATTRIBUTES), ("ff-hist(layers=1)", OSBM)]


def foresight(*arguments):
    done = subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_tables(folder, capacity=None, costs=False):
    """A base graph with attributes of both sides; the capacity is that of all nodes but an absent one."""
    folder.mkdir()
    rng = np.random.default_rng(3)
    users, items = range(12), range(6)
    cost = (lambda: f",{rng.uniform(0.5, 2):.3f}") if costs else (lambda: "")
    edges = [f"i{u},t{v},{rng.uniform(0.1, 1):.3f}{cost()}" for v in users for u in items if rng.random() < 0.6]
    (folder / "edges.csv").write_text("u,v,weight" + ",cost" * costs + "\n" + "\n".join(edges) + "\n")
    amounts = [""] * 6 if capacity is None else [f",{capacity}"] * 5 + [",0"]
    nodes = [f"i{u},{rng.random():.3f},{rng.random():.3f}{amounts[u]}" for u in items]
    (folder / "fixed.csv").write_text(
        "id,skill,pay" + ",capacity" * (capacity is not None) + "\n" + "\n".join(nodes) + "\n"
    )
    (folder / "arrivals.csv").write_text("id,age\n" + "\n".join(f"t{v},{rng.random():.3f}" for v in users) + "\n")
    return folder


@pytest.fixture(scope="session")
def sources(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    shared = os.environ.get("FORESIGHT_SHARED", os.path.join(os.path.dirname(__file__), "../../../shared"))
    movies = os.path.join(shared, "data", "movielens")
    return {
        E_OBM: "er(u=6,v=15,p=0.5)",
        ADWORDS: "thick-z(u=5,v=20)",
        ATTRIBUTES: f"csv(path={write_tables(folder / 'attributes')},u=5,v=12)",
        CAPACITIES: f"csv(path={write_tables(folder / 'capacities', 2)},u=6,v=12)",
        COSTS: f"csv(path={write_tables(folder / 'costs', 2.5, True)},u=6,v=12)",
        OSBM: f"movielens(path={movies},u=6,v=12)" if os.path.isdir(movies) else None,
    }


@pytest.fixture(scope="session")
def exported(sources, tmp_path_factory):
    """Trains for a moment, exports, and returns the paths; once per case."""
    made = {}

    def make(model, kind):
        if (model, kind) in made:
            return made[model, kind]
        if sources[kind] is None:
            pytest.skip("needs ../shared/data/movielens")
        folder = tmp_path_factory.mktemp("export")
        data = folder / "data"
        foresight("generate", sources[kind], "-n", 40, "--seed", 5, "--label", "-o", data)
        foresight("train", model, "--train", data, "--val", data, "--epochs", 1, "--threads", 1, "-o", folder / "run")
        paths = folder / "policy.onnx", folder / "samples"
        foresight("export", folder / "run", "-o", paths[0], "--samples", paths[1], "--data", data, "--decisions", 150)
        made[model, kind] = paths
        return paths

    return make


def read_samples(path):
    """Pairs of the network's inputs and (entries, scores)."""
    with safe_open(path, "numpy") as file:
        names = json.loads(file.metadata()["inputs"])
        count = int(file.metadata()["samples"])
        return [
            (
                {name: file.get_tensor(f"{i}.{name}") for name in names},
                (file.get_tensor(f"{i}.entries"), file.get_tensor(f"{i}.scores")),
            )
            for i in range(count)
        ]


def open_session(path):
    options = ort.SessionOptions()
    options.intra_op_num_threads = 1
    return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def expect_scores(given, wanted):
    entries, scores = wanted
    np.testing.assert_allclose(given[entries], scores, rtol=0, atol=1e-5 * max(1, np.abs(scores).max()))


def pad(array, shape, front=()):
    """Zeros behind the array along every axis, in front of it along those named."""
    widths = [
        (b - a, 0) if axis in front else (0, b - a) for axis, (a, b) in enumerate(zip(array.shape, shape, strict=True))
    ]
    return np.pad(array, widths)


@pytest.mark.parametrize("model,kind", CASES)
def test_scores_agree(exported, model, kind):
    path, samples_path = exported(model, kind)
    onnx.checker.check_model(onnx.load(path), full_check=True)
    session, samples = open_session(path), read_samples(samples_path)
    assert len(samples) > 20
    for inputs, wanted in samples:
        expect_scores(session.run(["scores"], inputs)[0][0], wanted)


@pytest.mark.parametrize("model,kind", CASES)
def test_a_batch_of_decisions_of_different_sizes(exported, model, kind):
    """Batches are filled up with zeros: behind candidates and nodes, before arrivals."""
    path, samples_path = exported(model, kind)
    session, samples = open_session(path), read_samples(samples_path)
    axes = {i.name: i.shape for i in session.get_inputs()}
    sizes = defaultdict(set)
    for count in (2, 7, len(samples)):
        some = samples[-count:]
        batch = {}
        for name, shape in axes.items():
            arrays = [inputs[name] for inputs, _ in some]
            largest = np.max([a.shape for a in arrays], axis=0)
            front = [k for k, axis in enumerate(shape) if axis == "arrivals"]
            batch[name] = np.concatenate([pad(a, [1, *largest[1:]], front) for a in arrays])
            for k, axis in enumerate(shape):
                if isinstance(axis, str):
                    sizes[axis] |= {a.shape[k] for a in arrays} | ({count} if axis == "batch" else set())
        scores = session.run(["scores"], batch)[0]
        assert len(scores) == count
        for given, (_, wanted) in zip(scores, some, strict=True):
            expect_scores(given, wanted)
    assert len(sizes["batch"]) >= 3
    for axis in ("candidates", "arrivals"):
        assert axis not in sizes or len(sizes[axis]) >= 2, f"only one number of {axis} was tried"


@pytest.mark.parametrize("model,axis", [("inv-ff-hist", "candidates"), ("inv-value", "nodes")])
def test_one_export_serves_markets_of_any_size(exported, sources, tmp_path, model, axis):
    path, _ = exported(model, E_OBM)
    session = open_session(path)
    data = tmp_path / "data"
    for nodes in (1, 30):
        foresight("generate", f"er(u={nodes},v=20,p=0.4)", "-n", 5, "-o", data)
        foresight(
            "export",
            path.parent / "run",
            "-o",
            tmp_path / "again.onnx",
            "--samples",
            tmp_path / "samples",
            "--data",
            data,
        )
        assert (tmp_path / "again.onnx").read_bytes() == path.read_bytes()
        for inputs, wanted in read_samples(tmp_path / "samples"):
            expect_scores(session.run(["scores"], inputs)[0][0], wanted)


def test_the_file_says_what_it_is(exported):
    model = onnx.load(exported("inv-ff-hist", E_OBM)[0])
    about = {entry.key: entry.value for entry in model.metadata_props}
    assert about["model"] == "inv-ff-hist" and about["problem"] == "e-obm"
    assert json.loads(about["features"])[0] == "gain"
    assert json.loads(about["columns"])["features"] == json.loads(about["features"])
    assert model.producer_name == "foresight" and model.opset_import[0].version == 13
    shape = model.graph.input[0].type.tensor_type.shape.dim
    assert [axis.dim_param or axis.dim_value for axis in shape] == ["batch", "candidates", 16]
