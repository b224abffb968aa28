// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Norms of vectors, and distances and angles between them.
#include "lib/Import/ops/Number.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// The p-norm of what `each` makes of operands that spread to `sizes`, along
/// dims: (sum |x|^p)^(1 / p); for infinity the largest |x|, or the smallest,
/// and for 0 how many are not 0.
static Built normOf(GraphBuilder &build, DType dtype, const SizeList &sizes,
                    ArrayRef<int64_t> dims, ArrayRef<Built> operands, double p,
                    NumberFunction each) {
  DType wide = computedAs(dtype);
  bool isMost = std::isinf(p);
  double start = isMost && p < 0 ? INFINITY : 0;
  auto init = build.builder().getFloatAttr(build.typeOf(wide), start);
  std::vector<Built> given;
  for (const Built &operand : operands)
    given.push_back(build.convert(operand, wide));
  Built sum = build.reduce(
      wide, sizes, dims, given, init, bodyOf([=](ArrayRef<Number> n) {
        Number x = each(n.drop_back()), sum = n.back();
        if (p == 2)
          return sum + x * x;
        if (p == 0) {
          Number isNot = x.compare(arith::CmpFPredicate::UNE,
                                   arith::CmpIPredicate::ne, x.like(0));
          return sum + choose(isNot, x.like(1), x.like(0));
        }
        x = absolute(x);
        if (isMost)
          return p < 0 ? smallest(sum, x) : largest(sum, x);
        if (p == 1)
          return sum + x;
        return sum + x.by<math::PowFOp>(Value(x.like(p)));
      }));
  if (!sum || p == 0 || p == 1 || isMost)
    return build.convert(sum, dtype);
  return combine(build, sum, wide, dtype, bodyOf([=](ArrayRef<Number> n) {
                   if (p == 2)
                     return squareRoot(n[0]);
                   return n[0].by<math::PowFOp>(Value(n[0].like(1 / p)));
                 }));
}

static Number same(ArrayRef<Number> x) { return x[0]; }

/// The norm of vectors along dims, or of all elements.
static OpWriter vectorNorm(const char *order) {
  return [order](OpCall &op) {
    Built x = op.tensor("self");
    DType dtype = op.floatType();
    double p = op.number(order, 2);
    SmallVector<int64_t> dims = op.dims("dim", x.rank());
    bool keeps = op.flag("keepdim", false);
    if (!x || op.build.failure())
      return;
    Built norm = normOf(op.build, dtype, x.sizes, dims, x, p, same);
    op.give(keeps ? op.build.withOnes(norm, dims) : norm);
  };
}

/// Weights v, each row of a dim, or all where that is -1, at the length that g
/// says: v g / |v|.
static void weightNorm(OpCall &op) {
  Built v = op.tensor("v"), g = op.tensor("g");
  DType dtype = op.floatType(), wide = computedAs(dtype);
  int64_t dim = op.integer("dim", 0);
  if (!v || !g || op.build.failure())
    return;
  auto others = llvm::to_vector(llvm::seq<int64_t>(0, v.rank()));
  if (dim != -1 && v.rank())
    others.erase(others.begin() + op.dim("dim", v.rank(), 0));
  Built norm = op.build.withOnes(
      normOf(op.build, wide, v.sizes, others, v, 2, same), others);
  op.give(
      combine(op.build, {v, g, norm}, wide, dtype,
              bodyOf([](ArrayRef<Number> n) { return n[0] * (n[1] / n[2]); })));
}

/// linalg.norm is a vector's where it has one dim, or no order is named.
static void linalgNorm(OpCall &op) {
  Built x = op.tensor("self");
  if (x && op.has("ord") && op.dims("dim", x.rank()).size() != 1)
    return void(op.build.fail(
        makeError("expected the norm of vectors along one dim, but got that of "
                  "matrices")));
  vectorNorm("ord")(op);
}

/// The p-norm of x - y + eps along the last dim.
static void pairDistance(OpCall &op) {
  Built x = op.tensor("x1"), y = op.tensor("x2");
  DType dtype = op.floatType();
  double p = op.number("p", 2), epsilon = op.number("eps", 1e-6);
  bool keeps = op.flag("keepdim", false);
  SizeList sizes = op.build.broadcast({x, y});
  if (op.build.failure() || sizes.empty())
    return;
  int64_t last = int64_t(sizes.size()) - 1;
  Built norm =
      normOf(op.build, dtype, sizes, last, {x, y}, p,
             [=](ArrayRef<Number> n) { return n[0] - n[1] + epsilon; });
  op.give(keeps ? op.build.withOnes(norm, last) : norm);
}

/// The distances of all rows of x [..., N, D] to all of y [..., M, D]: [..., N,
/// M].
static void allDistances(OpCall &op) {
  Built x = op.tensor("x1"), y = op.tensor("x2");
  DType dtype = op.floatType();
  double p = op.number("p", 2);
  // How it is computed, not what.
  op.integer("compute_mode", 0);
  if (!x || !y)
    return;
  if (x.rank() < 2 || y.rank() < 2)
    return void(op.build.fail(makeError("expected rows of vectors, but got "
                                        "shapes {} and {}",
                                        toText(x.sizes), toText(y.sizes))));
  Built rows = op.build.withOnes(x, x.rank() - 1),
        columns = op.build.withOnes(y, y.rank() - 2);
  SizeList sizes = op.build.broadcast({rows, columns});
  if (op.build.failure())
    return;
  op.give(normOf(op.build, dtype, sizes, int64_t(sizes.size()) - 1,
                 {rows, columns}, p,
                 [](ArrayRef<Number> n) { return n[0] - n[1]; }));
}

/// x y / (max(|x|, eps) max(|y|, eps)) of vectors along a dim.
static void cosine(OpCall &op) {
  Built x = op.tensor("x1"), y = op.tensor("x2");
  DType dtype = op.floatType(), wide = computedAs(dtype);
  double epsilon = op.number("eps", 1e-8);
  SizeList sizes = op.build.broadcast({x, y});
  int64_t dim = op.dim("dim", int64_t(sizes.size()), 1);
  if (op.build.failure() || sizes.empty())
    return;
  auto zero = op.build.builder().getFloatAttr(op.build.typeOf(wide), 0);
  Built products = op.build.reduce(
      wide, sizes, dim, {op.build.convert(x, wide), op.build.convert(y, wide)},
      zero, bodyOf([](ArrayRef<Number> n) { return n[2] + n[0] * n[1]; }));
  auto norm = [&](const Built &of) {
    return normOf(op.build, wide, sizes, dim, of, 2, same);
  };
  op.give(combine(op.build, {products, norm(x), norm(y)}, wide, dtype,
                  bodyOf([=](ArrayRef<Number> n) {
                    return n[0] /
                           (largest(n[1], epsilon) * largest(n[2], epsilon));
                  })));
}

/// Vectors along a dim by their norm; those of zeros stay that.
static void unitVectors(OpCall &op) {
  Built x = op.tensor("self");
  int64_t dim = op.dim("dim", x.rank(), -1);
  DType dtype = op.floatType(), wide = computedAs(dtype);
  double p = op.number("ord", 2);
  if (!x || !x.rank())
    return;
  Built norm =
      op.build.withOnes(normOf(op.build, wide, x.sizes, dim, x, p, same), dim);
  op.give(
      combine(op.build, {x, norm}, wide, dtype, bodyOf([](ArrayRef<Number> n) {
                Number isZero = isEqual(n[1], n[1].like(0));
                return choose(isZero, n[0], n[0] / n[1]);
              })));
}

void mixattn::addVectorNorms(OpTable &table) {
  table["aten.linalg_vector_norm"] = vectorNorm("ord");
  table["aten.norm"] = vectorNorm("p");
  table["aten._weight_norm"] = weightNorm;
  table["aten.linalg_norm"] = linalgNorm;
  table["aten.pairwise_distance"] = pairDistance;
  table["aten.cdist"] = table["aten._cdist_forward"] = allDistances;
  table["aten.cosine_similarity"] = cosine;
  table["onnx.LpNormalization"] =
      fromOnnx({"self"}, {{"dim", "axis", -1}, {"ord", "p", 2}}, unitVectors);
}
