# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what measures.py measures, each picture as PNG and as SVG.

`results` are measures of each layer, `examples` weights [H,N,S] of each layer on
one input, by edition. The colours are Okabe and Ito's and ColorBrewer's PuOr,
which the colour-blind tell apart.
"""

import os

import matplotlib
import numpy as np
from matplotlib import colors
from matplotlib.figure import Figure

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
LINES = ("--", ":", "-.")
# A square root with a sign: the small weights of long rows are seen.
SCALE = colors.FuncNorm((lambda x: np.sign(x) * np.sqrt(np.abs(x)),
                         lambda x: np.sign(x) * np.square(x)), vmin=-1, vmax=1)
TICKS = (-1, -0.25, 0, 0.25, 1)
# Characters of a text whose weights the overview shows.
SHOWN = 64


def name_of(edition):
    return edition.replace("_", " ")


def draw_matrices(figure, rows, titles):
    """A row of matrices for each list of them, and one scale for all."""
    columns = max(map(len, rows))
    cells = figure.subplots(len(rows), columns, squeeze=False)
    for row, matrices, title in zip(cells, rows, titles):
        for axes in row[len(matrices):]:
            axes.axis("off")
        for head, (axes, matrix) in enumerate(zip(row, matrices)):
            image = axes.imshow(matrix, cmap="PuOr", norm=SCALE, interpolation="nearest")
            axes.set_xticks([])
            axes.set_yticks([])
            axes.set_title(f"head {head}", fontsize=7, pad=3)
        row[0].set_ylabel(title, fontsize=8)
    bar = figure.colorbar(image, ax=cells, ticks=TICKS, aspect=30, extend="both")
    bar.ax.tick_params(labelsize=7)
    bar.set_label("weight", fontsize=8)


def draw_ranks(axes, results):
    """Bars side by side: how many matrices of each rank, over all layers."""
    counts = [np.sum([m["rank_counts"] for m in layers], axis=0) for layers in results.values()]
    shares = [100 * c / c.sum() for c in counts]
    lowest = min(np.flatnonzero(c)[0] for c in counts)
    places = np.arange(lowest, len(counts[0]))
    width = 0.8 / len(results)
    for i, (edition, share) in enumerate(zip(results, shares)):
        axes.bar(places + (i - (len(results) - 1) / 2) * width, share[lowest:], width,
                 color=COLOURS[i], label=name_of(edition))
    axes.set(xlabel="rank (singular values over 1e-6)", ylabel="matrices [%]", title="Ranks")


def draw_cumulative(axes, results):
    """Bold: the mean of the layers; thin: each layer."""
    for i, (edition, layers) in enumerate(results.items()):
        curves = np.array([m["cumulative"] for m in layers])
        places = np.arange(1, curves.shape[1] + 1)
        for layer, curve in enumerate(curves):
            axes.plot(places, curve, LINES[layer % len(LINES)], color=COLOURS[i], linewidth=0.8)
        axes.plot(places, curves.mean(axis=0), color=COLOURS[i], linewidth=2,
                  label=name_of(edition))
    axes.set(xlabel="number of largest singular values", ylabel="share of the sum of all",
             title="Normalised cumulative singular values (bold: mean of layers)",
             ylim=(0, 1.02))


def draw_bars(axes, results, key):
    """A bar per edition and layer; returns the bars of each edition."""
    count = max(map(len, results.values()))
    width = 0.8 / len(results)
    bars = []
    for i, (edition, layers) in enumerate(results.items()):
        places = np.arange(len(layers)) + (i - (len(results) - 1) / 2) * width
        bars.append(axes.bar(places, [m[key] for m in layers], width, color=COLOURS[i],
                             label=name_of(edition)))
    axes.set_xticks(range(count), [f"layer {layer}" for layer in range(count)])
    return bars


def draw_distances(axes, results):
    """Bars are means, whiskers one standard deviation."""
    for bars, layers in zip(draw_bars(axes, results, "distance_mean"), results.values()):
        axes.errorbar([bar.get_x() + bar.get_width() / 2 for bar in bars],
                      [m["distance_mean"] for m in layers],
                      [np.sqrt(m["distance_variance"]) for m in layers],
                      fmt="none", ecolor="black", elinewidth=0.8, capsize=2)
    axes.set(ylabel="L2 distance", title="Distance between heads (mean ± standard deviation)")


def draw_components(axes, results):
    """Above each bar, the most that it could be."""
    for bars, layers in zip(draw_bars(axes, results, "components"), results.values()):
        axes.bar_label(bars, [f"of {m['shape'][0] * m['shape'][1]}" for m in layers],
                       fontsize=7, padding=1)
    axes.margins(y=0.1)
    axes.set(ylabel="principal components", title="Components for 95 % of the variance")


PANELS = {"ranks": draw_ranks, "singular_values": draw_cumulative,
          "distances": draw_distances, "components": draw_components}


def draw_panel(axes, panel, results):
    PANELS[panel](axes, results)
    axes.title.set_fontsize(9)
    axes.tick_params(labelsize=8)
    axes.xaxis.label.set_fontsize(8)
    axes.yaxis.label.set_fontsize(8)
    axes.spines[["top", "right"]].set_visible(False)


def save(figure, folder, name):
    """As PNG and as SVG, the same bytes each time."""
    figure.savefig(os.path.join(folder, name + ".png"), dpi=100)
    figure.savefig(os.path.join(folder, name + ".svg"), dpi=100, metadata={"Date": None})


def attention_picture(edition, layers):
    """Every head of every layer."""
    figure = Figure(figsize=(1.25 * len(layers[0]) + 0.9, 1.35 * len(layers) + 0.4),
                    constrained_layout=True)
    draw_matrices(figure, layers, [f"layer {layer}" for layer in range(len(layers))])
    figure.suptitle(f"Attention weights of {name_of(edition)}: queries down, keys across",
                    fontsize=10)
    return figure


def panel_picture(panel, results):
    figure = Figure(figsize=(5, 3.4), constrained_layout=True)
    axes = figure.subplots()
    draw_panel(axes, panel, results)
    axes.legend(fontsize=8, frameon=False, ncol=len(results), loc="upper center",
                bbox_to_anchor=(0.5, -0.15))
    return figure


def overview(results, examples):
    """The heads of each edition's last layer above the four measures."""
    figure = Figure(figsize=(9.2, 8.6), constrained_layout=True)
    above, below = figure.subfigures(2, 1, height_ratios=[1, 1.25], hspace=0.04)
    draw_matrices(above, [layers[-1][:, :SHOWN, :SHOWN] for layers in examples.values()],
                  [name_of(edition) for edition in examples])
    above.suptitle(f"Attention weights of the last layer, first {SHOWN} characters of a text: "
                   "queries down, keys across", fontsize=10)
    panels = below.subplots(2, 2)
    for axes, panel in zip(panels.ravel(), PANELS):
        draw_panel(axes, panel, results)
    panels[0, 0].legend(fontsize=8, frameon=False)
    return figure


def save_all(results, examples, folder):
    """Every picture of every edition."""
    with matplotlib.rc_context({"svg.hashsalt": "mixattn", "axes.titlesize": 9}):
        for edition, layers in examples.items():
            save(attention_picture(edition, layers), folder, "attention_" + edition)
        for panel in PANELS:
            save(panel_picture(panel, results), folder, panel)
        save(overview(results, examples), folder, "overview")
