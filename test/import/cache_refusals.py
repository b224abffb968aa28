# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that write to their inputs otherwise than row after row, and what refuses them:
cache_refusals.py FOLDER.
"""

import sys

from programs import FLOAT, LONG, S, T, members, node, program, refuse_programs

CACHE, ROWS = [2, 3, 9, 4], [2, 3, "N", 4]
UNPROVEN = ("expected positions that are one after the other whatever the inputs hold, such as "
            "start + torch.arange(n) of an integer start, but got a tensor of shape {}")
INDEXED = ("expected positions along one dim of a tensor of shape [2, 3, 9, 4], and along others "
           "torch.arange of their sizes or none, but got something else")
U0 = "Symbol('u0', integer=True)"
TAKEN = node("aten.item.default", (S("u0"),), self=T("start"))


def of(nodes, says, op=None, updates=None, least=None, dtype=LONG, **typed):
    """Nodes of which the last makes `after`, what the cache becomes."""
    types = {"cache": (FLOAT, CACHE), "k": (FLOAT, ROWS), "after": (FLOAT, CACHE),
             "y": (FLOAT, CACHE), "start": (dtype, []), "at": (LONG, ["N"]),
             "i": (LONG, ["N"]), **typed}
    given = {name for name in types if name not in ("x", "y", "after", "i")}
    for each in nodes:
        given -= {out["as_tensor"]["name"] for out in each["outputs"] if "as_tensor" in out}
    inputs = [name for name in types if name in given]
    made = program([*nodes, node("aten.mul.Tensor", self=T("after"), other=2.0)], types, inputs,
                   integers={"n": "N", "u0": U0, "end": f"Add({U0}, Symbol('N', positive=True, integer=True))"},
                   updates=updates or {"cache": "after"})
    made["range_constraints"] = {"u0": {"min_val": least, "max_val": 8}}
    last = op or nodes[-1]
    where = f"op '{last['target'].removeprefix('torch.ops.')}' of node '{last['name']}' (model.py:7): "
    return members(made), (where if op is not False else "") + says


def copied(index, dim=2):
    """index_copy by positions."""
    return node("aten.index_copy.default", ("after",), self=T("cache"), dim=dim, index=T(index),
                source=T("k"))


def put(indices, **options):
    return node("aten.index_put.default", ("after",), self=T("cache"), indices=indices, values=T("k"),
                **options)


SLICED = node("aten.slice_scatter.default", ("after",), self=T("cache"), src=T("k"), dim=2,
              start=S("u0"), end=S("end"))
STEP = node("aten.arange.start_step", ("i",), start=0, end=S("n"), step=1)
EVERY = node("aten.scatter.src", ("after",), self=T("cache"), dim=2, index=T("each"), src=T("k"))
PICKED = node("aten.embedding.default", ("row",), weight=T("w"), indices=T("start"))
CASES = {
    "given": of([copied("at")], UNPROVEN.format("[N]")),
    "doubled": of([STEP, node("aten.mul.Tensor", ("j",), self=T("i"), other=2), copied("j")],
                  UNPROVEN.format("[N]"), j=(LONG, ["N"])),
    "backward": of([STEP, node("aten.rsub.Scalar", ("j",), self=T("i"), other=8), copied("j")],
                   UNPROVEN.format("[N]"), j=(LONG, ["N"])),
    "narrow": of([STEP, node("aten._to_copy.default", ("j",), self=T("i")), copied("j")],
                 UNPROVEN.format("[N]"), j=(2, ["N"])),
    "own-starts": of([STEP, node("aten.add.Tensor", ("j",), self=T("i"), other=T("at")), copied("j")],
                     UNPROVEN.format("[N]"), j=(LONG, ["N"])),
    "floats": of([copied("f")], "expected positions of an integer type, but got f32",
                 f=(FLOAT, ["N"])),
    "first-dim": of([STEP, copied("i", dim=0)], "expected a position for each row along dim 0, but "
                    "got shapes [N] and [2, 3, N, 4]"),
    "by-head": of([EVERY], UNPROVEN.format("[2, 3, N, 4]"), each=(LONG, ROWS)),
    "by-batch": of([put([T("rows"), None, T("at")])], INDEXED, rows=(LONG, ["N"])),
    "added": of([STEP, put([T("rows"), None, T("i")], accumulate=True)], "expected rows that are written, but got "
                "some that are added", rows=(LONG, ["N"])),
    "scatter-sizes": of([node("aten.scatter.src", ("after",), self=T("cache"), dim=2, index=T("each"), src=T("few"))],
                        "expected a position for each element, but got shapes [2, 3, N, 4] and [2, 3, 2, 4] along dim 2",
                        each=(LONG, ROWS), few=(FLOAT, [2, 3, 2, 4])),
    "scatter-rank": of([node("aten.scatter.src", ("after",), self=T("cache"), dim=2, index=T("each"), src=T("few"))],
                       "expected a position for each element, but got shapes [4] and [4] along dim 2",
                       each=(LONG, [4]), few=(FLOAT, [4])),
    "stepped": of([node("aten.slice_scatter.default", ("after",), self=T("cache"), src=T("few"), dim=2, start=0, end=8,
                        step=2)], "expected a part of shape [2, 3, 4, 4] without steps, from a known place on, but got "
                  "one of shape [2, 3, 4, 4] from ?", few=(FLOAT, [2, 3, 4, 4])),
    "from-end": of([TAKEN, SLICED], "expected a part that starts at 0 or later, as "
                   "torch._check(start >= 0) says, but u0 may be below"),
    "read": of([TAKEN, node("aten.slice.Tensor", ("old",), self=T("cache"), dim=2, start=S("u0"),
                            end=S("end")),
                node("aten.neg.default", ("less",), self=T("old")),
                node("aten.slice_scatter.default", ("after",), self=T("cache"), src=T("less"), dim=2,
                     start=S("u0"), end=S("end"))],
               "expected a part that starts at a place that follows from sizes, but u0 depends on "
               "values", least=0, old=(FLOAT, ROWS), less=(FLOAT, ROWS)),
    "taken-none": of([TAKEN, PICKED, SLICED], "expected limits that leave an integer, but got 7 to 5", op=PICKED,
                     least=7, start=(LONG, [1]), w=(FLOAT, [6, 4]), row=(FLOAT, [1, 4])),
    "taken-float": of([TAKEN, SLICED], "expected an integer that is taken out of a tensor, but got "
                      "f32", op=TAKEN, dtype=FLOAT),
    "taken-twice": of([TAKEN, TAKEN, SLICED], "graph_module.graph.nodes[1].outputs[0].as_sym_int: "
                      "expected a symbol of its own for integer 'u0', but got 'u0'", op=TAKEN),
    "scatter-first": of([node("aten.scatter.src", ("after",), self=T("cache"), dim=0, index=T("each"),
                              src=T("k"))], "expected places of the tensor's sizes along all dims but dim "
                        "0, but got shapes [2, 3, 9, 4] and [2, 3, N, 4]",
                        each=(LONG, ROWS)),
    "whole": of([node("aten.mul.Tensor", ("after",), self=T("cache"), other=0.5)],
                "expected what is written to 'cache' to be rows one after the other, by a slice, "
                "index_copy_, index_put_ or scatter_, but got something else"),
    "nobody": of([STEP, copied("i")], "'user_input_mutation'.user_input_name: expected the name of an input or a buffer, but got 'other'",
                 op=False, updates={"other": "after"}),
}


refuse_programs(sys.argv[1], CASES)
