// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Promotion of types, and conversion on the way in and out.
#include "lib/Import/ops/Elementwise.h"

using namespace mlir;
using namespace mixattn;

/// 0 for bool, 1 for integers, 2 for floats.
static int kindOf(DType dtype) {
  return isFloat(dtype) ? 2 : dtype == DType::I1 ? 0 : 1;
}

/// Tensors with dims come before those without, and these before numbers: each
/// kind of operand counts only where it is of a higher kind than all before it.
DType mixattn::promote(ArrayRef<Built> operands) {
  std::optional<DType> result;
  auto rankOf = [](const Built &each) {
    return each.isNumber ? 2 : each.sizes.empty() ? 1 : 0;
  };
  for (int rank = 0; rank < 3; ++rank) {
    std::optional<DType> widest;
    for (const Built &each : operands) {
      if (!each || rankOf(each) != rank)
        continue;
      bool isWider = !widest || kindOf(each.dtype) > kindOf(*widest) ||
                     (kindOf(each.dtype) == kindOf(*widest) &&
                      bytesOf(each.dtype) > bytesOf(*widest));
      // Of f16 and bf16 neither holds the other.
      if (widest && isFloat(each.dtype) && each.dtype != *widest &&
          bytesOf(each.dtype) == bytesOf(*widest))
        widest = DType::F32;
      else if (isWider)
        widest = each.dtype;
    }
    if (!widest || (result && kindOf(*widest) <= kindOf(*result)))
      continue;
    // Python's numbers are PyTorch's default types.
    bool isPlainFloat = rank == 2 && isFloat(*widest) && result;
    result = isPlainFloat ? DType::F32 : *widest;
  }
  return result.value_or(DType::F32);
}

Built mixattn::combine(GraphBuilder &build, ArrayRef<Built> operands,
                       DType computed, DType result, NumberBody body) {
  SizeList sizes = build.broadcast(operands);
  DType inside = computedAs(computed);
  std::vector<Built> given;
  std::vector<DType> types;
  for (const Built &each : operands) {
    // Numbers of the text are not rounded to 16 bits.
    given.push_back(each.isNumber ? build.convert(each, inside) : each);
    types.push_back(each.dtype);
    if (each.isNumber)
      types.back() = inside;
  }
  return build.pointwise(
      result, sizes, given,
      [=](OpBuilder &b, Location loc, ValueRange numbers) {
        SmallVector<Value> wide;
        for (auto [number, type] : llvm::zip_equal(numbers, types)) {
          DType middle = type == inside ? inside : computed;
          Value exact = convertNumber(b, loc, number, type, middle);
          wide.push_back(convertNumber(b, loc, exact, middle, inside));
        }
        Value made = body(b, loc, wide);
        DType from = made.getType().isInteger(1) ? DType::I1 : inside;
        return convertNumber(b, loc, made, from, result);
      });
}
