# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bounds attention on a CPU, as a share of its measured peak.

A slot is a turn of a port that begins one vector multiply-add a cycle. A bound
counts slots alone: of products, of mixers, and of what exps take of the same
ports. Products of f32 take as long as peak.c measured them to take where the
first cache feeds them. Other loads, memory and what comes once a tile are left
out. Slots are read from passes/target/Calibration.h; plan.md explains them.
"""

import re

from bench import paths, results

# The part of the peak from which on loads are said not to bound products.
LEAST_FED = 0.95
# A multiply-add by AMX at its peak, where a cycle has two slots; keys of a block.
AMX_PEAK, AMX_BLOCK = 2 / 32, 256


def slots(name, kind=""):
    """A constant of the predictions, or that of a kind of CPU: the function of
    passes/target/Calibration.cpp that sets it."""
    folder = paths.ROOT / "passes" / "target"
    text = (folder / ("Calibration.cpp" if kind else "Calibration.h")).read_text()
    if kind:
        text = text[text.index(f"static void {kind}("):]
    return float(re.search(rf"\b{name} = ([0-9.]+)", text)[1])


def exp_slots(cpu):
    """Slots of an exp of f32, and what bounds attention in f32."""
    if "avx512f" not in cpu["flags"] and "AMD" in cpu["model"]:
        return slots("nakedExp", "comeAfterProducts"), "ports, and exps after products"
    # Where ports are shared, nothing of an exp hides.
    if "avx512f" in cpu["flags"] and "Intel" in cpu["model"]:
        return slots("nakedExp", "shareThePorts"), "ports, which exps take"
    # Zen 4 begins half as many multiply-adds of 512 bits, and as much else.
    if "avx512f" in cpu["flags"] and cpu["family"] == "25":
        return slots("hiddenExp", "multiplyOnceACycle"), "ports"
    return slots("hiddenExp"), "ports"


def counts(row):
    """Of a pair of a query and a key: raw scores, pooled weights, exps, and
    multiply-adds of mixers; or None where they are not listed here."""
    dims = row["dims"]
    heads, maps, components = dims["H"], dims.get("M", 0), dims.get("R", 1)
    return {
        "softmax": (heads, heads, heads, 0),
        "mgk": (heads * components, heads, heads * components, 0),
        "fish_hard": (maps, heads, heads, heads * maps),
        "mixhead_a": (heads, heads, heads, heads * heads),
    }.get(row["variant"])


def share_fed(run):
    """The part of the peak that products reach which the first cache feeds, as
    `peak.c` measured it with the peak: all of it where a run has no such kind."""
    peak = run["peak"]["1"]
    if "f32 zmm fed" not in peak:
        return 1.0
    return min(1.0, peak["f32 zmm fed"]["rate"] / peak["f32 zmm"]["rate"])


def bound(run, row):
    """The largest share of the peak, and what it is bound by."""
    scores, pools, exps, mixers = counts(row)
    features = row["dims"]["D"]
    products = (scores + pools) * features
    flags = run["machine"]["flags"]
    if row["dtype"] == "bf16" and "amx_bf16" in flags:
        taken = (products * slots("amxMultiplyAdd") + scores * slots("amxStore")
                 + pools * features * slots("amxSums") / AMX_BLOCK
                 + exps * slots("amxWeight") + mixers)
        return products * AMX_PEAK / taken, "exps, after products"
    exp, what = exp_slots(run["machine"])
    fed = share_fed(run)
    if fed < LEAST_FED:
        what += ", and loads"
    return products / (products / fed + exps * exp + mixers), what


def bounds(run, table, title, fraction):
    """Rows whose counts are known, with their bound and what they reach of it."""
    lines = []
    for name, row in run["rows"].items():
        measured = results.share(run, name, 1)
        if (row["group"] not in ("main", "bf16") or not counts(row) or measured is None
                or row["target"] != "native"):
            continue
        if row["dtype"] != "f32" and "amx_bf16" not in run["machine"]["flags"]:
            continue
        most, what = bound(run, row)
        lines.append([title(row), what, fraction(most), fraction(measured),
                      fraction(measured / most)])
    return table(["case", "bound by", "bound", "measured, 1 core", "of the bound"], lines)
