"""Reports: one page that works offline, or tables for a paper."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Union

from . import _core
from ._arguments import several
from ._evaluate import Evaluation
from ._train import Run, Search

AnyResult = Union[Evaluation, Run, Search, str, "os.PathLike[str]"]


def report(
    results: AnyResult | Iterable[AnyResult],
    output: str | os.PathLike[str] = "report.html",
    *,
    title: str = "Foresight",
) -> Path:
    """Write results for people to look at; returns the path.

    Args:
        results: evaluations, runs, searches, files that `Evaluation.save` wrote, run folders, in any order.
        output: its ending says the form: .html (a page), .csv or .md (tables).
        title: of the page.
    """
    results = several(
        "report: results", results, (Evaluation, Run, Search, str, os.PathLike), "evaluations, runs and paths"
    )
    if not results:
        raise ValueError("report: there are no results")
    output = Path(output)
    forms = {".html": _core.Report.to_html, ".csv": _core.Report.to_csv, ".md": _core.Report.to_markdown}
    if output.suffix not in forms:
        raise ValueError(f'cannot write a report as "{output.suffix}"; there are: {", ".join(forms)}')
    pages = _core.Report(title)
    for number, result in enumerate(results, 1):
        if isinstance(result, Evaluation):
            pages.add_evaluation(result._core, f"evaluation {number}")
        else:
            pages.add_path(result.folder if isinstance(result, (Run, Search)) else result)
    _core.write_file(output, forms[output.suffix](pages))
    return output
