// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images enlarged by whole factors: each element becomes a block of itself.
#include "lib/Import/ops/Repeats.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mixattn;

/// Gives x with each element along a dim as many times as `sizes` have to hold;
/// `scales` are the factors that the file says, as far as it does.
static void giveEnlarged(OpCall &op, const Built &x, const SizeList &sizes,
                         ArrayRef<std::optional<double>> scales) {
  SizeList apart, whole;
  bool areFactors = sizes.size() == x.sizes.size();
  for (size_t dim = 0; dim < sizes.size() && areFactors; ++dim) {
    const SizePolynomial &size = x.sizes[dim];
    int64_t factor =
        sizes[dim] == size
            ? 1
            : quotientOf({sizes[dim]}, {size}).asNumber().value_or(0);
    areFactors = factor > 0 && scales[dim].value_or(factor) == factor;
    apart.push_back(size);
    whole.push_back(size);
    if (factor > 1) {
      apart.push_back(1);
      whole.push_back(factor);
    }
  }
  if (!areFactors)
    return void(op.build.fail(makeError("expected dims that grow by whole "
                                        "factors, but got shapes {} and {}",
                                        toText(x.sizes), toText(sizes))));
  Built parted = op.build.reshape(x, apart);
  if (parted)
    op.give(op.build.reshape(spreadTo(op.build, parted, whole), sizes));
}

/// upsample_nearest: the file says how large the result is.
static void enlarge(OpCall &op) {
  Built x = op.tensor(op.has("input") ? "input" : "self");
  op.sizes("output_size");
  std::vector<std::optional<double>> scales(x.rank());
  if (op.has("scale_factors")) {
    std::vector<double> given = op.numbers("scale_factors");
    for (size_t i = 0; i < given.size() && i < scales.size(); ++i)
      scales[scales.size() - given.size() + i] = given[i];
  }
  // From the last dim on.
  const char *names[] = {"scales_w", "scales_h", "scales_d"};
  for (auto [i, name] : llvm::enumerate(names))
    if (op.has(name) && i < scales.size())
      scales[scales.size() - 1 - i] = op.number(name, 0);
  if (op.has("scales") && !scales.empty())
    scales.back() = op.number("scales", 0);
  if (x)
    giveEnlarged(op, x, op.result().sizes, scales);
}

/// The numbers of a constant.
static std::optional<std::vector<double>> numbersOf(OpCall &op,
                                                    const char *name) {
  Built tensor = op.tensor(name);
  std::optional<int64_t> count =
      tensor.rank() == 1 ? tensor.sizes[0].asNumber() : std::nullopt;
  if (!tensor || !count || *count > mostListed)
    return std::nullopt;
  if (tensor.constant)
    return std::vector<double>(*count, *tensor.constant);
  DenseFPElementsAttr elements;
  if (!matchPattern(op.build.valueOf(tensor), m_Constant(&elements)))
    return std::nullopt;
  std::vector<double> result;
  for (const APFloat &each : elements.getValues<APFloat>())
    result.push_back(each.convertToDouble());
  return result;
}

/// ONNX's Resize where it takes the nearest element: of whole factors, those
/// ways to place elements and to round agree.
static void resize(OpCall &op) {
  Built x = op.tensor("self");
  std::string mode = op.text("mode", "nearest"),
              placing = op.text("coordinate_transformation_mode", "half_pixel"),
              rounding = op.text("nearest_mode", "round_prefer_floor");
  bool isHalf = placing == "half_pixel" || placing == "pytorch_half_pixel";
  bool areBlocks = mode == "nearest" &&
                   (isHalf ? rounding.find("round_prefer") == 0
                           : placing == "asymmetric" && rounding == "floor");
  areBlocks &= op.text("keep_aspect_ratio_policy", "stretch") == "stretch";
  if (!areBlocks)
    return void(op.build.fail(makeError(
        "expected a Resize whose elements become blocks, but got mode '{}', "
        "'{}' and '{}'",
        mode, placing, rounding)));
  for (const char *name :
       {"cubic_coeff_a", "extrapolation_value", "exclude_outside", "antialias"})
    op.number(name, 0);
  if (op.has("roi"))
    op.tensor("roi");
  if (!x)
    return;
  std::vector<std::optional<double>> scales(x.rank());
  SizeList sizes = op.sizes("sizes");
  if (auto given = op.has("scales") ? numbersOf(op, "scales") : std::nullopt;
      given && sizes.empty())
    for (auto [size, scale] : llvm::zip(x.sizes, *given))
      sizes.push_back(scale == std::floor(scale) && scale < mostCounted
                          ? size * int64_t(scale)
                          : SizePolynomial::unknown());
  giveEnlarged(op, x, sizes, scales);
}

void mixattn::addNearest(OpTable &table) {
  for (const char *name : {"aten.upsample_nearest1d", "aten.upsample_nearest2d",
                           "aten.upsample_nearest3d"})
    table[name] = enlarge;
  table["onnx.Resize"] =
      fromOnnx({"self", "roi", "scales", "sizes"}, {}, resize);
}
