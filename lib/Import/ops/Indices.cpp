// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Indices of arguments are checked by calls, constants when they are read.
#include "lib/Import/ops/Indices.h"

#include "lib/Import/SizeText.h"
#include "lib/Import/ops/Sizes.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mixattn;

/// The tensor whose elements `value` has, in the same order.
static Value sourceOf(Value value) {
  while (value) {
    if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
      value = expand.getSrc();
    else if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
      value = collapse.getSrc();
    else
      break;
  }
  return value;
}

void mixattn::limitArgument(OpCall &op, BlockArgument argument, int64_t low,
                            int64_t high) {
  auto entry = cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  unsigned number = argument.getArgNumber();
  if (auto known = entry.getArgAttrOfType<ArrayAttr>(number, "attn.range")) {
    low = std::max(low, cast<IntegerAttr>(known[0]).getInt());
    high = std::min(high, cast<IntegerAttr>(known[1]).getInt());
  }
  if (low > high)
    return void(
        op.build.fail(makeError("expected limits that leave an integer, "
                                "but got {} to {}",
                                low, high)));
  entry.setArgAttr(number, "attn.range",
                   op.build.builder().getI64ArrayAttr({low, high}));
}

/// The indices that are known.
static SmallVector<int64_t> constantsOf(const Built &indices) {
  SmallVector<int64_t> result;
  if (indices.integers) {
    for (const SizePolynomial &each : *indices.integers)
      if (std::optional<int64_t> number = each.asNumber())
        result.push_back(*number);
  } else if (indices.constant) {
    result.push_back(int64_t(*indices.constant));
  } else if (DenseIntElementsAttr elements;
             indices.value &&
             matchPattern(sourceOf(indices.value), m_Constant(&elements))) {
    for (const llvm::APInt &each : elements.getValues<llvm::APInt>())
      result.push_back(each.getSExtValue());
  }
  return result;
}

bool mixattn::areWithin(OpCall &op, const Built &indices,
                        const SizePolynomial &size) {
  std::optional<int64_t> rows = size.asNumber();
  if (!rows || *rows < 1)
    return false;
  for (int64_t each : constantsOf(indices))
    if (each < -*rows || each >= *rows)
      op.build.fail(makeError("expected indices from {} to {}, but got {}",
                              -*rows, *rows - 1, each));
  auto argument = dyn_cast_if_present<BlockArgument>(sourceOf(indices.value));
  if (!argument ||
      !isa<FunctionOpInterface>(argument.getOwner()->getParentOp()))
    return false;
  limitArgument(op, argument, -*rows, *rows - 1);
  return true;
}

Built mixattn::withElements(OpCall &op, const Built &table, int64_t dim,
                            const SizeList &sizes) {
  GraphBuilder &build = op.build;
  const SizePolynomial rows = table.sizes[dim];
  // Where there is none, nothing is read.
  auto isEmptyWith = [&](const SizePolynomial &size) {
    return llvm::any_of(sizes, [&](const SizePolynomial &each) {
      return each == size || exactQuotient(each, size).isKnown();
    });
  };
  if (!rows.isKnown() || signOf(rows) == 1 || isEmptyWith(rows))
    return table;
  if (rows.isZero())
    return build.fail(makeError("expected elements along dim {} to pick from, "
                                "but got shape {}",
                                dim, toText(table.sizes)));
  const auto &[dims, factor] = *rows.getTerms().begin();
  if (rows.getTerms().size() == 1 && !build.dependsOnIntegers(rows)) {
    for (const std::string &name : dims)
      if (!isEmptyWith(SizePolynomial::named(name)))
        build.requireSize(SizePolynomial::named(name) - 1);
    return table;
  }
  // No range of one dim says that a sum is not 0.
  SizeList one = table.sizes;
  one[dim] = 1;
  return build.concatenate({table, build.filled(table.dtype, one, 0)}, dim);
}
