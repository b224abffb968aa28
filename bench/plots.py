# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Plots made from results, as SVG and PNG next to them: python -m bench.plots. Each
picture holds the fingerprint of the numbers that it shows; --check compares it
and needs no matplotlib."""

import argparse
import hashlib
import json
import pathlib
import sys

from bench import paths, results, tables
from bench.kinds.attention import BASE

# Okabe and Ito's, which the colour-blind tell apart; ours is black.
COLOURS = {"ours": "#000000", "eager": "#0072B2", "strips": "#56B4E9",
           "compile": "#009E73", "sdpa": "#D55E00", "flex": "#CC79A7",
           "onnxruntime": "#E69F00"}
BAR_COLOURS = ("#0072B2", "#D55E00")
SUFFIXES = ("svg", "png")


def bars_of_ratios(run):
    """The best peer's time over ours, by case."""
    most = run["settings"]["threads"][-1]
    bars = {}
    for name, row in tables.of_group(run, "main", "bf16", "linear", "wikitext"):
        found = results.measured(run, name, most)
        if "ratio" in found:
            bars[f"{tables.title(row)} ({found['best_peer']})"] = [found["ratio"]]
    return {"kind": "bars", "title": f"Best peer's time over ours, {tables.counted(most)}",
            "label": "times", "names": [""], "line": 1, "bars": bars}


def bars_of_shares(run):
    """Shares of peak, by case and threads."""
    counts = run["settings"]["threads"]
    bars = {}
    for name, row in tables.of_group(run, "main", "bf16", "avx2", "decode"):
        values = [results.share(run, name, count) for count in counts]
        if None not in values:
            bars[tables.title(row)] = values
    return {"kind": "bars", "title": "Share of the measured peak; of read bandwidth "
            "where N is 1", "label": "of peak", "line": 1,
            "names": [tables.counted(count) for count in counts], "bars": bars}


def is_plain(row):
    """Whether a row differs from others in its length only."""
    dims = row["dims"]
    return (dims["N"] == dims["S"] and dims["B"] == 1 and dims.get("D") == 64
            and dims.get("H") == (4 if row["variant"] == "mgk" else 8)
            and row["dtype"] == "f32" and row["target"] == "native"
            and not row["causal"])


def lines_of_times(run):
    """Milliseconds against N, by variant and by who."""
    most, panels = run["settings"]["threads"][-1], {}
    for name, row in run["rows"].items():
        found = results.measured(run, name, most)
        if row["variant"] not in BASE or not is_plain(row) or "ours" not in found:
            continue
        panel = panels.setdefault(row["variant"], {})
        for who, figures in [("ours", found["ours"]), *found["peers"].items()]:
            if "seconds" in figures:
                panel.setdefault(who, []).append(
                    [row["dims"]["N"], 1e3 * figures["seconds"]])
    return panels_of(panels, "Time against N", "ms")


def lines_of_memory(run):
    """MiB in addition to arguments and result, against N."""
    panels = {}
    for case in filter(results.is_attention, run.get("memory", {}).values()):
        panel = panels.setdefault(case["variant"], {})
        for who in COLOURS:
            if "resident" in case.get(who, {}):
                panel.setdefault(who, []).append(
                    [case["N"], max(case[who]["resident"] / 2**20, 0.01)])
    return panels_of(panels, "Memory beside arguments and result against N", "MiB")


def panels_of(panels, title, label):
    return {"kind": "lines", "title": title, "label": label,
            "panels": {name: {who: sorted(points) for who, points in panel.items()}
                       for name, panel in panels.items()}}


PLOTS = {"ratio": bars_of_ratios, "peak": bars_of_shares, "time": lines_of_times,
         "memory": lines_of_memory}


def fingerprint(plot):
    """Of everything that a picture shows."""
    text = json.dumps(plot, sort_keys=True)
    return "mixattn-bench-" + hashlib.sha256(text.encode()).hexdigest()[:24]


def draw_bars(plot):
    from matplotlib.figure import Figure
    bars, count = plot["bars"], len(plot["names"])
    figure = Figure(figsize=(8, 1 + 0.28 * max(1, len(bars))), layout="constrained")
    axes = figure.subplots()
    width = 0.8 / count
    for which, name in enumerate(plot["names"]):
        places = [index + (which - (count - 1) / 2) * width for index in range(len(bars))]
        drawn = axes.barh(places, [values[which] for values in bars.values()], width,
                          label=name, color=BAR_COLOURS[which % len(BAR_COLOURS)])
        axes.bar_label(drawn, fmt="%.2f", fontsize=6, padding=2)
    axes.set_yticks(range(len(bars)), bars, fontsize=7)
    axes.invert_yaxis()
    axes.axvline(plot["line"], color="black", linewidth=0.8)
    axes.set(title=plot["title"], xlabel=plot["label"])
    if count > 1:
        axes.legend(fontsize=7)
    return figure


def draw_lines(plot):
    from matplotlib.figure import Figure
    panels = plot["panels"]
    figure = Figure(figsize=(2.6 * max(1, len(panels)), 3), layout="constrained")
    cells = figure.subplots(1, max(1, len(panels)), squeeze=False)[0]
    for axes, (name, lines) in zip(cells, panels.items()):
        for who, points in lines.items():
            axes.plot(*zip(*points), marker="o", markersize=3, label=who,
                      color=COLOURS[who], linewidth=2 if who == "ours" else 1)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.xaxis.set_major_formatter("{x:.0f}")
        axes.set(title=name, xlabel="N")
        axes.legend(fontsize=6)
    cells[0].set_ylabel(plot["label"])
    figure.suptitle(plot["title"])
    return figure


def draw_all(file, folder):
    """Draws every plot of the results; gives the files."""
    import matplotlib
    matplotlib.rcParams["svg.hashsalt"] = "mixattn"
    run, files = results.read(file), []
    for name, make in PLOTS.items():
        plot = make(run)
        figure = {"bars": draw_bars, "lines": draw_lines}[plot["kind"]](plot)
        for suffix in SUFFIXES:
            files.append(folder / f"{name}.{suffix}")
            dates = {"Date": None} if suffix == "svg" else {}
            figure.savefig(files[-1], dpi=110,
                           metadata={"Description": fingerprint(plot)} | dates)
    return files


def stale(file, folder):
    """Pictures that are missing or show other numbers."""
    run = results.read(file)
    for name, make in PLOTS.items():
        mark = fingerprint(make(run)).encode()
        for suffix in SUFFIXES:
            picture = folder / f"{name}.{suffix}"
            if not picture.exists() or mark not in picture.read_bytes():
                yield picture


def main():
    parser = argparse.ArgumentParser(prog="python -m bench.plots",
                                     description=__doc__.split(":")[0])
    parser.add_argument("--results", type=pathlib.Path, default=paths.RESULTS / "full.json")
    parser.add_argument("--folder", type=pathlib.Path, default=paths.RESULTS)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    if not options.check:
        for file in draw_all(options.results, options.folder):
            print(file)
        return 0
    wrong = list(stale(options.results, options.folder)) if options.results.exists() else []
    for picture in wrong:
        print(f"{picture}: stale")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
