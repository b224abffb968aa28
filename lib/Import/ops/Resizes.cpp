// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images of another size: how PyTorch and ONNX say it.
#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Repeats.h"
#include "lib/Import/ops/Resampling.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kernel = Resampling::Kernel;
using Placing = Resampling::Placing;
using Rounding = Resampling::Rounding;

/// By what a dim grows where each element becomes as many of itself; 0 of
/// others.
static int64_t blocksOf(const SizePolynomial &from, const SizePolynomial &to,
                        std::optional<double> scale, const Resampling &how) {
  bool areSame = how.placing == Placing::Starts
                     ? how.rounding == Rounding::Down
                     : how.placing != Placing::Ends &&
                           how.rounding != Rounding::Down &&
                           how.rounding != Rounding::Up;
  if (how.kernel != Kernel::Nearest || !areSame)
    return 0;
  int64_t factor =
      from == to ? 1 : quotientOf({to}, {from}).asNumber().value_or(0);
  return factor > 0 && scale.value_or(factor) == factor ? factor : 0;
}

/// Gives x at `sizes`; `scales` are the factors that the file says, as far as
/// it does.
static void giveResized(OpCall &op, const Built &x, const SizeList &sizes,
                        ArrayRef<std::optional<double>> scales,
                        const Resampling &how) {
  if (!x || op.build.failure())
    return;
  if (sizes.size() != x.sizes.size())
    return void(op.build.fail(makeError("expected a size for each of {} dims, "
                                        "but got {}",
                                        x.rank(), toText(sizes))));
  for (const std::optional<double> &scale : scales)
    if (scale && !(*scale > 0 && std::isfinite(*scale)))
      return void(op.build.fail(
          makeError("expected factors above 0, but got {}", *scale)));
  DType dtype = x.dtype;
  bool isSummed = how.kernel != Kernel::Nearest;
  if (isSummed && !isFloat(dtype))
    return void(op.build.fail(
        makeError("expected an image of floats, but got {}", nameOf(dtype))));
  Built made = isSummed ? op.build.convert(x, computedAs(dtype)) : x;
  SizeList apart, whole, joined;
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    if (!size.isKnown())
      return void(op.build.fail(
          makeError("expected sizes that are polynomials of dims, but got {}",
                    toText(sizes))));
    int64_t factor = blocksOf(x.sizes[dim], size, scales[dim], how);
    if (!factor)
      made = resampled(op, made, dim, size, scales[dim], how);
    if (!made)
      return;
    apart.push_back(made.sizes[dim]);
    whole.push_back(made.sizes[dim]);
    if (factor > 1) {
      apart.push_back(1);
      whole.push_back(factor);
    }
  }
  if (apart != whole)
    made = spreadTo(op.build, op.build.reshape(made, apart), whole);
  op.give(op.build.convert(op.build.reshape(made, sizes), dtype));
}

/// upsample: the file says how large the result is. PyTorch's kernels ask for
/// no factor where a dim grows by a whole one up to `mostWhole`.
static OpWriter upsample(Resampling how, int64_t mostWhole) {
  return [how, mostWhole](OpCall &op) {
    Built x = op.tensor(op.has("input") ? "input" : "self");
    op.sizes("output_size");
    std::vector<std::optional<double>> scales(x.rank());
    if (op.has("scale_factors")) {
      std::vector<double> given = op.numbers("scale_factors");
      if (given.size() <= scales.size())
        llvm::copy(given, scales.end() - given.size());
    }
    // From the last dim on.
    const char *names[] = {"scales_w", "scales_h", "scales_d"};
    for (auto [i, name] : llvm::enumerate(names))
      if (op.has(name) && i < scales.size())
        scales[scales.size() - 1 - i] = op.number(name, 0);
    if (op.has("scales") && !scales.empty())
      scales.back() = op.number("scales", 0);
    Resampling so = how;
    if (op.flag("align_corners", false)) {
      so.placing = Placing::Ends;
      scales.assign(scales.size(), std::nullopt);
    }
    const SizeList &sizes = op.result().sizes;
    for (size_t dim = 0; dim < scales.size() && sizes.size() == scales.size();
         ++dim)
      for (int64_t whole = 1; whole <= mostWhole; ++whole)
        if (sizes[dim] == x.sizes[dim] * whole)
          scales[dim].reset();
    giveResized(op, x, sizes, scales, so);
  };
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
  Value value = op.build.valueOf(tensor);
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  std::vector<double> result;
  for (const APFloat &each : elements.getValues<APFloat>())
    result.push_back(each.convertToDouble());
  return result;
}

/// The kind that a word names; fails where it names none.
template <typename Kind>
static Kind chosen(OpCall &op, const char *name, const char *otherwise,
                   ArrayRef<std::pair<StringRef, Kind>> kinds) {
  std::string word = op.text(name, otherwise);
  std::string all;
  for (const auto &[known, kind] : kinds) {
    if (word == known)
      return kind;
    all += (all.empty() ? "'" : ", '") + known.str() + "'";
  }
  op.build.fail(makeError("expected argument '{}' to be one of {}, but got "
                          "'{}'",
                          name, all, word));
  return kinds.front().second;
}

/// How ONNX's Resize takes elements.
static Resampling readResampling(OpCall &op) {
  Resampling how;
  how.kernel = chosen<Kernel>(op, "mode", "nearest",
                              {{"nearest", Kernel::Nearest},
                               {"linear", Kernel::Linear},
                               {"cubic", Kernel::Cubic}});
  how.placing =
      chosen<Placing>(op, "coordinate_transformation_mode", "half_pixel",
                      {{"half_pixel", Placing::Centres},
                       {"pytorch_half_pixel", Placing::CentresOrFirst},
                       {"half_pixel_symmetric", Placing::Middles},
                       {"asymmetric", Placing::Starts},
                       {"align_corners", Placing::Ends}});
  how.rounding = chosen<Rounding>(op, "nearest_mode", "round_prefer_floor",
                                  {{"round_prefer_floor", Rounding::HalfDown},
                                   {"round_prefer_ceil", Rounding::HalfUp},
                                   {"floor", Rounding::Down},
                                   {"ceil", Rounding::Up}});
  how.sharpness = op.number("cubic_coeff_a", -0.75);
  how.isSmoothed = op.flag("antialias", false);
  how.dropsOutside = op.flag("exclude_outside", false);
  return how;
}

/// A size by a factor, rounded down as ONNX Runtime does it, in f32.
static SizePolynomial times(GraphBuilder &build, const SizePolynomial &size,
                            double factor) {
  constexpr float most = 1 << 30;
  if (std::optional<int64_t> number = size.asNumber()) {
    float result = float(*number) * float(factor);
    return result >= 0 && result <= most ? SizePolynomial(int64_t(result))
                                         : SizePolynomial::unknown();
  }
  for (bool isDivided : {false, true}) {
    double whole = isDivided ? 1 / factor : factor;
    if (!(whole >= 1 && whole <= mostCounted && whole == std::floor(whole)))
      continue;
    if (isDivided)
      build.noteQuotient(size, int64_t(whole));
    return isDivided ? floorQuotient(size, int64_t(whole))
                     : size * int64_t(whole);
  }
  return SizePolynomial::unknown();
}

/// ONNX's Resize, of all dims or those in `axes`.
static void resize(OpCall &op) {
  Built x = op.tensor("self");
  Resampling how = readResampling(op);
  std::string policy = op.text("keep_aspect_ratio_policy", "stretch");
  if (policy != "stretch")
    op.build.fail(
        makeError("expected keep_aspect_ratio_policy to be 'stretch', "
                  "but got '{}'",
                  policy));
  op.number("extrapolation_value", 0);
  if (op.has("roi"))
    op.tensor("roi");
  SmallVector<int64_t> axes = op.orderedDims("axes", x.rank());
  if (axes.empty())
    axes = llvm::to_vector(llvm::seq<int64_t>(0, x.rank()));
  if (!x || op.build.failure())
    return;
  // Dim 0 of a number is allowed as an axis, but is none.
  if (!x.rank())
    axes.clear();
  SizeList sizes = x.sizes, given = op.sizes("sizes");
  std::vector<std::optional<double>> scales(x.rank());
  auto factors = op.has("scales") && given.empty() ? numbersOf(op, "scales")
                                                   : std::nullopt;
  if ((factors ? factors->size() : given.size()) != axes.size())
    return void(op.build.fail(makeError(
        "expected sizes or known factors of {} dims, but got {} numbers",
        axes.size(), factors ? factors->size() : given.size())));
  for (auto [i, dim] : llvm::enumerate(axes)) {
    if (factors)
      scales[dim] = (*factors)[i];
    sizes[dim] =
        factors ? times(op.build, sizes[dim], (*factors)[i]) : given[i];
  }
  giveResized(op, x, sizes, scales, how);
}

void mixattn::addResizes(OpTable &table) {
  Resampling nearest, exact, linear, cubic;
  nearest.placing = Placing::Starts;
  nearest.rounding = Rounding::Down;
  exact.rounding = Rounding::HalfUp;
  linear.kernel = Kernel::Linear;
  cubic.kernel = Kernel::Cubic;
  for (const char *dims : {"1d", "2d", "3d"}) {
    int64_t mostWhole = StringRef(dims) == "2d" ? 2 : 0;
    table[std::string("aten.upsample_nearest") + dims] =
        upsample(nearest, mostWhole);
    table[std::string("aten._upsample_nearest_exact") + dims] =
        upsample(exact, 0);
  }
  for (const char *name : {"linear1d", "bilinear2d", "trilinear3d"})
    table[std::string("aten.upsample_") + name] = upsample(linear, 1);
  table["aten.upsample_bicubic2d"] = upsample(cubic, 0);
  // Pillow's filters, which PyTorch takes for what it smooths.
  linear.isSmoothed = linear.dropsOutside = true;
  cubic.isSmoothed = cubic.dropsOutside = true;
  cubic.sharpness = -0.5;
  table["aten._upsample_bilinear2d_aa"] = upsample(linear, 1);
  table["aten._upsample_bicubic2d_aa"] = upsample(cubic, 1);
  table["onnx.Resize"] =
      fromOnnx({"self", "roi", "scales", "sizes"}, {}, resize);
}
