# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares the report with the formulas of the appendices, over their sizes.

    formulas.py EXAMPLES BIN
"""

import itertools
import sys

sys.path.insert(0, sys.argv[1])

from layers import layer  # noqa: E402
from tables import Report  # noqa: E402

REPORT = Report(sys.argv[2])
LENGTHS = (1, 5, 256)
faults = 0


def count(kind, **sizes):
    """The total of a layer, as functions of N."""
    def at(count):
        terms = [{"coefficient": count, "dims": []}] if isinstance(count, int) else count
        return lambda n: sum(t["coefficient"] * n ** len(t["dims"]) for t in terms)
    total = REPORT.total(layer(kind, **sizes))
    return {key: at(value) for key, value in total.items() if value is not None}


def compare(what, counted, expected):
    global faults
    if counted != expected:
        faults += 1
        print(f"{what}: expected {expected}, but got {counted}")


# MGK, appendix B, before M is set to 2: H / M heads of M keys.
for M, H, D, Dx in itertools.product((2, 3), (6, 12), (4, 16), (8, 24)):
    sizes = {"head_size": D, "width": Dx, "output_width": H * D}
    base = count("softmax", heads=H, **sizes)
    ours = count("mixture_of_keys", heads=H // M, components=M, **sizes)
    for N in LENGTHS:
        what = f"M={M} H={H} D={D} Dx={Dx} N={N}"
        compare(what, base["operations"](N), N**2 * H * (4*D - 1) + N*H*D * (6*Dx + 2*H*D - 5))
        compare(what, base["parameters"](N), 3*H*D*Dx + (H*D)**2)
        # Times M, to be whole numbers.
        formula = N**2 * H * (2*(M + 1)*D - 1) + N*H*D * (2*(M + 2)*Dx + 2*H*D)
        compare(what, M * ours["operations"](N), formula - N*H*D * (2*M + 3))
        compare(what, M * ours["operations_as_printed"](N), formula - N*H*D * (3*M + 2))
        compare(what, M * ours["parameters"](N), (2 + M)*H*D*Dx + (H*D)**2 + H*M)

# FiSH, appendix D.
for M, H, D, Dx in itertools.product((1, 2, 4), (4, 8), (4, 16), (8, 24)):
    sizes = {"heads": H, "head_size": D, "width": Dx, "only_weights": True}
    base = count("softmax", **sizes)
    ours = count("admixture_heads", global_heads=M, **sizes)
    for N in LENGTHS:
        what = f"M={M} H={H} D={D} Dx={Dx} N={N}"
        compare(what, base["operations"](N), N**2 * H * (2*D - 1) + 2*N*H*D * (2*Dx - 1))
        compare(what, base["parameters"](N), 2*H*D*Dx)
        compare(what, ours["operations"](N),
                (2*(D + H)*M - H) * N**2 + 2*N*M*D * (2*Dx - 1))
        compare(what, ours["parameters"](N), 2*M*D*Dx + H*M + M)

print(f"{faults} faults")
sys.exit(1 if faults else 0)
