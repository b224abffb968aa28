// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions whose windows lie next to each other: products of patches.
#include "lib/Import/ops/Elementwise.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

/// Whether all of the sizes given for an argument are `number`; true for none.
static bool areAll(OpCall &op, const char *name, int64_t number) {
  return llvm::all_of(op.sizes(name), [&](const SizePolynomial &size) {
    return size == SizePolynomial(number);
  });
}

/// x [B,C,H,W] by weight [O,C,I,J] with a stride of I and J: sums over c, i, j
/// of x[b, c, h I + i, w J + j] weight[o, c, i, j], plus bias [O]. Images whose
/// sizes I and J do not divide, padding, dilation and groups are refused.
static void convolve(OpCall &op) {
  Built x = op.tensor("input"), weight = op.tensor("weight");
  Built bias = op.has("bias") ? op.tensor("bias") : Built();
  SizeList stride = op.sizes("stride");
  std::string filling = op.text("auto_pad", "NOTSET");
  SizeList kernel = op.sizes("kernel_shape");
  bool isPlain = (filling == "NOTSET" || filling == "VALID") &&
                 areAll(op, "padding", 0) && areAll(op, "dilation", 1) &&
                 areAll(op, "output_padding", 0) &&
                 op.integer("groups", 1) == 1 && !op.flag("transposed", false);
  if (!x || !weight)
    return;
  isPlain &= x.rank() == 4 && weight.rank() == 4;
  SizePolynomial rows = 0, columns = 0;
  if (isPlain) {
    stride.resize(2, stride.empty() ? 1 : stride[0]);
    SizeList windows(weight.sizes.begin() + 2, weight.sizes.end());
    isPlain = windows == stride && (kernel.empty() || kernel == windows);
    rows = x.sizes[2].dividedBy(stride[0].asNumber().value_or(0));
    columns = x.sizes[3].dividedBy(stride[1].asNumber().value_or(0));
  }
  if (!isPlain || !rows.isKnown() || !columns.isKnown())
    return void(op.build.fail(
        makeError("expected a convolution of images by windows that lie next "
                  "to each other and cover them, but got shapes {} and {}",
                  toText(x.sizes), toText(weight.sizes))));
  Built patches =
      op.build.reshape(x, {x.sizes[0], x.sizes[1], rows, weight.sizes[2],
                           columns, weight.sizes[3]});
  Built sums = op.build.contract(patches, "bchiwj", weight, "ocij", "bohw");
  if (!bias)
    return op.give(sums);
  Built column = op.build.reshape(bias, {weight.sizes[0], 1, 1});
  op.give(combine(op.build, {sums, column}, sums.dtype, sums.dtype,
                  [](OpBuilder &b, Location loc, ValueRange numbers) {
                    return arith::AddFOp::create(b, loc, numbers[0], numbers[1])
                        .getResult();
                  }));
}

void mixattn::addPatches(OpTable &table) {
  table["aten.conv2d"] = convolve;
  table["aten.convolution"] = convolve;
  table["onnx.Conv"] = fromOnnx({"input", "weight", "bias"},
                                {{"stride", "strides"},
                                 {"padding", "pads"},
                                 {"dilation", "dilations"},
                                 {"groups", "group"}},
                                convolve);
}
