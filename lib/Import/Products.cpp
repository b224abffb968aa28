// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Products of two tensors, summed over dims that both have.
#include "lib/Import/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mixattn;

/// `tensor` without dims of size 1 that are larger in the other operand; their
/// letters are gone from `left`.
Built GraphBuilder::dropOnes(const Built &tensor, StringRef &letters,
                             const std::map<char, SizePolynomial> &sizes,
                             std::string &left) {
  SizeList kept;
  for (auto [letter, size] : llvm::zip_equal(letters, tensor.sizes)) {
    if (!(size == sizes.at(letter)))
      continue;
    left += letter;
    kept.push_back(size);
  }
  letters = left;
  return reshape(tensor, kept);
}

/// Sums of `tensor` along the dims whose letters neither `others` has.
static Built sumAlone(GraphBuilder &build, Built tensor, std::string &letters,
                      StringRef other, StringRef result) {
  SmallVector<int64_t> alone;
  std::string left;
  for (auto [dim, letter] : llvm::enumerate(letters))
    if (other.contains(letter) || result.contains(letter))
      left += letter;
    else
      alone.push_back(dim);
  letters = left;
  return alone.empty() ? tensor : build.sum(tensor, alone);
}

Built GraphBuilder::contract(const Built &aFull, StringRef aDims,
                             const Built &bFull, StringRef bDims,
                             StringRef result) {
  if (hasFailed({aFull, bFull}))
    return {};
  if (aFull.dtype != bFull.dtype)
    return fail(makeError("expected factors of one element type, but got {} "
                          "and {}",
                          nameOf(aFull.dtype), nameOf(bFull.dtype)));
  std::map<char, SizePolynomial> sizes;
  for (auto [tensor, letters] : {std::pair(&aFull, aDims), {&bFull, bDims}}) {
    if (letters.size() != tensor->sizes.size())
      return fail(makeError("expected a tensor of {} dims to multiply, but got "
                            "shape {}",
                            letters.size(), toText(tensor->sizes)));
    for (auto [letter, size] : llvm::zip_equal(letters, tensor->sizes)) {
      auto [known, isNew] = sizes.try_emplace(letter, size);
      if (known->second == SizePolynomial(1))
        known->second = size;
      else if (!(size == known->second) && !(size == SizePolynomial(1)))
        return failSizes(makeError("expected factors whose sizes agree, but "
                                   "got shapes {} and {}",
                                   toText(aFull.sizes), toText(bFull.sizes)),
                         known->second, size);
    }
  }
  std::string aLetters, bLetters;
  Built a = dropOnes(aFull, aDims, sizes, aLetters);
  Built c = dropOnes(bFull, bDims, sizes, bLetters);
  a = sumAlone(*this, a, aLetters, bLetters, result);
  c = sumAlone(*this, c, bLetters, aLetters, result);
  if (hasFailed({a, c}))
    return {};

  std::string loops = result.str();
  for (char letter : aLetters)
    if (!StringRef(loops).contains(letter))
      loops += letter;
  auto mapOf = [&](StringRef letters) {
    auto places = llvm::map_to_vector(letters, [&](char letter) {
      return b.getAffineDimExpr(loops.find(letter));
    });
    return AffineMap::get(loops.size(), 0, places, b.getContext());
  };
  DType wide = computedAs(a.dtype), dtype = a.dtype;
  SizeList resultSizes;
  for (char letter : result)
    resultSizes.push_back(sizes.at(letter));
  if (loops.size() == result.size()) {
    // Nothing to sum: both spread to the result.
    auto spread = [&](const Built &tensor, StringRef letters) {
      SmallVector<std::pair<size_t, int64_t>> order;
      for (auto [dim, letter] : llvm::enumerate(letters))
        order.emplace_back(result.find(letter), dim);
      llvm::sort(order);
      auto moved =
          llvm::map_to_vector(order, [](auto each) { return each.second; });
      SizeList with;
      for (char letter : result)
        with.push_back(letters.contains(letter) ? sizes.at(letter)
                                                : SizePolynomial(1));
      bool isMoved = !llvm::is_sorted(moved);
      return reshape(isMoved ? transpose(tensor, moved) : tensor, with);
    };
    return pointwise(
        dtype, resultSizes, {spread(a, aLetters), spread(c, bLetters)},
        [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
          Value x = convertNumber(b, loc, numbers[0], dtype, wide);
          Value y = convertNumber(b, loc, numbers[1], dtype, wide);
          Value product = isFloat(dtype)
                              ? Value(arith::MulFOp::create(b, loc, x, y))
                              : Value(arith::MulIOp::create(b, loc, x, y));
          return convertNumber(b, loc, product, wide, dtype);
        });
  }
  auto maps = b.getAffineMapArrayAttr(
      {mapOf(aLetters), mapOf(bLetters), mapOf(result)});
  Value init =
      filledInit(cast<TypedAttr>(b.getZeroAttr(typeOf(wide))), resultSizes);
  Value aValue = valueOf(a), bValue = valueOf(c);
  if (!aValue || !bValue)
    return {};
  Value value =
      linalg::ContractOp::create(b, loc, TypeRange(init.getType()),
                                 ValueRange{aValue, bValue}, init, maps)
          ->getResult(0);
  return convert({wide, resultSizes, value}, dtype);
}
