# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What bounds attention on a CPU, as a share of its measured peak.

A slot is a turn of a port that begins one vector multiply-add a cycle. A bound
counts slots alone: of products, of mixers, and of what exps take of the same
ports. Loads, memory and what comes once a tile are left out. Numbers of slots
are those of passes/target/Calibration.h, where plan.md explains them.
"""

from bench import results

# Of an exp: its own multiply-adds, and where all vector arithmetic shares ports
# the rest of it, too.
HIDDEN_EXP, NAKED_EXP = 3, 13
# Of AMX, of which two slots a cycle count: a multiply-add at its peak and as it
# is measured, storing a vector of scores, moving a vector of sums, a weight.
AMX_PEAK, AMX_MULTIPLY_ADD, AMX_STORE, AMX_SUMS, AMX_WEIGHT = 2 / 32, 0.0725, 2.7, 3.7, 14
AMX_BLOCK = 64


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


def bound(run, row):
    """The largest share of the peak, and what it is bound by."""
    scores, pools, exps, mixers = counts(row)
    features = row["dims"]["D"]
    products = (scores + pools) * features
    flags = run["machine"]["flags"]
    if row["dtype"] == "bf16" and "amx_bf16" in flags:
        slots = (products * AMX_MULTIPLY_ADD + scores * AMX_STORE
                 + pools * features * AMX_SUMS / AMX_BLOCK + exps * AMX_WEIGHT + mixers)
        return products * AMX_PEAK / slots, "exps, after products"
    shares_ports = "Intel" in run["machine"]["model"] and "avx512f" in flags
    exp = NAKED_EXP if shares_ports else HIDDEN_EXP
    what = "ports, which exps take" if shares_ports else "ports"
    return products / (products + exps * exp + mixers), what


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
