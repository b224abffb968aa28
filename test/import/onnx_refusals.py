# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles ONNX models that cannot be compiled, and compares what is said:
onnx_refusals.py FOLDER. Each case is a name, a file and the sentence.
"""

import os
import sys

import numpy as np

import onnx_files as onnx
from compare import refuse

HERE = "op 'onnx.{}' of node 'y' (model.py:7): "
X = onnx.value("x", "float32", ["B", "N", 6])
RELU = onnx.node("Relu", ["x"], ["y"])
W = np.zeros((2, 3), np.float32)


def longs(*numbers):
    return np.array(numbers, np.int64)


def model(nodes=(RELU,), inputs=(X,), **options):
    return onnx.model(nodes, inputs, [onnx.value("y", "float32", [])], **options)


def of(op, inputs=("x",), says="", constants=None, more=(), outputs=("y",), options=None,
       **attributes):
    """A model of one op at line 7 of model.py, and what is said of it."""
    place = 'File "torch/nn.py", line 3, in f\n  File "model.py", line 7, in forward'
    node = onnx.node(op, inputs, outputs, name="y", place=place, **attributes)
    initializers = [onnx.tensor(value, name) for name, value in (constants or {}).items()]
    return model([node], [X, *more], initializers=initializers,
                 **(options or {})), HERE.format(op) + says


def initialised(tensor, says, **options):
    """A model whose initialiser w is odd."""
    return model([onnx.node("Add", ["x", "w"], ["y"])], initializers=[tensor],
                 **options), "tensor 'w': " + says


def external(says, **entries):
    return initialised(onnx.tensor(W, "w", entries), says)


def calls(functions, says, node=onnx.node("F", ["x"], ["y"], name="y", domain="local")):
    return model([node], functions=functions), says


FOUR = onnx.value("q", "float32", ["B", 2, "N", 4])


def mod(inputs, nodes):
    """A graph as an attribute."""
    body = onnx.fields(1, nodes) + onnx.field(2, "mod")
    body += onnx.fields(11, [onnx.value(each, "float32", []) for each in inputs])
    return onnx.field(6, body + onnx.field(12, onnx.value("r", "float32", []))) + onnx.field(20, 5)


def flex(part, inputs, says, **attributes):
    """One part of FlexAttention, or the whole."""
    made, said = of("FlexAttention", inputs, says, domain="ai.onnx.preview", more=[FOUR], **attributes)
    return made, said.replace("FlexAttention", "FlexAttention." + part) if part else said


IMAGE = onnx.value("i", "float32", [1, 3, 8, 8])


def nothing(op, inputs, says):
    """A model of one op on n, of which dim 2 is empty, and what is said of it."""
    node = onnx.node(op, inputs, ["y"], axis=2)
    cut = onnx.node("Slice", ["x", "z", "z", "two"], ["n"])
    return model([cut, node], [X, onnx.value("i", "int64", ["K"])], initializers=[
        onnx.tensor(longs(0), "z"), onnx.tensor(longs(2), "two")]), f"op 'onnx.{op}' of node 'y': {says}"


F = onnx.function("F", ["a"], ["b"], [onnx.node("Relu", ["a"], ["b"])])
INSIDE = "expected elements in a file of the model's folder, but got '{}'"
CASES = {
    # The file.
    "no-model": (b"\xff\xff", "expected an ONNX model, but got something else"),
    "format-15": (model(ir=15), "expected a model of ONNX's format 3 to 14, but got 15"),
    "opset-12": (model(opset=12), "expected opset 13 to 26, but got 12"),
    "opset-27": (model(opset=27), "expected opset 13 to 26, but got 27"),
    "training": (model(extra=onnx.field(20, b"")),
                 "expected a model for inference, but got one that trains"),
    "newer-model": (model(extra=onnx.field(99, 1)), "expected fields whose meaning is known, but "
                    "the model has field 99"),
    "no-opset": (onnx.field(1, 10) + onnx.field(7, b""), "expected opset 13 to 26, but got none"),
    "no-graph": (onnx.model([], [], []), "expected a graph with a result, but got none"),
    "newer-graph": (model(graph_extra=onnx.field(17, 1.5)), "expected fields whose meaning is "
                    "known, but the graph has field 17"),
    "conv-channels": of("Conv", ("x", "w"), constants={"w": np.zeros((2, 6, 3), np.float32)}, says="expected a "
                        "convolution of [B, C, ...] by weights [O, C / 1, ...] of known sizes, but got shapes [B, N, 6] and [2, "
                        "6, 3]"),
    "transposed-same": of("ConvTranspose", ("i", "w"), constants={"w": np.zeros((3, 2, 2, 2), np.float32)},
                          auto_pad="SAME_LOWER", more=[onnx.value("i", "float32", [1, 3, 4, 4])], says="expected borders of "
                          "a transposed convolution as numbers, but got auto_pad 'SAME_LOWER'"),
    "resize-mode": of("Resize", ("x",), mode="sinc", says="expected argument 'mode' to be one of 'nearest', 'linear', "
                      "'cubic', but got 'sinc'"),
    "resize-ratio": of("Resize", ("x", "", "", "s"), constants={"s": longs(2, 3, 6)}, keep_aspect_ratio_policy="not_larger",
                       says="expected keep_aspect_ratio_policy to be 'stretch', but got 'not_larger'"),
    "resize-few": of("Resize", ("x", "", "s"), constants={"s": np.array([1, 1], np.float32)},
                     says="expected sizes or known factors of 3 dims, but got 2 numbers"),
    "resize-half": of("Resize", ("x", "", "s"), constants={"s": np.array([1, 1.5, 1], np.float32)},
                      says="expected sizes that are polynomials of dims, but got [B, ?, 6]"),
    "conv-same": of("Conv", ("i", "w"), constants={"w": np.zeros((2, 3, 2, 2), np.float32)}, strides=[2, 2],
                    auto_pad="SAME_UPPER", more=[onnx.value("i", "float32", [1, 3, "N", 4])], says="expected borders that "
                    "do not depend on sizes, but got auto_pad 'SAME_UPPER' of shape [1, 3, N, 4]"),
    "conv-window": of("Conv", ("i", "w"), constants={"w": np.zeros((2, 3, 3, 3), np.float32)}, kernel_shape=[2, 3],
                      more=[IMAGE], says="expected argument 'kernel_shape' to be [3, 3], as the weights say, but got "
                      "[2, 3]"),
    "transposed-window": of("ConvTranspose", ("i", "w"), constants={"w": np.zeros((3, 2, 3, 3), np.float32)}, kernel_shape=[2, 3],
                            more=[IMAGE], says="expected argument 'kernel_shape' to be [3, 3], as the weights say, but got "
                            "[2, 3]"),
    "conv-border": of("Conv", ("i", "w"), constants={"w": np.zeros((2, 3, 3, 3), np.float32)}, auto_pad="FOO",
                      more=[IMAGE], says="expected auto_pad to be NOTSET, VALID, SAME_UPPER or SAME_LOWER, but got 'FOO'"),
    "conv-pads": of("Conv", ("i", "w"), constants={"w": np.zeros((2, 3, 3, 3), np.float32)}, auto_pad="VALID",
                    pads=[1, 1, 0, 0], more=[IMAGE], says="expected no 'pads' next to auto_pad 'VALID', but got "
                    "[1, 1, 0, 0]"),
    "shuffle-mode": of("DepthToSpace", ("i",), "expected the mode 'DCR' or 'CRD', but got 'FOO'", mode="FOO", blocksize=2,
                       more=[onnx.value("i", "float32", [1, 4, 4, 4])]),
    "flatten": of("Flatten", says="expected argument 'axis' to be from -3 to 3, but got 4", axis=4),
    "squeeze": of("Squeeze", ("x", "a"), "expected dims of size 1 to leave out, but got dim 2 of shape [B, N, 6]",
                  {"a": longs(2)}),
    "squeeze-open": of("Squeeze", ("x", "a"), "expected dims of size 1 to leave out, but got dim 1 of shape [B, N, 6]",
                       {"a": longs(1)}),
    "tile-few": of("Tile", ("x", "r"), "expected a number of times for each of 3 dims, but got 2", {"r": longs(1, 2)}),
    "tile-many": of("Tile", ("x", "r"), "expected a number of times for each of 3 dims, but got 4",
                    {"r": longs(1, 2, 1, 1)}),
    "division-by-0": of("Div", ("i", "d"), "expected integers other than 0 to divide by, but got 0", {"d": longs(2, 0)},
                        more=[onnx.value("i", "int64", ["N", 2])]),
    "rest-by-0": of("Mod", ("i", "d"), "expected integers other than 0 to divide by, but got 0", {"d": longs(0)},
                    more=[onnx.value("i", "int64", ["N", 2])]),
    "far-index": of("Gather", ("x", "i"), "expected indices from -6 to 5, but got 6", {"i": longs(1, 6)}, axis=2),
    "far-of-many": of("Gather", ("x", "i"), "expected indices from -6 to 5, but got -7",
                      {"i": np.array([[-7] + [3, 4] * 50])}, axis=2),
    "no-index": (model([onnx.node("Cast", ["f"], ["i"], to=7), onnx.node("Gather", ["x", "i"], ["y"], axis=2)],
                       initializers=[onnx.tensor(np.float32(np.nan), "f")]), "op 'onnx.Gather' of node 'y': expected "
                 "indices from -6 to 5, but got -9223372036854775808"),
    "index-into-none": nothing("Gather", ["n", "i"], "expected elements along dim 2 to pick "
                               "from, but got shape [B, N, 0]"),
    "place-of-none": nothing("ArgMax", ["n"], "expected elements along dim 2 of which one has "
                             "a place, but got shape [B, N, 0]"),
    "one-hot": of("OneHot", ("i", "d", "x"), constants={"i": longs(1), "d": longs(3)},
                  says="expected at least 0 classes, and two numbers, for elsewhere and for the place"),
    "pad-none": of("Pad", ("s", "p", "", "a"), "expected a tensor with dims to pad", {"p": longs(1, 1), "a": longs(0)},
                   more=[onnx.value("s", "float32", [])]),
    "sum-of-none": of("Sum", (), "expected operands, but got none"),
    "groups-unsaid": of("GroupNormalization", ("x", "w", "w"), "expected the number of groups",
                        {"w": np.zeros(6, np.float32)}),
    "few-pads": of("MaxPool", ("i",), "expected 4 numbers for as many ends of dims, but got 3", kernel_shape=[2, 2],
                   pads=[1, 1, 1], more=[onnx.value("i", "float32", [1, 3, 4, 4])]),
    "scatter-least": of("ScatterElements", ("x", "i", "x"), constants={"i": np.zeros((1, 1, 1), np.int64)}, reduction="min",
                        says="expected elements that are replaced or added, but got the reduction 'min'"),
    "norm-training": of("BatchNormalization", ("x",) + ("w",) * 4, training_mode=1,
                        constants={"w": np.zeros(6, np.float32)}, says="expected a model that was exported for "
                        "inference, but got a norm of a batch"),
    "norm-groups": of("GroupNormalization", ("x", "w", "w"), num_groups=4, constants={"w": np.zeros(6, np.float32)},
                      says="expected channels that 4 groups divide, but got shape [B, N, 6]"),
    "pool-rank": of("GlobalAveragePool", ("w",), constants={"w": np.zeros((2, 3), np.float32)}, says="expected a "
                    "tensor of at least 3 dims, but got shape [2, 3]"),
    "newer-node": of("Relu", says="expected fields whose meaning is known, but a node has field "
                     "11", extra=onnx.field(11, b"abc")),
    "newer-attribute": of("Relu", says="expected fields whose meaning is known, but an attribute "
                          "has field 24", alpha=onnx.field(20, 1) + onnx.field(24, 1)),
    "newer-tensor": initialised(onnx.tensor(W, "w") + onnx.field(15, 1), "expected fields whose "
                                "meaning is known, but a tensor has field 15"),
    "overload": of("Relu", says="expected a function without overloads, but got 'b'",
                   extra=onnx.field(8, "b")),
    "sparse": (model(graph_extra=onnx.field(15, b"")), "sparse tensors are not compiled"),
    "quantised": (model(graph_extra=onnx.field(14, b"")), "quantised tensors are not compiled"),
    # Inputs.
    "no-shape": (model(inputs=[onnx.field(1, "x") + onnx.field(2, onnx.field(1, onnx.field(1, 1)))]),
                 "input 'x': expected a tensor with a shape"),
    "no-size": (model(inputs=[onnx.value("x", "float32", [0])]),
                "input 'x': expected a size of at least 1, but got 0"),
    "input-type": (model(inputs=[onnx.value("x", 8, ["B"])]), "input 'x': expected elements of "
                   "type bool, int8 to int64, float16, bfloat16, float32 or float64, but got "
                   "ONNX's type 8"),
    "huge-input": (model(inputs=[onnx.value("x", "float32", [2**40, "N", 2**40])]), "input 'x': expected a tensor "
                   "of less than 2^63 bytes, but got f32 of shape [1099511627776, N, 1099511627776]"),
    "dim-name": (model(inputs=[onnx.value("x", "float32", [3, "n/2"])]), "expected an identifier "
                 "as the name of dim 1 of input 'x', but got 'n/2'; '--name-dim=x.1=NAME' gives "
                 "one"),
    "dim-product": (model(inputs=[onnx.value("x", "float32", [3, "n*k"])]), "expected an identifier "
                    "as the name of dim 1 of input 'x', but got 'n*k'; '--name-dim=x.1=NAME' gives "
                    "one"),
    "input-dims": (model(inputs=[onnx.value("x", "float32", [1] * 17)]),
                   "input 'x': expected a tensor of at most 16 dims, but got 17"),
    # Elements.
    "short": initialised(onnx.fields(1, [2, 3]) + onnx.field(2, 1) + onnx.field(8, "w") +
                         onnx.field(9, bytes(20)),
                         "expected 24 bytes for f32 of shape [2, 3], but got 20"),
    "few": initialised(onnx.fields(1, [2]) + onnx.field(2, 1) + onnx.field(8, "w") +
                       onnx.field(4, 1.5), "expected 2 elements, but got 1"),
    "none": initialised(onnx.fields(1, [10**6]) + onnx.field(2, 1) + onnx.field(8, "w"),
                        "expected 4000000 bytes for f32 of shape [1000000], but got fewer"),
    "huge": initialised(onnx.fields(1, [2**40, 2**40]) + onnx.field(2, 1) + onnx.field(8, "w"),
                        "the shape [1099511627776, 1099511627776] is too large"),
    "negative": initialised(onnx.fields(1, [-2]) + onnx.field(2, 1) + onnx.field(8, "w"),
                            "expected sizes of at least 0, but got shape [-2]"),
    "empty": (model([onnx.node("Add", ["x", "w"], ["y"])],
                    initializers=[onnx.tensor(W[:0], "w")]),
              "op 'onnx.Add' of node 'y': expected sizes that spread to [B, N, 6], but got [0, 3]"),
    "strings": initialised(onnx.field(1, 1) + onnx.field(2, 8) + onnx.field(8, "w"),
                           "expected elements of type bool, int8 to int64, float16, bfloat16, "
                           "float32 or float64, but got ONNX's type 8"),
    "segment": initialised(onnx.tensor(W, "w") + onnx.field(3, b""),
                           "expected a whole tensor, but got a segment of one"),
    "many-dims": initialised(onnx.fields(1, [1] * 17) + onnx.field(2, 1) + onnx.field(8, "w"),
                             "expected a tensor of at most 16 dims, but got 17"),
    # Elements in other files.
    "outside": external(INSIDE.format("../onnx_refusals_outside"),
                        location="../onnx_refusals_outside"),
    "absolute": external(INSIDE.format("/etc/passwd"), location="/etc/passwd"),
    "link": external(INSIDE.format("link"), location="link"),
    "folder": external(INSIDE.format("inner"), location="inner"),
    "nowhere": external("expected a file 'none' next to the model, but got none",
                        location="none"),
    "no-location": external(INSIDE.format("")),
    "odd-offset": external("expected a number of bytes as 'offset', but got '-1'",
                           location="w", offset="-1"),
    "far-offset": external("expected 24 bytes from 20 on in 'w', but it has 30", location="w",
                           offset="20", length="24"),
    "long-length": external("expected 24 bytes for f32 of shape [2, 3], but got 28", location="w",
                            length="28"),
    "odd-key": external("expected a location, an offset and a length, but got 'url'", url="w"),
    # Names.
    "twice": (model([RELU, RELU]), "op 'onnx.Relu' of node 'y': expected tensor 'y' to be "
              "computed once, but got it again"),
    "initialised-twice": (model([RELU], initializers=[onnx.tensor(W, "w")] * 2),
                          "expected tensor 'w' to be computed once, but got it again"),
    "result-twice": (onnx.model([RELU], [X], [onnx.value("y", "float32", [])] * 2),
                     "expected each result once, but got 'y' again"),
    "early": of("Relu", ["z"], "expected tensor 'z' to be computed before it is used, but got "
                "none"),
    "no-output": (model([]), "expected tensor 'y' to be computed before it is used, but got none"),
    "no-result": (model([onnx.node("Relu", ["x"], [], name="r")]),
                  "op 'onnx.Relu' of node 'r': expected a result, but got none"),
    # Nodes.
    "unknown": of("Hardmax", says="this op is not compiled"),
    "other-domain": (model([onnx.node("Gelu", ["x"], ["y"], domain="com.microsoft")]),
                     "op 'com.microsoft.Gelu' of node 'y': this op is not compiled"),
    "control-flow": of("If", says="control flow is not compiled",
                       then_branch=onnx.field(6, b"") + onnx.field(20, 5)),
    "unknown-input": of("Relu", ["x", "x"], "argument '1' is not compiled"),
    "unknown-attribute": of("Relu", says="argument 'alpha' is not compiled", alpha=1.0),
    "odd-attribute": of("Softmax", says="expected argument 'axis' to be an integer", axis=[1.5]),
    "far-axis": of("Softmax", says="expected argument 'axis' to be a dim of a tensor of rank 3, "
                   "but got 3", axis=3),
    "attribute-twice": (model([onnx.node("Softmax", ["x"], ["y"], axis=1,
                                         extra=onnx.field(5, onnx.attribute("axis", 2)))]),
                        "op 'onnx.Softmax' of node 'y': expected attribute 'axis' once, but got "
                        "it again"),
    "no-attribute": of("Relu", says="expected a value for attribute 'alpha', but it refers to "
                       "that of a function", alpha=onnx.Ref("a", 1)),
    "constant-text": of("Constant", (), "expected a constant of numbers, but got attribute "
                        "'value_string'", value_string="a"),
    "two-constants": of("Constant", (), "expected one attribute and one result, but got 2 and 1",
                        value_int=1, value_float=1.0),
    # Functions.
    "recursive": calls([onnx.function("F", ["a"], ["b"], [onnx.node(
        "F", ["a"], ["b"], name="again", domain="local")])],
        "op 'local.F' of node 'y/again': a function that calls itself is not compiled"),
    "function-operands": calls([F], "op 'local.F' of node 'y': expected at most 1 operands and 1 "
                               "results, but got 2 and 1",
                               onnx.node("F", ["x", "x"], ["y"], name="y", domain="local")),
    "function-twice": calls([F, F], "function 'F': expected it once, but got it again"),
    "function-overload": calls([F + onnx.field(13, "b")], "function 'F': expected a function "
                               "without overloads, but got 'b'"),
    "function-attribute": calls([F + onnx.field(11, b"\xff")], "function 'F': expected "
                                "attributes, but got something else"),
    "function-opset": calls([onnx.function("F", ["a"], ["b"], [], opset=9)],
                            "function 'F': expected opset 13 to 26, but got 9"),
    "doubling": calls([onnx.function(f"F{i or ''}", ["a"], ["b"], [
        onnx.node(f"F{i + 1}", ["a"], ["c"], name="c", domain="local"),
        onnx.node(f"F{i + 1}", ["a"], ["b"], name="b", domain="local")]) for i in range(24)],
        "op 'local.F21' of node 'y" + "/c" * 8 + "/b" * 13 + "': expected at most 131072 nodes "
        "with those of functions, but got more"),
    # Sizes.
    "values": of("Reshape", ["x", "z"], "expected argument 'shape' to be integers that follow "
                 "from sizes and constants", more=[onnx.value("z", "int64", [2])]),
    "value-k": of("Trilu", ["x", "z"], "expected argument 'diagonal' to be an integer that "
                  "follows from sizes and constants", more=[onnx.value("z", "int64", [])]),
    "no-rest": of("Reshape", ["x", "s"], "expected a size for -1 that is a polynomial of dims, but "
                  "got shape [B, N, 6] and [7]", {"s": longs(-1, 7)}),
    "negative-sizes": of("Reshape", ["x", "s"], "expected sizes of at least 0, but got shape "
                         "[0, 0, -2, -3]", {"s": longs(0, 0, -2, -3)}, allowzero=1),
    "no-spread": of("Expand", ["x", "s"], "expected sizes of at least 1 to spread to, but got "
                    "[-6]", {"s": longs(-6)}),
    "below-zero": of("ConstantOfShape", ["s"], "expected sizes of at least 0 that are polynomials "
                     "of dims, but got [-1, 3]", {"s": longs(-1, 3)}),
    "below-dims": (model([onnx.node("Shape", ["x"], ["s"]), onnx.node("Neg", ["s"], ["n"]), onnx.node(
        "Slice", ["n", "a", "b"], ["m"]), onnx.node("Sub", ["m", "b"], ["t"]), onnx.node("ConstantOfShape", [
            "t"], ["y"], name="y")], initializers=[onnx.tensor(longs(0), "a"), onnx.tensor(longs(2), "b")]),
                   "op 'onnx.ConstantOfShape' of node 'y': expected sizes of at least 0, but got shape [-B - 2, -N - 2]"),
    "long-dim": of("ConstantOfShape", ["s"], "expected sizes of at most 2^48, but got shape "
                   "[0, 281474976710657]", {"s": longs(0, 2**48 + 1)}),
    "huge-result": of("Expand", ["x", "s"], "expected a tensor of less than 2^63 bytes, but got f32 of shape "
                      "[1099511627776, 1099511627776, B, N, 6]", {"s": longs(2**40, 2**40, 1, 1, 1)}),
    "huge-multiple": of("Tile", ["x", "r"], "expected a tensor of less than 2^63 bytes, but got f32 of shape "
                        "[1099511627776 B, 1099511627776 N, 6]", {"r": longs(2**40, 2**40, 1)}),
    "two-numbers": of("ConstantOfShape", ["s"], "expected one number as 'value', but got shape "
                      "[2]", {"s": longs(3)}, value=longs(1, 2)),
    "indices": of("GatherND", ["x", "i"], "expected indices along the first dims of a tensor, "
                  "but got shapes [B, N, 6] and [4]", {"i": longs(0, 1, 2, 3)}),
    "parts": of("Split", ["x", "s"], "expected a size for each of 1 results, but got [2, 4]",
                {"s": longs(2, 4)}, axis=2),
    "negative-parts": of("Split", ["x", "s"], "expected parts that are 6 together, but got "
                         "[7, -1]", {"s": longs(7, -1)}, outputs=["y", "z"], axis=2),
    "slices": of("Slice", ["x", "s", "s", "a"], "expected a start, an end and a step for each of "
                 "1 dims, but got [0, 1], [0, 1] and [1, 1]", {"s": longs(0, 1), "a": longs(0)}),
    "heads": of("Attention", ["x", "x", "x"], "expected tensors of four dims, or of three with a "
                "number of heads, but got shape [B, N, 6] and 0 heads"),
    "features": of("Attention", ["x", "x", "x"], "expected features that 4 heads divide, but got "
                   "shape [B, N, 6]", q_num_heads=4, kv_num_heads=2),
    "past": of("Attention", ["x", "x", "x", "", "p", "p"], "expected tensors of at least 3 dims to "
               "put side by side, but got one of shape [B, N]", q_num_heads=2, kv_num_heads=2,
               more=[onnx.value("p", "float32", ["B", "N"])]),
    "cache": of("TensorScatter", ["x", "x"], "expected a cache and new positions of it along a dim "
                "that is neither the first nor the last, but got f32 of shape [B, N, 6] and f32 of "
                "shape [B, N, 6] along dim 2", axis=2),
    "places": of("ScatterND", ["x", "i", "x"], "expected rows along the first dim, and in what the model writes to one "
                 "after the other from a place that follows from sizes and constants, but got indices of shape [3, 2]",
                 {"i": np.zeros((3, 2), np.int64)}),
    "least": of("ScatterND", ["x", "i", "x"], "expected rows that are replaced or added, but got the reduction 'min'",
                {"i": longs(0)}, reduction="min"),
    "flex": of("FlexAttention", ["x", "x"], "expected queries, keys and values, and one result, but "
               "got 2 and 1", domain="ai.onnx.preview"),
    "flex-dims": flex("scores", ["x", "x", "x"], "expected queries and keys of floats and four dims, "
                      "but got f32 of shape [B, N, 6] and f32 of shape [B, N, 6]"),
    "flex-values": flex("values", ["q", "q", "x"], "expected weights and values of four dims, but got "
                        "shapes [B, 2, N, N] and [B, N, 6]"),
    "flex-type": flex("scores", ["q", "q", "q"], "expected softmax_precision to be a type of floats, "
                      "but got ONNX's type 7", softmax_precision=7),
    "flex-graph": flex(None, ["q", "q", "q"], "expected a graph of one operand and one result, but got "
                       "0 and 1", score_mod=mod([], [onnx.node("Identity", ["x"], ["r"])])),
    "flex-scores": flex("weights", ["q", "q", "q"], "expected scores of four dims, but got shape "
                        "[B, N, 6]", score_mod=mod(["s"], [onnx.node("Identity", ["x"], ["r"])])),
    "flex-node": (model([onnx.node("FlexAttention", ["q", "q", "q"], ["y"], name="y", domain="ai.onnx.preview",
                                   score_mod=mod(["s"], [onnx.node("Odd", ["s"], ["r"])]))], [X, FOUR]),
                  "op 'onnx.Odd' of node 'y/r': this op is not compiled"),
    "mode": of("TensorScatter", ["x", "x"], "expected the mode 'linear' or 'circular', but got "
               "'mirror'", mode="mirror"),
    "starts": of("TensorScatter", ["x", "x", "n"], "expected a position as i32 or i64 for each item "
                 "of the batch, but got f32 of shape [B]", more=[onnx.value("n", "float32", ["B"])]),
    "counts": of("Attention", ["x", "x", "x", "", "", "", "n"], "expected a number of keys as i64 "
                 "for each item of the batch, but got f32 of shape [B]", q_num_heads=2,
                 kv_num_heads=2, more=[onnx.value("n", "float32", ["B"])]),
    "pads": of("Pad", ["x", "p"], "expected known numbers of elements to pad with at both "
               "ends of 3 dims, but got 'reflect' and [1, 1]", {"p": longs(1, 1)}, mode="reflect"),
    "step": of("Attention", ["x", "x", "x"], "expected scores of a step from 0 to 3 as a result, "
               "but got 4", q_num_heads=2, kv_num_heads=2, qk_matmul_output_mode=4,
               outputs=["y", "", "", "z"]),
    "turned": of("RotaryEmbedding", ["q", "c", "c"], "expected a result of floats, but got "
                 "i64", more=[
        onnx.value("q", "int64", ["B", 2, "N", 4]), onnx.value("c", "float32", ["B", "N", 2])]),
    "places-of-number": of("RotaryEmbedding", ["q", "c", "c", "p"], "expected rows along dim 0, but "
                           "got shape []", {"c": np.float32(1)},
                           more=[FOUR, onnx.value("p", "int64", ["B", "N"])]),
    "whole-keys": of("Attention", ["q", "k", "q"], "expected queries, keys and values of floats, but "
                     "got f32, i64 and f32", more=[FOUR, onnx.value("k", "int64", ["B", 2, "N", 4])]),
    "room": of("TensorScatter", ["c", "r"], "expected as many new positions as the cache has room "
               "for, but got shapes [2, 5, 8] and [2, 4, 8]", axis=1, more=[
                   onnx.value("c", "float32", [2, 4, 8]), onnx.value("r", "float32", [2, 5, 8])]),
    "computed-end": of("Range", ["a", "n", "b"], "expected an arange whose length is a polynomial of "
                       "dims", {"a": np.int64(0), "b": np.int64(1)},
                       more=[onnx.value("n", "int64", [])]),
    "no-rows": (model([onnx.node("Slice", ["x", "s", "s", "s"], ["t"]),
                       onnx.node("GatherND", ["t", "i"], ["y"], name="y")],
                      [X, onnx.value("i", "int64", ["K", 2])],
                      initializers=[onnx.tensor(longs(0), "s")]),
                "op 'onnx.GatherND' of node 'y': expected elements along dim 0 to pick from, but got "
                "shape [0, N, 6]"),
    "angles": of("RotaryEmbedding", ["x", "c", "c"], "expected cosines and sines of half the "
                 "features to turn, but got shapes [B, 2, N, 3], [B, N, 3] and [B, N, 3]",
                 num_heads=2, more=[onnx.value("c", "float32", ["B", "N", 3])]),
}


def main():
    os.makedirs(sys.argv[1], exist_ok=True)
    os.chdir(sys.argv[1])
    os.makedirs("inner", exist_ok=True)
    with open("w", "wb") as file:
        file.write(bytes(30))
    if not os.path.islink("link"):
        os.symlink("../onnx_refusals_outside", "link")
    with open("../onnx_refusals_outside", "wb") as file:
        file.write(bytes(30))
    for name, (data, _) in CASES.items():
        with open(name + ".onnx", "wb") as file:
            file.write(data)
    refuse({name + ".onnx": sentence for name, (_, sentence) in CASES.items()})


main()
