# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what distances.py measures, each picture as PNG and as SVG.

`results` are measures of each layer by name, `examples` weights [H,N,N] of each
layer on one text. Habits, scale and colours are those of examples/analysis.
"""

import os
import sys

import matplotlib
import numpy as np
from matplotlib.figure import Figure

import families
import projections

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, "analysis"))
from pictures import COLOURS, SCALE, TICKS, name_of, save  # pylint: disable=C0413

# The rows and columns of a matrix that are shown.
SHOWN = 48
SETS = {"band": "band = nearest of Sigma2", "band_plus_sparse": "band + sparse",
        "sigma1": "Sigma1", "sigma3": "nearest of Sigma3", "sampled": "nearest drawn"}
SET_COLOURS = dict(zip(SETS, COLOURS + ("#999999",)))
SAMPLED = ["sampled_" + family for family in families.SAMPLERS]
BUDGET_WIDTHS = (0, 1, 3, 10)


def members(matrix, setting):
    """A matrix [N,N] and its nearest of each set, by title."""
    matrix = matrix.astype(np.float64)
    size = len(matrix)
    band, error = projections.onto_band_plus_sparse(
        matrix, setting.width, setting.budget_of(size), setting.cap, setting.bounds)
    drawn = np.concatenate([families.samples(family, size, setting.width, setting.tokens,
                                             setting.samples, setting.seed)
                            for family in families.SAMPLERS])
    return {
        "attention": matrix,
        "nearest band": projections.onto_band(matrix, setting.width),
        "band + sparse": band + error,
        "sparse, alone": error,
        "nearest of Sigma3": families.nearest_rare_tokens(matrix[None], setting.width,
                                                          setting.tokens)[0],
        "nearest drawn": drawn[np.nanargmin(projections.distance(matrix, drawn))],
    }


def draw_members(figure, matrices, titles, setting):
    """A row for each matrix, a column for each set, and one scale for all."""
    rows = [members(matrix, setting) for matrix in matrices]
    cells = figure.subplots(len(rows), len(rows[0]), squeeze=False)
    for i, (row, title) in enumerate(zip(rows, titles)):
        for axes, (name, matrix) in zip(cells[i], row.items()):
            image = axes.imshow(matrix[:SHOWN, :SHOWN], cmap="PuOr", norm=SCALE,
                                interpolation="nearest")
            axes.set_xticks([])
            axes.set_yticks([])
            if not i:
                axes.set_title(name, fontsize=8, pad=3)
        cells[i, 0].set_ylabel(title, fontsize=8)
    bar = figure.colorbar(image, ax=cells, ticks=TICKS, aspect=30, extend="both")
    bar.ax.tick_params(labelsize=7)


def finish(axes, label, title):
    axes.set_xlabel(label, fontsize=8)
    axes.set_title(title, fontsize=9)
    axes.tick_params(labelsize=8)
    axes.spines[["top", "right"]].set_visible(False)


def curves_over_width(layers):
    """The distances to each set over widths, means over layers and heads. The
    nearest of all drawn is taken for each head, as the paper does."""
    distances = {name: np.mean([m["over_width"][name] for m in layers], axis=(0, 2))
                 for name in SETS if name != "sampled"}
    drawn = [np.fmin.reduce([m["over_width"][name] for name in SAMPLED]) for m in layers]
    return distances | {"sampled": np.mean(drawn, axis=(0, 2))}


def draw_over_width(axes, name, layers):
    places = range(len(layers[0]["widths"]))
    for kind, values in curves_over_width(layers).items():
        axes.plot(places, values, "o-", color=SET_COLOURS[kind], markersize=3,
                  linewidth=1.4, label=SETS[kind])
    axes.set_xticks(places, layers[0]["widths"])
    finish(axes, "half width of the band", name_of(name))


def draw_over_budget(axes, name, layers):
    places = range(len(layers[0]["budgets"]))
    widths = [w for w in BUDGET_WIDTHS if w in layers[0]["widths"]]
    for width, colour in zip(widths, COLOURS):
        at = layers[0]["widths"].index(width)
        values = np.mean([m["over_budget"][at] for m in layers], axis=(0, 2))
        axes.plot(places, values, "o-", color=colour, markersize=3, linewidth=1.4,
                  label=f"half width {width}")
    axes.set_xticks(places, layers[0]["budgets"], rotation=30)
    finish(axes, "nonzeros of the sparse part", name_of(name))


def draw_row(figure, panel, results):
    """A panel for each name, the same height for all, and one legend."""
    panels = figure.subplots(1, len(results), sharey=True, squeeze=False)[0]
    for axes, (name, layers) in zip(panels, results.items()):
        panel(axes, name, layers)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("distance", fontsize=8)
    panels[-1].legend(fontsize=7, frameon=False, loc="upper right")


def row_picture(panel, results, title):
    figure = Figure(figsize=(3.1 * len(results) + 0.4, 3), constrained_layout=True)
    draw_row(figure, panel, results)
    figure.suptitle(title, fontsize=10)
    return figure


def heads_picture(name, matrices, setting):
    """Every head of a layer, and its nearest of each set."""
    figure = Figure(figsize=(8.4, 1.3 * len(matrices) + 0.5), constrained_layout=True)
    draw_members(figure, matrices, [f"head {head}" for head in range(len(matrices))], setting)
    figure.suptitle(name, fontsize=10)
    return figure


def overview(results, examples, setting):
    """The head nearest to the mean of each last layer, above the distances."""
    matrices = []
    for name, layers in examples.items():
        at = results[name][-1]["widths"].index(setting.width)
        off = results[name][-1]["over_width"]["band"][at]
        matrices.append(layers[-1][np.abs(off - off.mean()).argmin()])
    height = 1.35 * len(matrices) + 0.5
    figure = Figure(figsize=(9.2, height + 5.4), constrained_layout=True)
    above, middle, below = figure.subfigures(3, 1, height_ratios=[height, 2.7, 2.7], hspace=0.04)
    draw_members(above, matrices, map(name_of, examples), setting)
    above.suptitle(f"A head of the last layer, first {SHOWN} characters of a text, and what is "
                   f"nearest to it (half width {setting.width})", fontsize=10)
    draw_row(middle, draw_over_width, results)
    middle.suptitle("Entrywise-1 distance over the width of the band", fontsize=10)
    draw_row(below, draw_over_budget, results)
    below.suptitle(f"Band + sparse, over the budget (entries up to {setting.cap:.3g})",
                   fontsize=10)
    return figure


def save_all(results, examples, setting, folder):
    """Every picture."""
    with matplotlib.rc_context({"svg.hashsalt": "mixattn"}):
        for name, layers in examples.items():
            for layer, matrices in enumerate(layers):
                save(heads_picture(f"{name_of(name)}, layer {layer}", matrices, setting),
                     folder, f"heads_{name}_{layer}")
        save(row_picture(draw_over_width, results, "Distance over the width of the band"),
             folder, "over_width")
        save(row_picture(draw_over_budget, results, "Distance of band + sparse, over the budget"),
             folder, "over_budget")
        save(overview(results, examples, setting), folder, "overview")
