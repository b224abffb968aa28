// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Convolutions as products of windows.
#include "lib/Import/ops/Convolutions.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Windows.h"

using namespace mlir;
using namespace mixattn;

void mixattn::checkWindow(OpCall &op, const Built &weight) {
  SizeList said = op.sizes("kernel_shape"),
           own(weight.sizes.begin() + 2, weight.sizes.end());
  if (op.has("kernel_shape") && said != own)
    op.build.fail(makeError("expected argument 'kernel_shape' to be {}, as the "
                            "weights say, but got {}",
                            toText(own), toText(said)));
}

Built mixattn::withBias(OpCall &op, const Built &sums, const Built &bias) {
  if (!sums || !bias)
    return sums;
  SizeList column(sums.rank() - 1, 1);
  column[0] = sums.sizes[1];
  return combine(op.build, {sums, op.build.reshape(bias, column)}, sums.dtype,
                 sums.dtype,
                 bodyOf([](ArrayRef<Number> n) { return n[0] + n[1]; }));
}

/// x [B, C, H, W] as patches [B, C, H / I, I, W / J, J]: no element twice.
static Built tilesOf(OpCall &op, const Built &x, const Windows &windows) {
  SizeList sizes(x.sizes.begin(), x.sizes.end() - windows.dims());
  for (int64_t i = 0; i < windows.dims(); ++i) {
    sizes.push_back(
        x.sizes[x.rank() - windows.dims() + i].dividedBy(windows.size[i]));
    sizes.push_back(windows.size[i]);
    if (!sizes[sizes.size() - 2].isKnown())
      return {};
  }
  return op.build.reshape(x, sizes);
}

/// x [B, G C, H, W] by weight [G O, C, I, J]: for each group g the sums over c,
/// i, j of x[b, g C + c, h sH + i dH, w sW + j dW] weight[g O + o, c, i, j],
/// plus bias [G O]; likewise of one dim and of three.
static void convolve(OpCall &op) {
  if (op.flag("transposed", false))
    return convolveTransposed(op);
  Built x = op.tensor("input"), weight = op.tensor("weight");
  Built bias = op.has("bias") ? op.tensor("bias") : Built();
  int64_t groups = op.integer("groups", 1);
  // Which says nothing here.
  op.sizes("output_padding");
  if (!x || !weight)
    return;
  int64_t dims = weight.rank() - 2;
  std::optional<int64_t> outputs =
      weight.rank() ? weight.sizes[0].asNumber() : std::nullopt;
  SmallVector<int64_t> size;
  for (int64_t dim = 2; dim < weight.rank(); ++dim)
    size.push_back(weight.sizes[dim].asNumber().value_or(0));
  if (dims < 1 || dims > 3 || x.rank() != weight.rank() || !outputs ||
      llvm::is_contained(size, 0) || groups < 1 || *outputs % groups ||
      !(x.sizes[1] == weight.sizes[1] * groups))
    return void(op.build.fail(makeError(
        "expected a convolution of [B, C, ...] by weights [O, C / {}, ...] of "
        "known sizes, but got shapes {} and {}",
        groups, toText(x.sizes), toText(weight.sizes))));
  checkWindow(op, weight);
  Windows windows = readWindows(op, x, size, SmallVector<int64_t>(dims, 1));
  if (op.build.failure())
    return;
  bool hasBorder = llvm::any_of(windows.before, [](int64_t n) { return n; }) ||
                   llvm::any_of(windows.after, [](int64_t n) { return n; });
  // Letters of the places, and of those in a window.
  std::string places = std::string("hwd").substr(0, dims),
              inner = std::string("ijk").substr(0, dims), letters;
  Built patches;
  if (windows.areTiles() && !hasBorder) {
    patches = tilesOf(op, x, windows);
    for (int64_t i = 0; i < dims; ++i)
      letters += {places[i], inner[i]};
  }
  if (!patches) {
    patches = windowsOf(op, x, windows, 0);
    letters = places + inner;
  }
  if (!patches)
    return;
  Built sums;
  if (groups == 1) {
    sums = op.build.contract(patches, "bc" + letters, weight, "oc" + inner,
                             "bo" + places);
  } else {
    SizeList split = patches.sizes, own = weight.sizes;
    split[1] = weight.sizes[1];
    split.insert(split.begin() + 1, groups);
    own[0] = *outputs / groups;
    own.insert(own.begin(), groups);
    sums = op.build.contract(op.build.reshape(patches, split), "bgc" + letters,
                             op.build.reshape(weight, own), "goc" + inner,
                             "bgo" + places);
    if (!sums)
      return;
    SizeList joined(sums.sizes.begin() + 1, sums.sizes.end());
    joined[0] = sums.sizes[0];
    joined[1] = *outputs;
    sums = op.build.reshape(sums, joined);
  }
  op.give(withBias(op, sums, bias));
}

void mixattn::addConvolutions(OpTable &table) {
  for (const char *name :
       {"aten.conv1d", "aten.conv2d", "aten.conv3d", "aten.convolution"})
    table[name] = convolve;
  for (const char *name : {"aten.conv_transpose1d", "aten.conv_transpose2d",
                           "aten.conv_transpose3d"})
    table[name] = convolveTransposed;
  table["aten.col2im"] = fold;
  std::vector<OnnxAttribute> names = {
      {"stride", "strides"}, {"dilation", "dilations"}, {"groups", "group"}};
  table["onnx.Conv"] = fromOnnx({"input", "weight", "bias"}, names, convolve);
  table["onnx.ConvTranspose"] =
      fromOnnx({"input", "weight", "bias"}, names, convolveTransposed);
}
