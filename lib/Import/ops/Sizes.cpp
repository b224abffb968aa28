// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of tensors as integers, and arithmetic of such.
#include "lib/Import/ops/Sizes.h"

#include "lib/Import/LargestSize.h"
#include "lib/Import/SizeText.h"

using namespace mlir;
using namespace mixattn;

std::optional<int> mixattn::signOf(const SizePolynomial &number) {
  if (std::optional<int64_t> known = number.asNumber())
    return *known > 0 ? 1 : *known < 0 ? -1 : 0;
  // A number of its own is there for all sizes.
  if (!number.getTerms().count({}))
    return std::nullopt;
  if (isNeverNegative(number))
    return 1;
  return isNeverNegative(-number) ? std::optional(-1) : std::nullopt;
}

void mixattn::requireBounds(GraphBuilder &build, const DimBounds &bounds) {
  for (const auto &[dim, range] : bounds.needed) {
    build.requireSize(SizePolynomial::named(dim) - range.least);
    if (range.most)
      build.requireSize(*range.most - SizePolynomial::named(dim));
  }
}

bool mixattn::requireNotNegative(GraphBuilder &build,
                                 const SizePolynomial &number) {
  DimBounds bounds;
  if (largestSize({number, 0}, bounds) == number)
    requireBounds(build, bounds);
  else if (number.asAffine())
    build.requireSize(number);
  else
    return false;
  return true;
}

SizePolynomial mixattn::productOf(const SizeList &sizes) {
  SizePolynomial product = 1;
  for (const SizePolynomial &each : sizes)
    product *= each;
  return product;
}

SizePolynomial mixattn::quotientOf(SizeList all, SizeList some) {
  SizePolynomial divisor = 1;
  for (const SizePolynomial &each : some) {
    auto same = llvm::find(all, each);
    if (same == all.end())
      divisor *= each;
    else
      all.erase(same);
  }
  return divisor.isZero() ? SizePolynomial::unknown()
                          : exactQuotient(productOf(all), divisor);
}

std::optional<SizeList> mixattn::spreadIntegers(const Built &list,
                                                const SizeList &sizes) {
  if (!list || !list.integers)
    return std::nullopt;
  int64_t count = 1;
  for (const SizePolynomial &size : sizes) {
    std::optional<int64_t> number = size.asNumber();
    if (!number || *number < 0 || *number > mostListed)
      return std::nullopt;
    count *= *number;
    if (count > mostListed)
      return std::nullopt;
  }
  // Places count dims from the last one on, as NumPy spreads them.
  SizeList result;
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i, place = 0, step = 1;
    for (size_t back = 1; back <= list.sizes.size(); ++back) {
      int64_t all = *sizes[sizes.size() - back].asNumber();
      int64_t own = list.sizes[list.sizes.size() - back].asNumber().value_or(1);
      place += own == 1 ? 0 : rest % all * step;
      rest /= all;
      step *= own;
    }
    result.push_back((*list.integers)[place]);
  }
  return result;
}

/// The result at each place from the integers of both operands, or nothing.
static std::optional<SizeList> foldLists(const SizeFold &fold, const Built &x,
                                         const Built &y,
                                         const SizeList &sizes) {
  std::optional<SizeList> left = spreadIntegers(x, sizes),
                          right = spreadIntegers(y, sizes);
  if (!left || !right || isFloat(x.dtype))
    return std::nullopt;
  for (auto [a, b] : llvm::zip_equal(*left, *right)) {
    a = fold(a, b);
    if (!a.isKnown())
      return std::nullopt;
  }
  return left;
}

OpWriter mixattn::foldedBy(SizeFold fold, bool isTruth, OpWriter writer) {
  return [=](OpCall &op) {
    Built x = op.operand("self"), y = op.operand("other");
    SizeList sizes = op.build.broadcast({x, y});
    if (op.build.failure())
      return;
    std::optional<SizeList> folded = foldLists(fold, x, y, sizes);
    if (!folded)
      return writer(op);
    op.give(op.build.listed(isTruth ? DType::I1 : x.dtype, sizes, *folded));
  };
}

/// The sizes from one dim up to another.
static void shape(OpCall &op) {
  Built tensor = op.tensor("self");
  auto bound = [&](const char *name, int64_t otherwise) {
    int64_t place = op.integer(name, otherwise);
    place = place < 0 ? place + tensor.rank() : place;
    return std::clamp<int64_t>(place, 0, tensor.rank());
  };
  int64_t start = bound("start", 0), end = bound("end", tensor.rank());
  if (!tensor)
    return;
  SizeList sizes;
  for (int64_t dim = start; dim < end; ++dim)
    sizes.push_back(tensor.sizes[dim]);
  op.give(op.build.listed(DType::I64, {int64_t(sizes.size())}, sizes));
}

/// The number of elements.
static void countElements(OpCall &op) {
  Built tensor = op.tensor("self");
  op.give(op.build.listed(DType::I64, {}, {productOf(tensor.sizes)}));
}

void mixattn::addSizes(OpTable &table) {
  table["onnx.Shape"] = fromOnnx({"self"}, {}, shape);
  table["onnx.Size"] = fromOnnx({"self"}, {}, countElements);
}
