# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Measures how far the matrices of a layer lie from each set, over widths and
budgets, and says it in tables. Means are over texts; each head has its own."""

from dataclasses import dataclass

import numpy as np

import families
import projections

WIDTHS = (0, 1, 2, 3, 5, 10, 20, 40)
BUDGETS = (0, 0.25, 0.5, 1, 2, 4, 8)
OVER_WIDTH = ("band", "band_plus_sparse", "sigma1", "sigma3",
              "sampled_sigma1", "sampled_sigma2", "sampled_sigma3")


@dataclass
class Setting:
    """The settings: the half width of the band, the nonzeros of E (None: N), the
    most that each may be, whether B's entries may leave [0,1], the windows of
    Sigma3, and how many members to draw."""
    width: int = 3
    budget: int | None = None
    cap: float = 0.1
    signed: bool = False
    tokens: int = 2
    samples: int = 30
    seed: int = 0

    def budget_of(self, size):
        return size if self.budget is None else self.budget

    @property
    def bounds(self):
        return (-np.inf, np.inf) if self.signed else (0, 1)


def at_width(matrices, width, setting):
    """The distances [H] of matrices [T,H,N,N] to each set, by the names OVER_WIDTH."""
    size = matrices.shape[-1]
    budget = setting.budget_of(size)
    nearest = {
        "band": projections.onto_band(matrices, width),
        "band_plus_sparse": sum(projections.onto_band_plus_sparse(
            matrices, width, budget, setting.cap, setting.bounds)),
        "sigma1": families.nearest_identity(matrices),
        "sigma3": families.nearest_rare_tokens(matrices, width, setting.tokens),
    }
    found = {name: projections.distance(matrices, members) for name, members in nearest.items()}
    for family in families.SAMPLERS:
        members = families.samples(family, size, width, setting.tokens, setting.samples,
                                   setting.seed)
        found["sampled_" + family] = families.sampled_distances(matrices, members)
    return {name: found[name].mean(axis=0) for name in OVER_WIDTH}


def measure(matrices, setting):
    """Everything about one layer, [T,H,N,N], by name: arrays over heads last."""
    matrices = matrices.astype(np.float64)
    size = matrices.shape[-1]
    widths = sorted({w for w in WIDTHS if w < size} | {setting.width})
    budgets = sorted({int(share * size) for share in BUDGETS} | {setting.budget_of(size)})
    swept = [at_width(matrices, width, setting) for width in widths]
    over_budget = [projections.distances_over_budget(
        matrices, width, budgets, setting.cap, setting.bounds).mean(axis=0).T
        for width in widths]
    return {
        "size": size,
        "norm": np.abs(matrices).sum(axis=(-2, -1)).mean(axis=0),
        "widths": widths,
        "dimensions": [projections.dimension(size, width) for width in widths],
        "over_width": {name: np.array([row[name] for row in swept]) for name in OVER_WIDTH},
        "budgets": budgets,
        "over_budget": np.array(over_budget),
    }


def plain(value):
    """A measure as JSON can hold it: lists, and null for NaN."""
    if isinstance(value, dict):
        return {name: plain(part) for name, part in value.items()}
    if isinstance(value, (list, np.ndarray)):
        return [plain(part) for part in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if value != value else value  # pylint: disable=R0124


def number(value):
    return f"{'-':>9}" if np.isnan(value) else f"{value:9.3f}"


def sets_table(results, setting):
    """Distances of each layer to each set, as means over heads; the band's mean error."""
    lines = [f"{'':29}nearest of{'':27}nearest of {setting.samples} drawn",
             "matrices         layer     band  +sparse   Sigma1   Sigma3"
             "   Sigma1   Sigma2   Sigma3  mean error"]
    for name, layers in results.items():
        for layer, m in enumerate(layers):
            place = m["widths"].index(setting.width)
            row = [m["over_width"][column][place].mean() for column in OVER_WIDTH]
            lines.append(f"{name:16} {layer:5}" + "".join(map(number, row))
                         + f"{row[0] / m['size'] ** 2:12.6f}")
    return "\n".join(lines)


def sweep_table(results, title, heads, rows):
    """Distances over something: `rows` makes of a layer's measures lines by name,
    `heads` the numbers above them."""
    lines, above = [], None
    for name, layers in results.items():
        for layer, m in enumerate(layers):
            if m[heads] != above:
                above = m[heads]
                lines.append(f"{title:34}" + "".join(f"{head:9}" for head in above))
            for kind, values in rows(m).items():
                lines.append(f"{name:16} {layer:5} {kind:11}" + "".join(map(number, values)))
    return "\n".join(lines)


def width_table(results):
    """The band, and the band plus sparse, over widths; means over heads."""
    return sweep_table(results, "matrices         layer    width", "widths", lambda m: {
        "band": m["over_width"]["band"].mean(axis=-1),
        "+sparse": m["over_width"]["band_plus_sparse"].mean(axis=-1)})


def budget_table(results, setting):
    """The band plus sparse over budgets; means over heads."""
    return sweep_table(results, "matrices         layer   budget", "budgets", lambda m: {
        "+sparse": m["over_budget"][m["widths"].index(setting.width)].mean(axis=-1)})
