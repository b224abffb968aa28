# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Markdown tables made from results: `python -m bench.tables PAGE…` rewrites what
lies between <!-- bench:NAME --> and <!-- /bench --> of each page, and with
--check says whether anything would change. <!-- bench:NAME FILE --> takes FILE.json
next to the results, and nothing is written where there is no such file."""

import argparse
import pathlib
import re
import sys

from bench import bounds, paths, results
from bench.gpu import told as gpu

MARKED = re.compile(r"(<!-- bench:(\w+)(?: ([\w/]+))? -->\n)(.*?)(<!-- /bench -->)",
                    re.DOTALL)
MISSING = "–"


def table(head, lines):
    """A Markdown table; all columns but the first are numbers."""
    rule = ["---"] + ["---:"] * (len(head) - 1)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in [head, rule, *lines])


def fraction(value):
    return MISSING if value is None else f"{value:.2f}"


def times(value):
    return MISSING if value is None else f"{value:.1f} x"


def hundredths(value):
    return MISSING if value is None else f"{value:.2f} x"


def of_group(run, *groups):
    return [(name, row) for name, row in run["rows"].items() if row["group"] in groups]


def title(row):
    """A row as a reader knows it."""
    kind = {"bf16": " bf16", "f16": " f16"}.get(row["dtype"], "")
    target = "" if row["target"] == "native" else " " + row["target"]
    causal = " causal" if row["causal"] and "causal" not in row["variant"] else ""
    return f"{row['variant']}{kind}{target}{causal}, {row['shape']}"


def counted(count):
    return f"{count} core" + ("s" if count > 1 else "")


def shares(run, *groups):
    """Shares of peak by threads, and the best peer."""
    counts = run["settings"]["threads"]
    lines = []
    for name, row in of_group(run, *groups):
        best = results.measured(run, name, counts[-1])
        lines.append([title(row)]
                     + [fraction(results.share(run, name, count)) for count in counts]
                     + [times(best.get("ratio")), best.get("best_peer", MISSING)])
    return table(["case"] + [f"of peak, {counted(count)}" for count in counts]
                 + ["best peer's time", "best peer"], lines)


def aimed(value, shown, aim):
    """A figure, with what it is to be at least."""
    return shown(value) + (f" (≥ {aim})" if aim else "")


def goals(run, *groups):
    """Shares of peak and the best peer, next to their goals."""
    counts = run["settings"]["threads"]
    lines = []
    for name, row in of_group(run, *groups):
        aims, best = row["goals"], results.measured(run, name, counts[-1])
        lines.append([title(row)] + [
            aimed(results.share(run, name, count), fraction,
                  aims.get("share1" if count == 1 else "share2")) for count in counts]
            + [aimed(best.get("ratio"), hundredths, aims.get("peer")),
               best.get("best_peer", MISSING)])
    return table(["case"] + [f"of peak, {counted(count)}" for count in counts]
                 + ["best peer's time", "best peer"], lines)


def against_peers(run, *groups):
    """The time of each peer over ours."""
    lines, found = [], [results.measured(run, name, run["settings"]["threads"][-1])
                        for name, _ in of_group(run, *groups)]
    names = [peer for peer in run["settings"]["peers"]
             if any(peer in each.get("peers", {}) for each in found)]
    for name, row in of_group(run, *groups):
        found = results.measured(run, name, run["settings"]["threads"][-1])
        ours = found.get("peers", {})
        if ours:
            lines.append([title(row)] + [told(ours.get(peer, {})) for peer in names])
    return table(["case", *names], lines)


def clock(seconds):
    return f"{1e3 * seconds:.2f} ms" if seconds >= 1e-5 else f"{1e6 * seconds:.2f} us"


def by_count(run, *groups):
    """Our time and the best peer's over it, for each count of threads."""
    counts, lines = run["settings"]["threads"], []
    for name, row in of_group(run, *groups):
        line = [title(row)]
        for count in counts:
            found = results.measured(run, name, count)
            own = found.get("ours", {}).get("seconds")
            line += [MISSING if own is None else clock(own),
                     aimed(found.get("ratio"), hundredths, row["goals"].get("peer")),
                     found.get("best_peer", MISSING)]
        lines.append(line)
    return table(["case"] + [text for count in counts for text in (
        f"ours, {counted(count)}", "best peer's time", "best peer")], lines)


def told(peer):
    if "ratio" in peer:
        return times(peer["ratio"])
    return "failed" if "failed" in peer else MISSING


def relations(run, *groups):
    """Times over those of other rows of ours."""
    counts = run["settings"]["threads"]
    lines = []
    for name, row in of_group(run, *groups):
        if row["against"]:
            lines.append([title(row), title(run["rows"][row["against"]])] + [
                fraction(results.measured(run, name, count).get("against", {}).get(
                    "time_ratio")) for count in counts])
    return table(["time of", "over that of"] + list(map(counted, counts)), lines)


def mebibytes(found):
    if not found or "resident" not in found:
        return MISSING
    return f"{found['resident'] / 2**20:.1f}"


def memory(run, of_attention=True):
    """Memory that a call takes in addition to arguments and result, in MiB."""
    cases = [case for case in run.get("memory", {}).values()
             if results.is_attention(case) == of_attention]
    peers = sorted({who for case in cases for who in case}
                   - {"ours", "kind", "variant", "shape", "N", "threads"})
    lines = [[f"{case['variant']}, " + (f"N {case['N']}" if of_attention
                                        else case["shape"])]
             + [mebibytes(case.get(who)) for who in ["ours", *peers]]
             for case in cases]
    return table(["MiB in addition to arguments and result", "ours", *peers], lines)


def compiling(run):
    """Milliseconds of the compiler."""
    return table(["variant", "ms"], [[name, f"{1e3 * seconds:.0f}"] for name, seconds
                                     in run.get("compile", {}).items()])


def machine(run):
    """The text above the tables."""
    cpu, versions = run["machine"], run["versions"]
    peak = run["peak"][str(run["settings"]["threads"][-1])]
    shown = ", ".join(f"{kind} {value['share']:.2f}" for kind, value in peak.items())
    products = results.products(run)
    if products:
        products = "; products of 1024 x 1024 over peak: " + products
    return (f"{cpu['model']} (family {cpu['family']}, model {cpu['number']}), "
            f"{cpu['cpus']} cores, {run['date']}, commit {run['commit']}, PyTorch "
            f"{versions.get('torch', MISSING)}, ONNX Runtime "
            f"{versions.get('onnxruntime', MISSING)}. Measured peak over clock x lanes "
            f"x ports: {shown}{products}.\n")


TABLES = {
    "machine": machine,
    "main": lambda run: shares(run, "main", "bf16", "avx2", "linear"),
    "peers": lambda run: against_peers(run, "main", "bf16", "linear"),
    "relations": lambda run: relations(run, "main", "causal"),
    "shapes": lambda run: shares(run, "odd", "wikitext", "decode"),
    "shapes_peers": lambda run: against_peers(run, "odd", "wikitext", "decode"),
    "memory": memory,
    "bounds": lambda run: bounds.bounds(run, table, title, fraction),
    "compile": compiling,
    "training": lambda run: by_count(run, "training"),
    "dense": lambda run: goals(run, "dense"),
    "dense_peers": lambda run: against_peers(run, "dense"),
    "models": lambda run: goals(run, "charlm", "swin"),
    "networks": lambda run: by_count(run, "charlm", "models"),
    "models_peers": lambda run: against_peers(run, "charlm", "swin"),
    "models_memory": lambda run: memory(run, of_attention=False),
    "gpu": gpu.machine,
    "gpu_checks": gpu.checks,
    "gpu_times": lambda run: table(*gpu.times(run)),
}


def regenerated(text, file):
    """The page with the tables of the results in `file`, and of those next to it."""
    def replace(match):
        head, name, other, _, end = match.groups()
        if name not in TABLES:
            raise ValueError(f"there is no table '{name}'")
        source = file.parent / f"{other}.json" if other else file
        if other and not source.exists():
            return match[0]
        return f"{head}\n{TABLES[name](results.read(source))}\n{end}"
    return MARKED.sub(replace, text)


def update(page, file, only_check=False):
    """Whether a page is as the results in `file` make it; rewrites it."""
    text = page.read_text()
    new = regenerated(text, file)
    if new != text and not only_check:
        page.write_text(new)
    return new == text


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.tables",
                                     description=__doc__.split(":")[0])
    parser.add_argument("pages", type=pathlib.Path, nargs="+")
    parser.add_argument("--results", type=pathlib.Path, default=paths.RESULTS / "full.json")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    stale = [page for page in options.pages
             if not update(page, options.results, options.check)]
    for page in stale:
        print(f"{page}: {'stale' if options.check else 'rewritten'}")
    return 1 if stale and options.check else 0


if __name__ == "__main__":
    sys.exit(main())
