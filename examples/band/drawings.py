# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Draws what distances.py measures, each picture as PNG and as SVG.

`results` are measures of each layer by name, `examples` weights [H,N,N] of each
layer on one text. Scale and colours are those of examples/analysis. Places are given
in inches: what a solver lays out is not the same to the last bit each time.
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
# Inches: a matrix, what lies between two, a panel, a row of them, a picture.
CELL, GAP, PANEL, ROW, WIDTH = 1.2, 0.12, (2.6, 1.75), 2.85, 9


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


def add_cells(figure, rows, columns, corner, size, gap):
    """Axes [rows,columns] of one size, in inches from the lower left corner."""
    width, height = figure.get_size_inches()
    return np.array([[figure.add_axes([(corner[0] + column * (size[0] + gap)) / width,
                                       (corner[1] + (rows - 1 - row) * (size[1] + gap)) / height,
                                       size[0] / width, size[1] / height])
                      for column in range(columns)] for row in range(rows)])


def add_title(figure, place, title):
    """Centred, with its middle so many inches from below."""
    figure.text(0.5, place / figure.get_size_inches()[1], title, fontsize=10, ha="center",
                va="center")


def members_height(rows):
    return rows * (CELL + GAP) + 0.5


def draw_members(figure, bottom, matrices, titles, setting):
    """A row for each matrix, a column for each set, and one scale for all."""
    rows = [members(matrix, setting) for matrix in matrices]
    cells = add_cells(figure, len(rows), len(rows[0]), (0.4, bottom + GAP), (CELL, CELL), GAP)
    for i, (row, title) in enumerate(zip(rows, titles)):
        for axes, (name, matrix) in zip(cells[i], row.items()):
            image = axes.imshow(matrix[:SHOWN, :SHOWN], cmap="PuOr", norm=SCALE,
                                interpolation="nearest")
            axes.set_xticks([])
            axes.set_yticks([])
            if not i:
                axes.set_title(name, fontsize=8, pad=3)
        cells[i, 0].set_ylabel(title, fontsize=8)
    height = len(rows) * (CELL + GAP) - GAP
    place = 0.4 + len(rows[0]) * (CELL + GAP)
    bar = add_cells(figure, 1, 1, (place, bottom + GAP), (0.12, height), 0)[0, 0]
    figure.colorbar(image, cax=bar, ticks=TICKS, extend="both")
    bar.tick_params(labelsize=7)


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


# In which panel, and where: what the curves leave free.
LEGENDS = {draw_over_width: (-1, "center right"), draw_over_budget: (0, "upper right")}


def draw_row(figure, bottom, panel, results):
    """A panel for each name, the same height for all, and one legend."""
    panels = add_cells(figure, 1, len(results), (0.6, bottom + 0.55), PANEL, GAP + 0.1)[0]
    for axes, (name, layers) in zip(panels, results.items()):
        if axes is not panels[0]:
            axes.sharey(panels[0])
            axes.tick_params(labelleft=False)
        panel(axes, name, layers)
    panels[0].set_ylim(bottom=0)
    panels[0].set_ylabel("distance", fontsize=8)
    place, corner = LEGENDS[panel]
    panels[place].legend(fontsize=7, frameon=False, loc=corner)


def row_width(results):
    return 0.7 + len(results) * (PANEL[0] + GAP + 0.1)


def row_picture(panel, results, title):
    figure = Figure(figsize=(row_width(results), ROW))
    draw_row(figure, 0, panel, results)
    add_title(figure, ROW - 0.2, title)
    return figure


def heads_picture(name, matrices, setting):
    """Every head of a layer, and its nearest of each set."""
    height = members_height(len(matrices))
    figure = Figure(figsize=(WIDTH, height))
    draw_members(figure, 0, matrices, [f"head {head}" for head in range(len(matrices))], setting)
    add_title(figure, height - 0.15, name)
    return figure


def typical_head(layers, results, setting):
    """The head of the last layer whose distance to the band is nearest to the mean."""
    distances = results[-1]["over_width"]["band"][results[-1]["widths"].index(setting.width)]
    return layers[-1][np.abs(distances - distances.mean()).argmin()]


def overview(results, examples, setting):
    """A head of each last layer, above the distances."""
    matrices = [typical_head(layers, results[name], setting) for name, layers in examples.items()]
    height = members_height(len(matrices))
    figure = Figure(figsize=(max(WIDTH, row_width(results)), height + 2 * ROW))
    draw_members(figure, 2 * ROW, matrices, map(name_of, examples), setting)
    add_title(figure, height + 2 * ROW - 0.15,
              f"A head of the last layer, first {SHOWN} characters of a text, and what is "
              f"nearest to it (half width {setting.width})")
    draw_row(figure, ROW, draw_over_width, results)
    add_title(figure, 2 * ROW - 0.2, "Entrywise-1 distance over the width of the band")
    draw_row(figure, 0, draw_over_budget, results)
    add_title(figure, ROW - 0.2,
              f"Band + sparse, over the budget (entries up to {setting.cap:.3g})")
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
