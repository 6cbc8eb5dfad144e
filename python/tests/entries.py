"""What is registered, for tests that run over all of it."""

import foresight


def names(registry):
    """Of all entries, e.g. names(foresight.models()): no list of them is written by hand."""
    return [entry["name"] for entry in registry]


def options_of(entry):
    """The names of what an entry's spec can say."""
    return {option["name"] for option in entry["options"]}


def policy_specs(source):
    """Every policy, with the source where it must know that."""
    return [
        f'{entry["name"]}(source="{source}")' if "source" in options_of(entry) else entry["name"]
        for entry in foresight.policies()
    ]
