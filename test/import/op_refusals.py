# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What ops by families cannot do, and what is said: op_refusals.py FOLDER. The sentences are those
of refusals.py.
"""

import sys

from programs import BOOL, FLOAT, LONG, S, T, refuse_programs
from refusals import PRODUCT, WIDE, X, of

COMPLEX = 10
Z = T("z")


def two(target, sizes, says, dtype=FLOAT, typed=None, **arguments):
    """An op of x and of a tensor z of these sizes."""
    return of(target, {"z": (dtype, sizes), **(typed or {})}, says, inputs=("x", "z"), **arguments)


def image(target, says, sizes=("B", 3, 8, 8), **arguments):
    return of(target, {"x": (FLOAT, list(sizes)), "y": (FLOAT, [4]), "z": (FLOAT, [4, 3, 3, 3])}, says, inputs=("x", "z"), **arguments)


CASES = {
    "complex-op": two("aten.exp.default", ["B", "N"], "this op is not compiled for complex numbers", COMPLEX, self=Z),
    "complex-real": two("aten.real.default", [], "expected complex numbers, but got a real tensor of shape []", FLOAT,
                      {"y": (COMPLEX, [])}, self=Z),
    "in-place": of("aten.add_.Tensor", self=X, other=X, says="expected ops that write to no tensor, as "
                   "run_decompositions({}) leaves them"),
    "halves": of("aten.glu.default", WIDE, self=X, dim=2, says="expected a dim of two halves, but got size B N"),
    "pads": of("aten.pad.default", self=X, pad=[1, -1], mode="reflect", says="expected known numbers of elements to pad "
               "with at both ends of 1 dims, but got 'reflect' and [1, -1]"),
    "along-none": two("aten.take_along_dim.default", ["B"], "expected a dim, and indices of as many dims as the tensor",
                      LONG, self=X, indices=Z, dim=1),
    "no-statistics": two("aten.batch_norm.default", [6], "expected argument 'running_var' to be a tensor", input=X, running_mean=Z),
    "channels-of-none": of("aten.batch_norm.default", {"x": (FLOAT, [6]), "y": (FLOAT, [6]), "z": (FLOAT, [6])}, "expected a tensor "
                           "[B, C, ...], but got shape [6]", inputs=("x", "z"), input=X, running_mean=Z, running_var=Z),
    "statistics": two("aten.instance_norm.default", [6], "expected a norm by each item's own elements, without "
                      "statistics", input=X, running_mean=Z, running_var=Z, use_input_stats=False),
    "roll-open": of("aten.roll.default", self=X, shifts=S("n"), dims=[1], integers={"n": "N"},
                    says="expected to roll a dim by a known number, but got N"),
    "diagonal-dims": of("aten.diagonal.default", self=X, dim1=1, dim2=-2,
                        says="expected two dims of a tensor, but got 1 and 1 of shape [B, N, 6]"),
    "diagonal-open": of("aten.diagonal.default", self=X, dim1=0, dim2=1, says="expected a diagonal whose length is a "
                        "polynomial of dims, but got shape [B, N, 6]"),
    "diagonal-far": of("aten.diagonal.default", self=X, offset=2**40, dim1=1, dim2=2, says="expected a diagonal from "
                       "-1048576 to 1048576, but got 1099511627776"),
    "embedded-below": of("aten.diag_embed.default", self=X, offset=1,
                         says="expected the main diagonal of matrices, which the last two dims are"),
    "unfold": of("aten.unfold.default", WIDE, self=X, dimension=2, size=2, step=2, says="expected parts of size 2 whose "
                 "number is a polynomial of dims, but got shape [B, N, B N]"),
    "sort-bools": two("aten.sort.default", ["B", "N"], "expected numbers to order, but got bool", BOOL, self=Z),
    "few-sorted": of("aten.topk.default", self=X, k=-1, says="expected at least 0 elements in order, but got -1"),
    "classes": two("aten.one_hot.default", ["B"], "expected a number of classes, which does not depend on values", LONG,
                   self=Z),
    "no-dim-kept": of("aten.argmax.default", self=X, keepdim=True, says="expected a dim to keep"),
    "inner-scalar": two("aten.inner.default", [], "expected vectors to multiply, but got shapes [B, N, 6] and []", self=X,
                        other=Z),
    "bools-multiplied": two("aten.prod.default", ["B"], "expected numbers to multiply, but got bool", BOOL,
                            {"y": (BOOL, [])}, self=Z),
    "grid": of("aten.meshgrid.default", tensors=[X], says="expected vectors as axes of a grid, but got shape [B, N, 6]"),
    "shuffle": of("aten.pixel_shuffle.default", {"x": (FLOAT, ["B", 6, 4, 4]), "y": (FLOAT, [4])}, self=X, upscale_factor=2,
                  says="expected dims that 2 divides, but got shape [B, 6, 4, 4]"),
    "shuffle-rank": of("aten.pixel_shuffle.default", {"x": (FLOAT, ["B", 6]), "y": (FLOAT, [4])}, self=X, upscale_factor=2,
                       says="expected a tensor of at least 3 dims, but got shape [B, 6]"),
    "repeat-below": of("aten.repeat.default", self=X, repeats=[1, -1, 1],
                       says="expected a tensor at least 0 times, but got -1"),
    "repeat-few": of("aten.repeat.default", self=X, repeats=[2],
                     says="expected a number of times for each of 3 dims, but got 1"),
    "division-by-0": of("aten.floor_divide.default", {"x": (LONG, ["N"]), "y": (LONG, ["N"])}, self=X, other=0,
                        says="expected integers other than 0 to divide by, but got 0"),
    "repeat-dims": of("aten.repeat.default", self=X, repeats=[1] * 17,
                      says="expected numbers for at most 16 dims, but got 17"),
    "bools-added": two("aten.scatter_add.default", ["B", "N", 6], "expected numbers to add, but got bool", LONG,
                       {"x": (BOOL, ["B", "N", 6])}, self=X, dim=1, index=Z, src=X),
    "places-of-two": two("aten.scatter_add.default", ["N", 6], "expected places of rows, or of single elements, but got "
                         "shapes [B, N, 6] and [N, 6]", LONG, self=X, dim=1, index=Z, src=X),
    "float-places": of("aten.scatter_add.default", self=X, dim=1, index=X, src=X,
                       says="expected places of an integer type, but got f32"),
    "few-places": two("aten.scatter_add.default", ["B", 2, 5], "expected places of the tensor's sizes along all dims but "
                      "dim 1, but got shapes [B, N, 6] and [B, 2, 5]", LONG, self=X, dim=1, index=Z, src=X),
    "scatter-product": two("aten.scatter.reduce", ["B", "N", 6], "expected elements that are replaced or added, but got "
                           "reduce 'multiply'", LONG, self=X, dim=1, index=Z, src=X, reduce="multiply"),
    "distances": two("aten.cdist.default", [6], "expected rows of vectors, but got shapes [B, N, 6] and [6]", x1=X, x2=Z),
    "matrix-norm": of("aten.linalg_norm.default", self=X, ord=2, dim=[0, 1], says="expected the norm of vectors along one "
                      "dim, but got that of matrices"),
    "convolution": image("aten.conv2d.default", "expected windows of 3 at every 2 places whose number is a polynomial of "
                         "dims, but got shape [B, 3, N, B N]", ("B", 3, "N", PRODUCT), input=X, weight=Z, stride=[1, 2]),
    "channels": image("aten.convolution.default", "expected a convolution of [B, C, ...] by weights [O, C / 1, ...] of "
                      "known sizes, but got shapes [B, 4, 8, 8] and [4, 3, 3, 3]", ("B", 4, 8, 8), input=X, weight=Z),
    "transposed": image("aten.convolution.default", "expected a transposed convolution of [B, C, ...] by weights [C, O / "
                        "1, ...] of known sizes, but got shapes [B, 3, 8, 8] and [4, 3, 3, 3]", input=X, weight=Z,
                        transposed=True),
    "smoothed-open": of("aten._upsample_bilinear2d_aa.default", {"x": (FLOAT, ["B", 3, "N", 8]), "y": (FLOAT, ["B", 3, 4, 8])},
                        "expected known sizes of an image that is smoothed, but got shape [B, 3, N, 8]", self=X,
                        output_size=[4, 8], align_corners=False),
    "resized-rank": of("aten.upsample_nearest1d.default", {"x": (FLOAT, ["B", 3, 4]), "y": (FLOAT, ["B", 3])}, self=X,
                       output_size=[8], says="expected a size for each of 3 dims, but got [B, 3]"),
    "resized-by-0": of("aten.upsample_linear1d.default", {"x": (FLOAT, ["B", 3, 4]), "y": (FLOAT, ["B", 3, 8])}, self=X,
                       output_size=[8], align_corners=False, scales=0.0, says="expected factors above 0, but got 0.000000"),
    "resized-integers": of("aten.upsample_linear1d.default", {"x": (LONG, ["B", 3, 4]), "y": (LONG, ["B", 3, 8])}, self=X,
                           output_size=[8], align_corners=False, says="expected an image of floats, but got i64"),
    "ceil-mode": image("aten.max_pool2d.default", "expected known sizes next to ceil_mode, but got shape [B, 3, N, 8]",
                       ("B", 3, "N", 8), self=X, kernel_size=[3, 3], ceil_mode=True),
    "pool-rank": image("aten.max_pool2d.default", "expected a tensor of over 2 dims, but got shape [8, 8]", (8, 8),
                       self=X, kernel_size=[2, 2]),
    "columns": image("aten.im2col.default", "expected images [B, C, H, W], but got shape [8, 8]", (8, 8), self=X,
                     kernel_size=[2, 2]),
    "many-pads": image("aten.max_pool2d.default", "expected argument 'padding' to be numbers from 0 to 1048576, but got "
                       "-1", self=X, kernel_size=[2, 2], padding=[-1, 0]),
    "few-strides": image("aten.conv2d.default", "expected 2 numbers for as many dims, but got 3", input=X, weight=Z,
                         stride=[1, 1, 1]),
    "huge-window": of("aten.conv1d.default", {"x": (FLOAT, ["B", 3, 8]), "y": (FLOAT, [4]), "z": (FLOAT, [4, 3, 2**21])},
                      "expected windows of at most 1048576 places, but got more", inputs=("x", "z"), input=X, weight=Z),
    "adaptive": of("aten.adaptive_avg_pool2d.default", WIDE, self=X, output_size=[1, 4],
                   says="expected dims that as many windows divide, but got shape [B, 1, B N] to 4 of dim 2"),
    "adaptive-none": of("aten.adaptive_avg_pool2d.default", self=X, output_size=[0, 4],
                        says="expected numbers of windows of 2 dims, but got shape [B, N, 6] to [0, 4]"),
    "fold": of("aten.col2im.default", self=X, output_size=[4, 4], kernel_size=[2, 2], dilation=[1, 1], padding=[0, 0], stride=[1, 1],
               says="expected columns [B, C I J, L] of windows of at most 1024 places, but got shape [B, N, 6]"),
    "fold-dims": of("aten.col2im.default", {"x": (FLOAT, [1, 4, 4]), "y": (FLOAT, [1, 4, 2, 2])}, self=X, output_size=[2, 2],
                    kernel_size=[1, 1, 1, 1], dilation=[1, 1], padding=[0, 0], stride=[1, 1], auto_pad="SAME_UPPER",
                    says="expected windows of two dims, but got 4 and 2"),
    "float-bits": of("aten.bitwise_and.Tensor", self=X, other=X,
                     says="expected bits of integers or of truth values, but got f32"),
    "float-bits-of-integers": of("aten.bitwise_xor.Tensor", {"y": (LONG, ["B", "N", 6])}, self=X, other=3,
                                 says="expected bits of integers or of truth values, but got f32"),
    "float-complement": of("aten.bitwise_not.default", self=X,
                           says="expected bits of integers or of truth values, but got f32"),
    "float-shift": two("aten.bitwise_left_shift.Tensor", ["N", 6], "expected bits of integers or of truth values, but got "
                       "f32", LONG, self=Z, other=X),
    "whole-hypotenuse": two("aten.hypot.default", ["N", 6], "expected a result of floats, but got i64", LONG,
                            {"y": (LONG, ["N", 6])}, self=Z, other=Z),
    "whole-logarithm": two("aten.xlogy.Tensor", ["N", 6], "expected a result of floats, but got i64", LONG,
                           {"y": (LONG, ["N", 6])}, self=Z, other=Z),
    "whole-queries": two("aten.scaled_dot_product_attention.default", ["B", "N", 6], "expected queries, keys and values of "
                         "floats, but got i64, f32 and f32", LONG, query=Z, key=X, value=X),
    "matrix": of("aten.t.default", self=X, says="expected a matrix, but got shape [B, N, 6]"),
    "index": two("aten.select_scatter.default", ["B", "N"], "expected an index from 0 to 5, but got 9", self=X, src=Z, dim=2,
                 index=9),
    "whole-angle": two("aten.atan2.default", ["N", 6], "expected a result of floats, but got i64", LONG,
                       {"y": (LONG, ["N", 6])}, self=Z, other=Z),
}

if __name__ == "__main__":
    refuse_programs(sys.argv[1], CASES)
