# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Which sizes, types and plans are drawn."""

import cpu

DTYPES = ("f32", "f32", "bf16", "f16")
BATCHES = (1, 1, 1, 2, 2, 3)
HEADS = (1, 1, 2, 2, 3, 4, 5, 6, 8)
MORE_HEADS = (7, 12, 16)
FEATURES = (1, 2, 3, 4, 5, 7, 8, 15, 16, 16, 17, 24, 31, 32, 32, 33, 40, 41,
            48, 63, 64, 64, 65, 72, 80, 96, 100, 127, 128, 129, 160, 192, 200,
            255, 256, 257, 300)
# Around every tile, block and part; thousands where scores stay few.
LENGTHS = (1, 2, 3, 4, 5, 7, 8, 9, 13, 15, 16, 17, 24, 31, 32, 33, 37, 47, 48,
           49, 60, 63, 64, 65, 79, 80, 96, 97, 100, 111, 112, 127, 128, 129,
           130, 144, 160, 191, 192, 193, 200, 255, 256, 257, 300, 320)
LONG = (511, 512, 513, 700, 1000, 1023, 1024, 1025, 1500, 2047, 2048, 2049,
        3000, 4097)
COMPONENTS = (1, 2, 2, 3, 4)
# The last is taken for the first where this CPU does not run it.
TARGETS = ("native", "x86-64-v3", "x86-64", "native+emulated-amx")
# Lanes of a vector and of the widest tile.
LANES = {"native": (16, 64), "x86-64-v3": (8, 16), "x86-64": (4, 8),
         "native+emulated-amx": (16, 64)}
BLOCKS = (16, 32, 48, 64, 128, 256)


def draw_length(rng, most):
    """A length of at most `most`; hardly ever 0."""
    if rng.random() < 0.04:
        return 0
    pool = LONG if rng.random() < 0.12 else LENGTHS
    fitting = [length for length in pool if length <= most] or [1]
    return int(rng.choice(fitting))


def divisors(number):
    return [d for d in range(1, number + 1) if number % d == 0]


def draw_target(rng):
    target = TARGETS[int(rng.choice(4, p=(0.4, 0.3, 0.2, 0.1)))]
    return target if "amx" not in target or cpu.emulates_amx() else TARGETS[0]


def draw_plan(rng, ops, target):
    """A plan to force for these ops, or nothing: mostly one that they can
    have."""
    families = {family_of(op.kind) for op in ops} - {"training"}
    if rng.random() < 0.25 or len(families) > 1 or not families:
        return "" if rng.random() < 0.6 else "unfused"
    family = families.pop()
    only_plain = any("w1" in op.operands and op.attrs.get("causal")
                     and family == "linear" for op in ops)
    if rng.random() < 0.12 or (only_plain and rng.random() < 0.95):
        return "unfused"
    block = int(rng.choice(BLOCKS))
    if family == "linear":
        return f"chunked_linear,block={block}"
    if family == "pool":
        return f"banded,block={block}"
    returned = any("weights" in op.results for op in ops)
    if not returned and rng.random() < 0.35:
        return f"decode,block={block},split={block * int(rng.integers(1, 5))}"
    lanes, high = LANES[target]
    while lanes < high and rng.random() < 0.6:
        lanes *= 2
    mixes = any({"mixer", "mix_source"} & set(op.operands) for op in ops)
    takes_panel = returned or mixes
    algorithm = "panel" if takes_panel and rng.random() < 0.95 else "online"
    return f"{algorithm},width={lanes},block={block}"


def family_of(kind):
    if kind.startswith("linear"):
        return "linear"
    if kind == "structured_pool":
        return "pool"
    if kind in ("responsibilities", "prior_update", "orthogonal_penalty",
                "add"):
        return "training"
    return "softmax"
