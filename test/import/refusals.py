# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles what cannot be compiled, and compares what is said: refusals.py
FOLDER. Each case is a name, an archive and the sentence.
"""

import copy
import json
import sys

from programs import BOOL, FLOAT, LONG, S, T, members, node, program, refuse_programs, weight

HERE = "op '{}' of node 'y' (model.py:7): "
X = T("x")
RELU = node("aten.relu.default", self=X)


# No dim of it is the only one whose multiples a number divides.
PRODUCT = "Mul(Symbol('B'), Symbol('N'))"
WIDE = {"x": (FLOAT, ["B", "N", PRODUCT])}


def of(target, typed=None, says="", results=("y",), integers=None, inputs=("x",), **arguments):
    """A program of one op, and what is said of it."""
    made = program([node(target, results, **arguments)], typed, inputs, integers=integers)
    return members(made), HERE.format(target) + says


def changed(change, says, **options):
    """A program of one relu, changed."""
    made = program([copy.deepcopy(RELU)], **options)
    change(made)
    return members(made), says


def archive(change, says, stored=None, **options):
    """The files of an archive, changed."""
    files = members(program([RELU], **options), stored)
    change(files)
    return files, says


def linear_weights(says, *arguments, **options):
    made = program([RELU], {"w": (FLOAT, [2, 3])}, weights=("w",))
    return members(made, {"w": weight(*arguments, **options)}), says


def attention(name, says, key=T("k"), **clauses):
    """Attention said outright, with these clauses."""
    typed = {"y": (FLOAT, ["B", 4, "N", 8]), "q": (FLOAT, ["B", 4, "N", 8]), "k": (FLOAT, ["B", 4, "S", 8]),
             "v": (FLOAT, ["B", 4, "S", 8]), "other": (FLOAT, [3, 4, "S", 8]), "i": (LONG, [5]),
             "w": (FLOAT, [8, 4]), "double": (8, [4, 4])}
    return of(f"mixattn.{name}.default", typed, says, inputs=("x", *(each for each in typed if each != "y")),
              query=T("q"), key=key, value=T("v"), **clauses)


def graph(made):
    return made["graph_module"]["graph"]


def signature(made):
    return made["graph_module"]["signature"]


def setter(path, value):
    """Sets a value inside a program."""
    def change(made):
        for key in path[:-1]:
            made = made[key]
        made[path[-1]] = value
    return change


GRAPH, SIGNATURE = ("graph_module", "graph"), ("graph_module", "signature")
NODE = GRAPH + ("nodes", 0)
CASES = {
    # The archive.
    "no-model": archive(lambda files: files.pop("models/model.json"), "expected an archive of "
                        "torch.export.save with a member models/model.json, but got none"),
    "two-models": archive(lambda files: files.update({"models/other.json": "{}"}),
                          "expected one model in the archive, but got 'model/models/model.json' "
                          "and 'model/models/other.json'"),
    "big-endian": archive(lambda files: files.update(byteorder="big"),
                          "expected numbers with the byte order 'little', but got 'big'"),
    "no-json": archive(lambda files: files.update({"models/model.json": "{"}),
                       "expected JSON, but got something else"),
    "no-weight": archive(lambda files: None, "graph_module.signature.input_specs[1]: expected the "
                         "elements of 'w', but got none", tensors={"w": (FLOAT, [2])},
                         weights=("w",)),
    "no-member": archive(lambda files: files.pop("data/weights/weight_0"),
                         "graph_module.signature.input_specs[1]: expected a member "
                         "'model/data/weights/weight_0', but got none",
                         {"w": weight(bytes(8), [2], [1])}, tensors={"w": (FLOAT, [2])},
                         weights=("w",)),
    "short-weight": linear_weights(
        "graph_module.signature.input_specs[1]: 'w': expected elements of shape [2, 3] within the "
        "20 bytes of member 'model/data/weights/weight_0', but its strides leave them",
        bytes(20), [2, 3], [3, 1]),
    "far-weight": linear_weights(
        "graph_module.signature.input_specs[1]: 'w': expected elements of shape [2, 3] within the "
        "24 bytes of member 'model/data/weights/weight_0', but its strides leave them",
        bytes(24), [2, 3], [3, 1], 1),
    "wide-weight": linear_weights(
        "graph_module.signature.input_specs[1]: 'w': expected elements of shape [2, 3] within the "
        "24 bytes of member 'model/data/weights/weight_0', but its strides leave them",
        bytes(24), [2, 3], [2**62, 2**62]),
    "negative-stride": linear_weights(
        "member 'model/data/weights/model_weights_config.json': 'w'.tensor_meta: expected a "
        "stride for each size and no number below 0, but got something else",
        bytes(24), [2, 3], [3, -1]),
    "pickled": linear_weights(
        "member 'model/data/weights/model_weights_config.json': 'w': expected raw bytes, but got "
        "a pickled tensor", bytes(24), [2, 3], [3, 1], pickled=True),
    "other-shape": linear_weights(
        "graph_module.signature.input_specs[1]: expected 'w' as f32 of shape [2, 3], but its "
        "elements are f32 of shape [3, 2]", bytes(24), [3, 2], [2, 1]),
    "other-dtype": linear_weights(
        "member 'model/data/weights/model_weights_config.json': 'w'.tensor_meta: expected "
        "elements of type bool, int8 to int64, float16, bfloat16, float32, float64 or complex64, but "
        "got PyTorch's type 11", bytes(24), [2, 3], [3, 1], dtype=11),
    # The program.
    "schema-9": changed(setter(("schema_version", "major"), 9), "expected a program of "
                        "torch.export's schema version 8, but got 9"),
    "two-members": changed(setter(SIGNATURE + ("input_specs", 0), {"a": 1, "b": 2}),
                           "graph_module.signature.input_specs[0]: expected an object with one "
                           "member, but got 2"),
    "token": changed(setter(SIGNATURE + ("input_specs", 0), {"token": {}}),
                     "graph_module.signature.input_specs[0]: expected inputs, parameters, buffers "
                     "and tensors, but got a 'token'"),
    "number-input": changed(setter(SIGNATURE + ("input_specs", 0),
                                   {"user_input": {"arg": {"as_int": 3}}}),
                            "'user_input': expected inputs that are tensors, but got 'as_int'"),
    "gradient": changed(setter(SIGNATURE + ("output_specs", 0), {"gradient_to_parameter": {}}),
                        "graph_module.signature.output_specs[0]: expected results, and inputs and "
                        "buffers that are written to, but got a 'gradient_to_parameter'"),
    "no-result": changed(lambda made: None, "expected a graph with a result, but got none", outputs=()),
    "number-result": changed(setter(SIGNATURE + ("output_specs", 0),
                                    {"user_output": {"arg": {"as_int": 3}}}),
                             "'user_output': expected results that are tensors, but got 'as_int'"),
    "squared-dim": changed(lambda made: None, "graph_module.signature.input_specs[0]: expected 'B', "
                          "from which size 4 B^2 of input 'x' is computed, to be a size of an "
                          "input, too",
                          tensors={"x": (FLOAT, ["Mul(Integer(4), Symbol('B'), Symbol('B'))"])}),
    "no-type": changed(setter(NODE + ("outputs", 0, "as_tensor", "name"), "z"),
                       HERE.format("aten.relu.default") + "'as_tensor'.name: expected the type of "
                       "tensor 'z', but got none"),
    "twice": changed(lambda made: graph(made)["nodes"].append(RELU),
                     HERE.format("aten.relu.default") + "'as_tensor'.name: expected tensor 'y' to "
                     "be computed once, but got it again"),
    "early": of("aten.relu.default", self=T("z"), says="'as_tensor'.name: expected tensor 'z' to "
                "be computed before it is used, but got none"),
    "empty": changed(lambda made: None, "'x'.sizes[1]: expected a size of at least 1, but got 0",
                     tensors={"x": (FLOAT, ["B", 0])}),
    "less-than-empty": changed(lambda made: None, HERE.format("aten.relu.default") + "'y'.sizes[1]: "
                               "expected a size of at least 0, but got -1",
                               tensors={"y": (FLOAT, ["B", -1])}),
    "many-dims": changed(lambda made: None, HERE.format("aten.relu.default") + "'as_tensor'.name: "
                         "expected a tensor of at most 16 dims, but got 17",
                         tensors={"y": (FLOAT, [1] * 17)}),
    "no-integer": of("aten.select.int", self=X, dim=0, index=S("n"), says="'as_sym_int': expected "
                     "the expression of integer 'n', but got none"),
    "no-number": of("aten.add.Tensor", self=X, other={"as_float": "many"},
                    says="'as_float': expected a number, but got 'many'"),
    "no-polynomial": of("aten.relu.default", {"y": (FLOAT, ["Max(Integer(2), Symbol('N'))"])},
                        self=X, says="'y'.sizes[0]: expected a size that is a polynomial of dims, "
                        "but got 'Max(Integer(2), Symbol('N'))'"),
    "largest-value": of("aten.relu.default", {"y": (FLOAT, ["Max(Integer(1), Symbol('u0'))"])},
                        self=X, says="'y'.sizes[0]: expected the largest or the smallest of sizes, but got "
                        "'Max(Integer(1), Symbol('u0'))', which depends on values"),
    "odd-quotient": of("aten.relu.default", {"y": (FLOAT, [f"FloorDiv({PRODUCT}, Integer(2))"])},
                       self=X, says="'y'.sizes[0]: expected a size that is a polynomial of dims, "
                       f"but got 'FloorDiv({PRODUCT}, Integer(2))'"),
    "half-sum": of("aten.relu.default", {"y": (FLOAT, ["Add(Float('0.5', precision=53), Symbol('N'))"])},
                   self=X, says="'y'.sizes[0]: expected a size that is a polynomial of dims, "
                   "but got 'Add(Float('0.5', precision=53), Symbol('N'))'"),
    "odd-rest": of("aten.relu.default", {"y": (FLOAT, [f"PythonMod({PRODUCT}, Integer(2))"])},
                   self=X, says="'y'.sizes[0]: expected a size that is a polynomial of dims, "
                   f"but got 'PythonMod({PRODUCT}, Integer(2))'"),
    "values": of("aten.nonzero.default", {"y": (LONG, ["u0", 3])}, self=X, says="expected sizes "
                 "that follow from those of inputs, but 'u0' depends on values"),
    "control-flow": of("higher_order.cond", self=X, true_graph={"as_graph": {}},
                       says="control flow is not compiled"),
    "odd-result": changed(setter(NODE + ("outputs",), [{"as_tensor": {"name": "y"}},
                                                        {"as_custom": {}}]),
                          HERE.format("aten.relu.default") + "graph_module.graph.nodes[0]."
                          "outputs[1]: expected tensors as results of an op, but got 'as_custom'"),
    # Ops.
    "unknown-op": of("aten.fft_fft.default", self=X, says="this op is not compiled"),
    "unknown-argument": of("aten.relu.default", self=X, inplace=True,
                           says="argument 'inplace' is not compiled"),
    "lying-size": of("aten.relu.default", {"y": (FLOAT, ["B", "N", 7])}, self=X,
                     says="expected result 0 to be f32 of shape [B, N, 7], as the file says, but "
                     "the op makes f32 of shape [B, N, 6]"),
    "no-tensor": of("aten.relu.default", self=3, says="expected argument 'self' to be a tensor"),
    "no-operand": of("aten.add.Tensor", self=X, other="a",
                     says="expected argument 'other' to be a tensor or a number"),
    "no-tensors": of("aten.cat.default", tensors=X,
                     says="expected argument 'tensors' to be tensors"),
    "no-dim": of("aten.softmax.int", self=X, dim="a",
                 says="expected argument 'dim' to be an integer"),
    "open-dim": of("aten.softmax.int", self=X, dim=S("n"), integers={"n": "N"},
                   says="expected argument 'dim' to be an integer that does not depend on sizes"),
    "open-number": of("aten.add.Tensor", self=X, other=X, alpha=S("n"), integers={"n": "N"},
                      says="expected argument 'alpha' to be a number that does not depend on "
                      "sizes"),
    "no-text": of("aten.gelu.default", self=X, approximate=1,
                  says="expected argument 'approximate' to be a text"),
    "no-sizes": of("aten.view.default", self=X, size=1.5,
                   says="expected argument 'size' to be sizes"),
    "far-dim": of("aten.softmax.int", self=X, dim=3, says="expected argument 'dim' to be a dim of "
                  "a tensor of rank 3, but got 3"),
    "dim-twice": of("aten.sum.dim_IntList", self=X, dim=[1, -2],
                    says="expected each dim of argument 'dim' once, but got 1 again"),
    "no-dims": of("aten.softmax.int", {"z": (FLOAT, [])}, inputs=("x", "z"), self=T("z"), dim=0,
                  says="expected tensors with dims, but got one without"),
    "no-floats": of("aten.exp.default", {"y": (LONG, ["B", "N", 6])}, self=X,
                    says="expected a result of floats, but got i64"),
    "no-spread": of("aten.add.Tensor", {"z": (FLOAT, [5])}, inputs=("x", "z"), self=X,
                    other=T("z"), says="expected sizes that spread to [B, N, 6], but got [5]"),
    "other-count": of("aten.view.default", {"y": (FLOAT, ["B", "N", 7])}, self=X,
                      says="expected as many elements of shape [B, N, 7] as of shape [B, N, 6]"),
    "product-sizes": of("aten.matmul.default", self=X, other=X, says="expected factors whose sizes "
                        "agree, but got shapes [B, N, 6] and [B, N, 6]"),
    "product-types": of("aten.matmul.default", {"z": (LONG, [6, 4])}, inputs=("x", "z"), self=X,
                        other=T("z"), says="expected factors of one element type, but got f32 and "
                        "i64"),
    "product-rank": of("aten.linear.default", {"z": (FLOAT, [6])}, inputs=("x", "z"), input=X,
                       weight=T("z"), says="expected a tensor of 2 dims to multiply, but got shape "
                       "[6]"),
    "product-scalar": of("aten.matmul.default", {"z": (FLOAT, [])}, inputs=("x", "z"), self=X,
                         other=T("z"), says="expected matrices to multiply, but got shapes "
                         "[B, N, 6] and []"),
    "equation": of("aten.einsum.default", equation="bnn->bn", tensors=[X],
                   says="expected an equation of einsum for 1 tensors with each letter once in a "
                   "term, but got 'bnn->bn'"),
    "side-by-side": of("aten.cat.default", {"z": (FLOAT, ["B", 5, 6])}, inputs=("x", "z"),
                       tensors=[X, T("z")], dim=2, says="expected tensors that differ in dim 2 "
                       "alone, but got shapes [B, N, 6] and [B, 5, 6]"),
    "cat-ranks": of("aten.cat.default", {"z": (FLOAT, ["B"])}, inputs=("x", "z"),
                    tensors=[X, T("z")], says="expected tensors of rank 3 to put side by side, but "
                    "got one of shape [B]"),
    "order": of("aten.permute.default", self=X, dims=[0, 1],
                says="expected an order of 3 dims, but got 2"),
    "places": of("aten.movedim.intlist", self=X, source=[0, 1], destination=[2],
                 says="expected as many places as dims, but got 1 for 2"),
    "same-place": of("aten.movedim.intlist", self=X, source=[0, 1], destination=[2, -1],
                     says="expected each dim of argument 'destination' once, but got 2 again"),
    "repeats": of("aten.repeat_interleave.self_int", self=X, repeats=-2, dim=1,
                  says="expected elements at least 0 times, but got -2"),
    "pairs": of("aten.tensordot.default", self=X, other=X, dims_self=[0, 1], dims_other=[0],
                says="expected pairs of dims, of up to 20 each, but got 2 of shape [B, N, 6] and 1 "
                "of shape [B, N, 6]"),
    "pairs-of-none": of("aten.tensordot.default", {"z": (FLOAT, [])}, inputs=("x", "z"),
                        self=X, other=T("z"), dims_self=[0], dims_other=[0],
                        says="expected pairs of dims, of up to 20 each, but got 1 of shape "
                        "[B, N, 6] and 1 of shape []"),
    "step": of("aten.slice.Tensor", self=X, dim=1, step=0,
               says="expected a step of at least 1 along a dim of a tensor"),
    "odd-part": of("aten.slice.Tensor", WIDE, self=X, dim=2, step=2,
                   says="expected a part whose size is a polynomial of dims"),
    "outside": of("aten.select.int", self=X, dim=2, index=6,
                  says="expected an index within a dim of size 6, but got 6"),
    "parts": of("aten.split_with_sizes.default", self=X, split_sizes=[5], dim=2,
                typed={"y": (FLOAT, ["B", "N", 5])},
                says="expected parts that are 6 together, but got [5]"),
    "few-parts": of("aten.unbind.int", self=X, dim=2, typed={"y": (FLOAT, ["B", "N"])},
                    says="expected parts that are 6 together, but got 1"),
    "rounding": of("aten.div.Tensor_mode", self=X, other=X, rounding_mode="up",
                   says="expected a rounding to 'floor' or 'trunc', but got 'up'"),
    "gelu": of("aten.gelu.default", self=X, approximate="sigmoid",
               says="expected gelu by 'none' or 'tanh', but got 'sigmoid'"),
    "dropout": of("aten.dropout.default", input=X, p=0.5, train=True,
                  says="expected a model that was exported for inference, but got dropout"),
    "condition": of("aten.masked_fill.Scalar", self=X, mask=X, value=0.0,
                    says="expected a condition of type bool, but got f32"),
    "matrix": of("aten.tril.default", {"z": (FLOAT, ["N"])}, inputs=("x", "z"), self=T("z"),
                 says="expected a matrix, but got shape [N]"),
    "arange": of("aten.arange.start_step", {"y": (LONG, ["N"])}, integers={"n": "N"}, start=0,
                 end=S("n"), step=2,
                 says="expected an arange whose length is a polynomial of dims"),
    "indices": of("aten.index.Tensor", {"z": (LONG, ["B"])}, inputs=("x", "z"), self=X,
                  indices=[T("z")] * 4, says="expected indices along dims of a tensor of rank 3, but "
                  "got 4"),
    "scatter": of("aten.slice_scatter.default", self=X, src=X, dim=2, start=1, end=2**63 - 1,
                  says="expected a part of shape [B, N, 5] without steps, from a known place on, "
                  "but got one of shape [B, N, 6] from 1"),
    "gather": of("aten.gather.default", {"z": (LONG, ["B"])}, inputs=("x", "z"), self=X, dim=1,
                 index=T("z"), says="expected indices of at most the tensor's sizes along all dims but dim "
                 "1, but got shapes [B, N, 6] and [B]"),
    "differences": of("aten.diff.default", self=X, n=2,
                      says="expected differences of numbers, taken once"),
    "float-indices": of("aten.embedding.default", weight=X, indices=X,
                        says="expected indices of an integer type, but got f32"),
    "norm": of("aten.layer_norm.default", input=X, normalized_shape=[5],
               says="expected a norm of the last dims of shape [B, N, 6], but got [5]"),
    "sdpa-dropout": of("aten.scaled_dot_product_attention.default", query=X, key=X, value=X,
                       dropout_p=0.5, says="expected a model that was exported for inference, but "
                       "got dropout"),
    "sdpa-ranks": of("aten.scaled_dot_product_attention.default", {"z": (FLOAT, ["N", 6])},
                     inputs=("x", "z"), query=X, key=T("z"), value=X, says="expected queries, keys "
                     "and values of one rank, but got shapes [B, N, 6], [N, 6] and [B, N, 6]"),
    "sdpa-mask-rank": of("aten.scaled_dot_product_attention.default",
                         {"z": (BOOL, [2, "B", "N", "N"])}, inputs=("x", "z"), query=X, key=X,
                         value=X, attn_mask=T("z"), says="expected sizes that spread to "
                         "[B, N, N], but got [2, B, N, N]"),
    "sdpa-masks": of("aten.scaled_dot_product_attention.default", {"z": (BOOL, ["N", "N"])},
                     inputs=("x", "z"), query=X, key=X, value=X, attn_mask=T("z"), is_causal=True,
                     says="expected is_causal or attn_mask, but got both"),
    "sdpa-features": of("aten.scaled_dot_product_attention.default", {"z": (FLOAT, [4, "D"])},
                        inputs=("x", "z"), query=T("z"), key=T("z"), value=T("z"),
                        says="expected queries whose number of features is known, but got [4, D]"),
    "sdpa-heads": of("aten.scaled_dot_product_attention.default", {"z": (FLOAT, [4, "N", 6])},
                     inputs=("x", "z"), query=T("z"), key=X, value=X, enable_gqa=True,
                     says="expected heads of queries that heads of keys divide, but got 4 and "
                     "shape [B, N, 6]"),
    "sdpa-no-heads": (members(program(
        [node("aten.slice.Tensor", ["k"], self=T("z"), dim=0, start=0, end=0),
         node("aten.scaled_dot_product_attention.default", query=T("z"), key=T("k"), value=T("k"),
              enable_gqa=True)],
        {"z": (FLOAT, [4, "N", 6]), "k": (FLOAT, [0, "N", 6]), "y": (FLOAT, [4, "N", 6])},
        inputs=("x", "z"))), HERE.format("aten.scaled_dot_product_attention.default") + "expected heads "
        "of queries that heads of keys divide, but got 4 and shape [0, N, 6]"),
    "outright-ranks": attention("softmax", key=X, says="expected queries [B, H, N, D], keys [B, H, S, D] or "
                                "[B, H, R, S, D] and values [B, H, S, E], but got shapes [B, 4, N, 8], "
                                "[B, N, 6] and [B, 4, S, 8]"),
    "outright-batch": attention("softmax", key=T("other"), says="expected queries [B, H, N, D], keys "
                                "[B, H, S, D] or [B, H, R, S, D] and values [B, H, S, E], but got shapes "
                                "[B, 4, N, 8], [3, 4, S, 8] and [B, 4, S, 8]"),
    "outright-lengths": attention("softmax", lengths=T("i"), says="expected argument 'lengths' to agree with "
                                  "batch, queries and keys [B, N, S], but got shape [5]"),
    "outright-bias": attention("softmax", bias=X, says="expected argument 'bias' to agree with batch, queries "
                               "and keys [B, N, S], but got shape [B, N, 6]"),
    "outright-source": attention("mix_heads", mix_source=T("other"), mix_weight=T("w"), mix_bias=T("w"),
                                 says="expected argument 'mix_source' to agree with batch, queries and keys "
                                 "[B, N, S], but got shape [3, 4, S, 8]"),
    "outright-mixer": attention("mix_heads", mixer=T("w"), says="expected 'mixer' to have the shape [4, 4], "
                                "but got 'tensor<8x4xf32>'"),
    "outright-none": attention("mix_heads", says="expected one of 'mixer' and 'mixer_by_row'"),
    "outright-type": attention("mix_heads", mixer=T("double"), says="operand #3 must be 2D tensor of 16-bit "
                               "float or bfloat16 type or 32-bit float values, but got 'tensor<4x4xf64>'"),
    "outright-band": attention("softmax", band=[3], says="expected argument 'band' to be a number of keys "
                               "below and one above, but got [3]"),
    "outright-keep": attention("softmax", keep=[-3, 1], says="expected band widths from 0 to "
                               "4611686018427387904, but got -3 and 1"),
    "outright-map": attention("linear", feature_map="softplus", says="expected a feature map, but got "
                              "'softplus'"),
    "outright-rolls": attention("linear", rolls=3, says="expected 'rolls' from 1 to 64 with dpfp and none "
                                "elsewhere, but got 3"),
    "outright-noise": attention("admixture_heads", mixer=T("w"), noise_kind="loud", says="expected noise "
                                "'local' or 'global', but got 'loud'"),
    "outright-variances": attention("mixture_of_keys", variances=2.5, says="expected argument 'variances' to "
                                    "be numbers"),
    "outright-clause": attention("linear", band=[3, 1], says="argument 'band' is not compiled"),
    "part-of-two-dims": of("aten.slice.Tensor", {"y": (FLOAT, ["B", "Add(Symbol('N'), Mul(Integer(-1), Symbol('B')))", 6])},
                           integers={"b": "B"}, self=X, dim=1, start=S("b"), end=2**63 - 1,
                           says="expected a part that lies within its tensor at all sizes, but "
                           "-B + N may be below 0"),
    "unread": (members(program([node("aten.native_layer_norm.default", ("y", "z"), input=X, normalized_shape=[6],
                                     eps=1e-5)], {"z": (FLOAT, ["B", "N", 1])}, outputs=("z",))),
               "'z' is a result that is not compiled"),
    "read": (members(program([node("aten.native_layer_norm.default", ("w", "z"), input=X, normalized_shape=[6], eps=1e-5),
                              node("aten.neg.default", self=T("z"))],
                             {"w": (FLOAT, ["B", "N", 6]), "z": (FLOAT, ["B", "N", 1])})),
             HERE.format("aten.neg.default") + "'z' is a result that is not compiled"),
    "complex-strides": linear_weights("member 'model/data/weights/model_weights_config.json': 'w'.tensor_meta: "
                                      "expected strides of 62 bits, but got more", b"\0" * 48, [2, 3], [3, 2**62], dtype=10),
    "complex-offset": linear_weights("member 'model/data/weights/model_weights_config.json': 'w'.tensor_meta: "
                                     "expected an offset of 62 bits, but got more", b"\0" * 48, [2, 3], [3, 1], 2**62, dtype=10),
}


if __name__ == "__main__":
    refuse_programs(sys.argv[1], CASES)
