// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Weights of elements by their places, and sums of elements by their weights.
#include "lib/Import/ops/Resampling.h"
#include "lib/Import/ops/Number.h"
#include "lib/Import/ops/Placed.h"
#include "lib/Import/ops/Repeats.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

using Kernel = Resampling::Kernel;
using Placing = Resampling::Placing;
using Rounding = Resampling::Rounding;

namespace {

/// One dim of n elements that becomes one of m.
struct Line {
  Resampling how;
  /// x is (i + shift) * step - shift, and `moved` by so much where there is
  /// one, all in f32 as PyTorch computes it.
  Value step, moved = {};
  double shift = 0;
  /// The last place.
  Value last;
  /// Distances are multiplied by it.
  double narrowing = 1;
  /// Elements that may have a weight, and how many of them are before the place
  /// below x.
  int64_t taps = 1, before = 0;

  Number placeOf(OpBuilder &b, Location loc, Value i) const;
  Number nearestTo(const Number &x) const;
  Number weightAt(const Number &distance) const;
};

} // namespace

static Number asFloat(OpBuilder &b, Location loc, Value index) {
  Value wide = arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
  return {b, loc, arith::SIToFPOp::create(b, loc, b.getF32Type(), wide)};
}

Number Line::placeOf(OpBuilder &b, Location loc, Value i) const {
  Number place = asFloat(b, loc, i);
  if (shift == 0)
    return place * Number(b, loc, step);
  Number x = (place + shift) * Number(b, loc, step) - shift;
  return moved ? x + Number(b, loc, moved) : x;
}

Number Line::nearestTo(const Number &x) const {
  switch (how.rounding) {
  case Rounding::Down:
    return x.by<math::FloorOp>();
  case Rounding::Up:
    return x.by<math::CeilOp>();
  case Rounding::HalfDown:
    return (x - 0.5).by<math::CeilOp>();
  case Rounding::HalfUp:
    return (x + 0.5).by<math::FloorOp>();
  }
  llvm_unreachable("all are there");
}

Number Line::weightAt(const Number &distance) const {
  Number d = absolute(distance);
  if (how.kernel == Kernel::Linear)
    return largest(1.0 + -d, 0.0);
  double a = how.sharpness;
  Number near = (d * (a + 2) - (a + 3)) * d * d + 1.0,
         far = ((d - 5.0) * d + 8.0) * d * a - 4 * a;
  return choose(1.0 < d, choose(d < 2.0, far, d.like(0)), near);
}

/// A place within the dim, as an index.
static Value heldWithin(OpBuilder &b, Location loc, Value place, Value last) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  place = arith::IndexCastOp::create(b, loc, b.getIndexType(), place);
  return arith::MaxSIOp::create(
      b, loc, arith::MinSIOp::create(b, loc, place, last), zero);
}

/// How far apart the places of neighbours in the result are.
static Value stepOf(OpCall &op, const SizePolynomial &n,
                    const SizePolynomial &m, std::optional<double> scale,
                    Placing placing) {
  OpBuilder &b = op.build.builder();
  Location loc = op.build.location();
  auto constant = [&](double number) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(float(number)));
  };
  auto size = [&](const SizePolynomial &number) {
    return asFloat(b, loc, op.build.indexOf(number));
  };
  if (placing != Placing::Ends)
    return scale ? constant(1 / *scale) : Value(size(n) / size(m));
  if (m == SizePolynomial(1))
    return constant(0);
  Number whole = scale ? size(n) * *scale : size(m);
  // The only place is the first, whatever the step is.
  return size(n - 1) / largest(whole - 1.0, 1e-30);
}

/// The same as a number, where the sizes are known.
static std::optional<double> knownStep(const SizePolynomial &n,
                                       const SizePolynomial &m,
                                       std::optional<double> scale) {
  if (scale)
    return 1 / *scale;
  if (!n.asNumber() || m.asNumber().value_or(0) < 1)
    return std::nullopt;
  return double(*n.asNumber()) / double(*m.asNumber());
}

/// How a dim of x is read; fails where that depends on sizes.
static Line lineOf(OpCall &op, const Built &x, int64_t dim,
                   const SizePolynomial &size, std::optional<double> scale,
                   const Resampling &how) {
  const SizePolynomial &own = x.sizes[dim];
  Placing placing = how.placing;
  if (placing == Placing::CentresOrFirst)
    placing = size == SizePolynomial(1) ? Placing::Ends : Placing::Centres;
  Line line;
  line.how = how;
  line.step = stepOf(op, own, size, scale, placing);
  if (op.build.failure())
    return line;
  if (placing == Placing::Centres || placing == Placing::Middles)
    line.shift = 0.5;
  OpBuilder &b = op.build.builder();
  Location loc = op.build.location();
  if (placing == Placing::Middles) {
    Number n = asFloat(b, loc, op.build.indexOf(own)),
           m = asFloat(b, loc, op.build.indexOf(size));
    line.moved = (n - m * Number(b, loc, line.step)) * 0.5;
  }
  line.last = op.build.indexOf(own - 1);
  if (how.kernel == Kernel::Nearest)
    return line;
  double reach = how.kernel == Kernel::Linear ? 1 : 2;
  if (how.isSmoothed) {
    std::optional<double> step = knownStep(own, size, scale);
    if (!step || *step * reach > mostCounted) {
      op.build.fail(makeError("expected known sizes of an image that is "
                              "smoothed, but got shape {}",
                              toText(x.sizes)));
      return line;
    }
    line.narrowing = std::min(1 / *step, 1.0);
    reach = std::ceil(reach * std::max(*step, 1.0));
  }
  line.taps = 2 * int64_t(reach);
  line.before = int64_t(reach) - 1;
  return line;
}

/// The numbers of [m, taps] that `body` makes of x and the place of a tap.
static Built tapsOf(OpCall &op, const Line &line, const SizePolynomial &size,
                    DType dtype,
                    std::function<Value(OpBuilder &, Location, const Number &x,
                                        const Number &place)>
                        body) {
  Built made = op.build.generated(
      dtype, {size, line.taps},
      [line, body](OpBuilder &b, Location loc, ValueRange own) -> Value {
        Number x = line.placeOf(b, loc, own[0]);
        Number place = x.by<math::FloorOp>() + asFloat(b, loc, own[1]) -
                       double(line.before);
        return body(b, loc, x, place);
      });
  return {dtype, made.sizes, op.build.valueOf(made)};
}

/// The weights of taps: [m, taps].
static Built weightsOf(OpCall &op, const Line &line,
                       const SizePolynomial &size) {
  Built weights =
      tapsOf(op, line, size, DType::F32,
             [line](OpBuilder &b, Location loc, const Number &x,
                    const Number &place) -> Value {
               Number weight = line.weightAt((place - x) * line.narrowing);
               if (!line.how.dropsOutside)
                 return weight;
               Number isOutside =
                   either(place < 0.0, asFloat(b, loc, line.last) < place);
               return choose(isOutside, weight.like(0), weight);
             });
  if (!line.how.isSmoothed && !line.how.dropsOutside)
    return weights;
  Built sums = op.build.withOnes(op.build.sum(weights, {1}), {1});
  return combine(op.build, {weights, sums}, DType::F32, DType::F32,
                 bodyOf([](ArrayRef<Number> n) { return n[0] / n[1]; }));
}

/// [m, taps] as it spreads to the dims of a result and, after them, taps.
static Built along(OpCall &op, const Built &taps, int64_t dim, int64_t rank) {
  SizeList sizes(rank - dim + 1, 1);
  sizes.front() = taps.sizes[0];
  sizes.back() = taps.sizes[1];
  return op.build.reshape(taps, sizes);
}

Built mixattn::resampled(OpCall &op, const Built &x, int64_t dim,
                         const SizePolynomial &size,
                         std::optional<double> scale, const Resampling &how) {
  if (!x || op.build.failure())
    return {};
  if (x.sizes[dim] == size && scale.value_or(1) == 1)
    return x;
  // There is an element to read.
  op.build.requireSize(x.sizes[dim] - 1);
  if (op.build.failure())
    return {};
  Line line = lineOf(op, x, dim, size, scale, how);
  SizeList sizes = x.sizes;
  sizes[dim] = size;
  if (op.build.failure())
    return {};
  if (how.kernel == Kernel::Nearest)
    return readAt(op.build, x, sizes,
                  [line, dim](OpBuilder &b, Location loc, ValueRange own) {
                    SmallVector<Value> places(own);
                    Value nearest = convertNumber(
                        b, loc, line.nearestTo(line.placeOf(b, loc, own[dim])),
                        DType::F32, DType::I64);
                    places[dim] = heldWithin(b, loc, nearest, line.last);
                    return places;
                  });
  Built weights = weightsOf(op, line, size);
  Built places = tapsOf(
      op, line, size, DType::I64,
      [](OpBuilder &b, Location loc, const Number &, const Number &place) {
        return convertNumber(b, loc, place, DType::F32, DType::I64);
      });
  Value from = op.build.valueOf(x);
  int64_t rank = x.rank();
  sizes.push_back(line.taps);
  if (op.build.failure())
    return {};
  return op.build.reduce(
      x.dtype, sizes, {rank},
      {along(op, weights, dim, rank), along(op, places, dim, rank)},
      cast<TypedAttr>(op.build.builder().getZeroAttr(op.build.typeOf(x.dtype))),
      [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        SmallVector<Value> own;
        for (int64_t i = 0; i < rank; ++i)
          own.push_back(linalg::IndexOp::create(b, loc, i));
        own[dim] = heldWithin(b, loc, numbers[1], line.last);
        Value element = tensor::ExtractOp::create(b, loc, from, own);
        Value weight = convertNumber(b, loc, numbers[0], DType::F32, x.dtype);
        Value product = arith::MulFOp::create(b, loc, weight, element);
        return arith::AddFOp::create(b, loc, numbers.back(), product);
      });
}
