# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Caches that programs of PyTorch write to, in every spelling of the positions: caches.py
FOLDER. Each compiles to an entry that writes in place; it is called again and again, and what it
leaves and gives is that of NumPy.
"""

import os
import subprocess
import sys

import mixattn
import numpy as np

import draw

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "python"))
from refused import refused  # noqa: E402
from programs import BOOL, FLOAT, LONG, S, T, members, node, program, write

BATCH, HEADS, ROOM, FEATURES = 2, 3, 9, 4
CACHE, ROWS = [BATCH, HEADS, ROOM, FEATURES], [BATCH, HEADS, "N", FEATURES]
TURNED = [BATCH, "N", HEADS, FEATURES]
CACHE_T, ROWS_T, K = T("cache"), T("rows"), T("k")


def arange(name, end):
    return node("aten.arange.default", (name,), end=end)


def put(indices, values=K):
    return node("aten.index_put.default", ("after",), self=CACHE_T, indices=indices, values=values)


# start + arange(N), as `at`.
COUNT = [arange("i", S("n")), node("aten.add.Tensor", ("at",), self=T("start"), other=T("i"))]
BY_ROW = [arange("i", S("n")), node("aten.unsqueeze.default", ("s1",), self=T("start"), dim=1),
          node("aten.add.Tensor", ("at2",), self=T("s1"), other=T("i")), arange("b", BATCH),
          node("aten.unsqueeze.default", ("b1",), self=T("b"), dim=1)]
TURN = node("aten.transpose.int", ("turned",), self=K, dim0=1, dim1=2)
EVERY = [node("aten.view.default", ("at4",), self=T("at"), size=[1, 1, -1, 1]),
         node("aten.expand.default", ("all",), self=T("at4"), size=[BATCH, HEADS, -1, FEATURES])]
TAKEN = [node("aten.item.default", (S("u0"),), self=T("start")),
         node("aten.slice.Tensor", ("old",), self=CACHE_T, dim=2, start=S("u0"), end=S("u0_n")),
         node("aten.copy.default", ("copied",), self=T("old"), src=K),
         node("aten.slice_scatter.default", ("after",), self=CACHE_T, src=T("copied"), dim=2,
              start=S("u0"), end=S("u0_n"))]

# Ops, and the positions that calls begin at: of each batch row, of all, or none.
FORMS = {
    "index_copy": (COUNT + [node("aten.index_copy.default", ("after",), self=CACHE_T, dim=2,
                                 index=T("at"), source=K)], [1]),
    "index_copy_0d": (COUNT + [node("aten.index_copy.default", ("after",), self=CACHE_T, dim=-2,
                                    index=T("at"), source=K)], []),
    "index_put": (COUNT + [put([None, None, T("at")])], [1]),
    "index_put_spread": (COUNT + [put([None, None, T("at")], T("shared"))], [1]),
    "index_put_batch": (BY_ROW + [TURN, put([T("b1"), None, T("at2")], T("turned"))], [BATCH]),
    "scatter": (COUNT + EVERY + [node("aten.scatter.src", ("after",), self=CACHE_T, dim=2,
                                      index=T("all"), src=K)], []),
    "one_index": ([put([None, None, T("start")])], [1]),
    "one_index_0d": ([node("aten.select.int", ("row",), self=K, dim=2, index=0),
                      put([None, None, T("start")], T("row"))], []),
    "slice_front": ([node("aten.slice_scatter.default", ("after",), self=CACHE_T, src=K, dim=2,
                          start=0, end=S("n"))], None),
    "slice_taken": (TAKEN, []),
    "select": ([node("aten.select.int", ("row",), self=K, dim=2, index=0),
                node("aten.select_scatter.default", ("after",), self=CACHE_T, src=T("row"), dim=2,
                     index=3)], None),
}
SINGLE = {"one_index", "one_index_0d", "select"}


def make(nodes, start, single):
    """A program that gives the cache's double."""
    rows = [1 if each == "N" and single else each for each in ROWS]
    turned = [1 if each == "N" and single else each for each in TURNED]
    count = rows[2]
    u0_n = "Add(Symbol('u0', integer=True), Symbol('N', positive=True, integer=True))"
    types = {"cache": (FLOAT, CACHE), "k": (FLOAT, rows), "after": (FLOAT, CACHE),
             "y": (FLOAT, CACHE), "start": (LONG, start or []), "i": (LONG, [count]),
             "at": (LONG, [count]), "at2": (LONG, [BATCH, count]), "s1": (LONG, [BATCH, 1]),
             "b": (LONG, [BATCH]), "b1": (LONG, [BATCH, 1]), "turned": (FLOAT, turned),
             "at4": (LONG, [1, 1, count, 1]), "all": (LONG, rows), "copied": (FLOAT, rows),
             "old": (FLOAT, rows), "row": (FLOAT, [BATCH, HEADS, FEATURES]),
             "shared": (FLOAT, [HEADS, 1, FEATURES])}
    inputs = ["k", "start", "cache"]
    if any("shared" in str(each["inputs"]) for each in nodes):
        inputs.append("shared")
    made = program([*nodes, node("aten.mul.Tensor", self=T("after"), other=2.0)], types, inputs,
                   integers={"n": count, "u0": "Symbol('u0', integer=True)", "u0_n": u0_n},
                   updates={"cache": "after"})
    made["range_constraints"] = {"u0": {"min_val": 0, "max_val": ROOM - 1},
                                 "N": {"min_val": 2, "max_val": ROOM}}
    return made


def written(cache, k, first):
    """As PyTorch's in-place ops do."""
    for row in range(BATCH):
        cache[row, :, first[row] : first[row] + k.shape[2]] = k[row]


def check(folder, name, nodes, start):
    single = name in SINGLE
    path = os.path.join(folder, name)
    write(path + ".pt2", members(make(nodes, start, single)))
    subprocess.run(["mixattn-compile", path + ".pt2", "-o", path + ".so"], check=True)
    (entry,) = mixattn.load(path + ".so").entries.values()
    cache, right = (np.full(CACHE, 0.5, np.float32) for _ in range(2))
    where, same = 0, True
    for call, length in enumerate([1, 1] if single else [4, 3, 1]):
        k = draw.floats(f"{name}{call}", [BATCH, HEADS, length, FEATURES])
        first = [where if start is not None else 3 * (name == "select")] * BATCH
        given = {"k": k, "cache": cache, "start": np.full(start or [], where, np.int64)}
        if start == [BATCH]:
            first[1] += 1
            given["start"][1] += 1
        if "shared" in entry.arguments:
            shared = given["shared"] = draw.floats(name, [HEADS, 1, FEATURES])
            k = np.broadcast_to(shared, k.shape)
        doubled = entry(**given)
        written(right, k, first)
        same &= np.array_equal(cache, right) and np.array_equal(doubled, 2 * right)
        where += length
    print(f"{name}: {'as' if same else 'not as'} NumPy's")


def attention(q, k, v, first):
    """Each query sees the keys up to its own place."""
    k, v = (each[:, :, : first + q.shape[2]] for each in (k, v))
    scores = q @ k.swapaxes(2, 3) / FEATURES**0.5
    hidden = np.arange(k.shape[2]) > first + np.arange(q.shape[2])[:, None]
    scores[..., hidden] = -np.inf
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v


def step(folder):
    """A layer whose buffers are its caches, step by step."""
    nodes = COUNT + [
        node("aten.index_copy.default", ("all_keys",), self=T("keys"), dim=2, index=T("at"), source=K),
        node("aten.index_put.default", ("all_values",), self=T("values"), indices=[None, None, T("at")],
             values=T("v")),
        arange("places", ROOM), node("aten.unsqueeze.default", ("own",), self=T("at"), dim=1),
        node("aten.le.Tensor", ("mask",), self=T("places"), other=T("own")),
        node("aten.scaled_dot_product_attention.default", query=T("q"), key=T("all_keys"),
             value=T("all_values"), attn_mask=T("mask"))]
    types = {"start": (LONG, [1]), "i": (LONG, ["N"]), "at": (LONG, ["N"]), "y": (FLOAT, ROWS),
             "places": (LONG, [ROOM]), "own": (LONG, ["N", 1]), "mask": (BOOL, ["N", ROOM])}
    types |= {name: (FLOAT, ROWS) for name in "qkv"}
    types |= {name: (FLOAT, CACHE) for name in ("keys", "values", "all_keys", "all_values")}
    made = program(nodes, types, ("q", "k", "v", "start"), integers={"n": "N"},
                   updates={"keys": "all_keys", "values": "all_values"}, buffers=("keys", "values"))
    path = os.path.join(folder, "step")
    write(path + ".pt2", members(made))
    subprocess.run(["mixattn-compile", path + ".pt2", "-o", path + ".so"], check=True)
    (entry,) = mixattn.load(path + ".so").entries.values()
    print(repr(entry))
    # Neither read nor paid for is what is not written yet.
    caches, right = ([np.full(CACHE, np.nan, np.float32) for _ in range(2)] for _ in range(2))
    where, worst = 0, 0
    for length in (4, 3, 1, 1):
        q, k, v = (draw.floats(f"{name}{where}", [BATCH, HEADS, length, FEATURES]) for name in "qkv")
        found = entry(q=q, k=k, v=v, start=np.array([where]), layer_keys=caches[0],
                      layer_values=caches[1])
        for cache, rows in zip(right, (k, v)):
            written(cache, rows, [where] * BATCH)
        worst = max(worst, abs(found - attention(q, *right, where)).max())
        where += length
    same = all(np.array_equal(*each, equal_nan=True) for each in zip(caches, right))
    print(f"step: error {worst:.1e}, caches {'as' if same else 'not as'} given")
    refused(lambda: entry(q=q, k=k, v=v, start=np.array([-1]), layer_keys=caches[0],
                          layer_values=caches[1]))


def main():
    folder = sys.argv[1]
    step(folder)
    for name, (nodes, start) in FORMS.items():
        check(folder, name, nodes, start)


main()
