"""What is registered, for tests that run over all of it."""

import foresight


def names(registry):
    """Of all entries, e.g. names(foresight.models()): no list of them is written by hand."""
    return [entry["name"] for entry in registry]


def options_of(entry):
    """The names of what an entry's spec can say."""
    return {option["name"] for option in entry["options"]}


def policy_specs(source):
    """Every policy, told what it must know: the source, or numbers in the unit of the weights."""
    given = {
        "greedy-t": "threshold=0.3",
        "greedy-rt": "scale=18,w_max=18",
        "mirror-descent": "start=0.5,eta=0.5",
        "robust": "policy=random,wmax=1",
    }
    specs = []
    for entry in foresight.policies():
        options = f'source="{source}"' if "source" in options_of(entry) else given.get(entry["name"], "")
        specs.append(f"{entry['name']}({options})" if options else entry["name"])
    return specs
