// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pointwise ops and reductions, each one linalg.generic.
#include "lib/Import/GraphBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

SizeList GraphBuilder::broadcast(ArrayRef<Built> operands) {
  SizeList result;
  for (const Built &operand : operands) {
    if (operand.sizes.size() > result.size())
      result.insert(result.begin(), operand.sizes.size() - result.size(), 1);
    size_t first = result.size() - operand.sizes.size();
    for (size_t dim = 0; dim < operand.sizes.size(); ++dim) {
      SizePolynomial &known = result[first + dim];
      const SizePolynomial &size = operand.sizes[dim];
      if (known == SizePolynomial(1))
        known = size;
      else if (!(size == known) && !(size == SizePolynomial(1)))
        failSizes(makeError("expected sizes that spread to {}, but got {}",
                            toText(result), toText(operand.sizes)),
                  known, size);
    }
  }
  return result;
}

bool GraphBuilder::cannotSpread(ArrayRef<Built> operands,
                                const SizeList &sizes) {
  if (hasFailed(operands))
    return true;
  for (const Built &operand : operands) {
    auto failOf = [&](const SizePolynomial &own, const SizePolynomial &whole) {
      failSizes(makeError("expected sizes that spread to {}, but got {}",
                          toText(sizes), toText(operand.sizes)),
                own, whole);
    };
    size_t rank = operand.sizes.size();
    if (rank > sizes.size())
      failOf(0, 0);
    for (size_t dim = 0; dim < rank && !firstError; ++dim) {
      const SizePolynomial &own = operand.sizes[dim],
                           &whole = sizes[sizes.size() - rank + dim];
      if (!(own == SizePolynomial(1)) && !(own == whole))
        failOf(own, whole);
    }
  }
  return firstError.has_value();
}

/// The indices of an operand's element, those of `sizes` being `indices`.
static SmallVector<Value> spread(OpBuilder &b, Location loc,
                                 const SizeList &operand, ValueRange indices) {
  SmallVector<Value> result;
  size_t first = indices.size() - operand.size();
  for (size_t dim = 0; dim < operand.size(); ++dim)
    result.push_back(operand[dim] == SizePolynomial(1)
                         ? Value(arith::ConstantIndexOp::create(b, loc, 0))
                         : indices[first + dim]);
  return result;
}

/// How loops over `sizes` read an operand: a value by a map, or what is
/// generated.
struct GraphBuilder::Reading {
  Value value;
  AffineMap map;
};

GraphBuilder::Reading GraphBuilder::read(const Built &operand,
                                         const SizeList &sizes) {
  if (!operand.value)
    return {};
  // Dims of size 1 that spread are not read at all.
  size_t first = sizes.size() - operand.sizes.size();
  SizeList left;
  SmallVector<AffineExpr> places;
  for (size_t dim = 0; dim < operand.sizes.size(); ++dim) {
    if (!(operand.sizes[dim] == sizes[first + dim]))
      continue;
    left.push_back(operand.sizes[dim]);
    places.push_back(b.getAffineDimExpr(first + dim));
  }
  Built narrow =
      left.size() == operand.sizes.size() ? operand : reshape(operand, left);
  return {narrow.value,
          AffineMap::get(sizes.size(), 0, places, b.getContext())};
}

Value GraphBuilder::emitLoops(ArrayRef<Built> operands, const SizeList &sizes,
                              AffineMap resultMap, Value init,
                              const NumberBody &body) {
  numGenerated = 0;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const Built &operand : operands) {
    Reading reading = read(operand, sizes);
    if (!reading.value)
      continue;
    inputs.push_back(reading.value);
    maps.push_back(reading.map);
  }
  maps.push_back(resultMap);
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::reduction);
  for (AffineExpr result : resultMap.getResults())
    loops[cast<AffineDimExpr>(result).getPosition()] =
        utils::IteratorType::parallel;
  auto compute = [&](OpBuilder &b, Location loc, ValueRange arguments) {
    SmallVector<Value> indices, numbers;
    bool generates =
        llvm::any_of(operands, [](const Built &each) { return !each.value; });
    if (generates)
      for (size_t dim = 0; dim < sizes.size(); ++dim)
        indices.push_back(linalg::IndexOp::create(b, loc, dim));
    size_t next = 0;
    for (const Built &operand : operands)
      numbers.push_back(
          operand.value ? arguments[next++]
                        : operand.element(
                              b, loc, spread(b, loc, operand.sizes, indices)));
    numbers.push_back(arguments.back());
    linalg::YieldOp::create(b, loc, body(b, loc, numbers));
  };
  return linalg::GenericOp::create(b, loc, init.getType(), inputs, init, maps,
                                   loops, compute)
      .getResult(0);
}

Built GraphBuilder::pointwise(DType dtype, const SizeList &sizes,
                              ArrayRef<Built> operands, NumberBody body) {
  if (cannotSpread(operands, sizes))
    return {};
  auto isGenerated = [](const Built &each) { return !each.value; };
  if (llvm::all_of(operands, isGenerated)) {
    std::vector<Built> parts = operands.vec();
    return generated(
        dtype, sizes,
        [parts, body](OpBuilder &b, Location loc, ValueRange indices) {
          SmallVector<Value> numbers;
          for (const Built &each : parts)
            numbers.push_back(
                each.element(b, loc, spread(b, loc, each.sizes, indices)));
          return body(b, loc, numbers);
        });
  }
  AffineMap identity = b.getMultiDimIdentityMap(sizes.size());
  Value value = emitLoops(operands, sizes, identity, empty(dtype, sizes),
                          [&](OpBuilder &b, Location loc, ValueRange numbers) {
                            return body(b, loc, numbers.drop_back());
                          });
  return {dtype, sizes, value};
}

Value GraphBuilder::valueOf(const Built &tensor) {
  if (hasFailed(tensor) || tensor.value)
    return tensor.value;
  AffineMap identity = b.getMultiDimIdentityMap(tensor.sizes.size());
  return emitLoops(
      tensor, tensor.sizes, identity, empty(tensor.dtype, tensor.sizes),
      [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
}

Built GraphBuilder::convert(const Built &tensor, DType dtype) {
  if (hasFailed(tensor) || tensor.dtype == dtype)
    return tensor;
  DType from = tensor.dtype;
  constexpr double mostInteger = 9007199254740992.0;
  if (tensor.constant &&
      (isFloat(dtype) || std::abs(*tensor.constant) <= mostInteger)) {
    Built same = filled(dtype, tensor.sizes, *tensor.constant);
    same.isNumber = tensor.isNumber;
    return same;
  }
  if (tensor.constant && isFloat(from) && dtype != DType::I1) {
    // NaN and what is too large, as numbers that are not known are converted.
    int64_t least = INT64_MIN >> (64 - 8 * bytesOf(dtype));
    bool isWithin = std::abs(*tensor.constant) < -double(least);
    Built same = filledInteger(dtype, tensor.sizes,
                               isWithin ? int64_t(*tensor.constant) : least);
    same.isNumber = tensor.isNumber;
    return same;
  }
  Built result =
      pointwise(dtype, tensor.sizes, tensor,
                [from, dtype](OpBuilder &b, Location loc, ValueRange numbers) {
                  return convertNumber(b, loc, numbers[0], from, dtype);
                });
  result.isNumber = tensor.isNumber;
  if (result && from != DType::I1 && dtype != DType::I1 && !isFloat(from) &&
      tensor.integers)
    result.integers = asHeld(dtype, *tensor.integers);
  return result;
}

/// Whether a value among `operands` has each of `dims` at its full size: loops
/// know how far they go from values alone.
static bool haveDims(ArrayRef<Built> operands, const SizeList &sizes,
                     ArrayRef<int64_t> dims) {
  return llvm::all_of(dims, [&](int64_t dim) {
    return llvm::any_of(operands, [&](const Built &each) {
      int64_t own = dim - (int64_t(sizes.size()) - each.rank());
      return each.value && own >= 0 && each.sizes[own] == sizes[dim];
    });
  });
}

Built GraphBuilder::reduce(DType dtype, const SizeList &sizes,
                           ArrayRef<int64_t> dims, ArrayRef<Built> given,
                           TypedAttr init, NumberBody body) {
  if (cannotSpread(given, sizes))
    return {};
  std::vector<Built> operands = given.vec();
  if (!haveDims(operands, sizes, dims)) {
    Built &first = operands.front();
    Built spread = pointwise(
        first.dtype, sizes, first,
        [](OpBuilder &, Location, ValueRange numbers) { return numbers[0]; });
    first = {first.dtype, sizes, valueOf(spread)};
  }
  SizeList left;
  SmallVector<AffineExpr> places;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (!llvm::is_contained(dims, int64_t(dim))) {
      left.push_back(sizes[dim]);
      places.push_back(b.getAffineDimExpr(dim));
    }
  AffineMap map = AffineMap::get(sizes.size(), 0, places, b.getContext());
  Value value = emitLoops(operands, sizes, map, filledInit(init, left), body);
  return {dtype, left, value};
}

Built GraphBuilder::sum(const Built &tensor, ArrayRef<int64_t> dims) {
  if (hasFailed(tensor))
    return {};
  DType wide = computedAs(tensor.dtype), from = tensor.dtype;
  auto zero = cast<TypedAttr>(b.getZeroAttr(typeOf(wide)));
  Built result = reduce(
      wide, tensor.sizes, dims, tensor, zero,
      [from, wide](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Value next = convertNumber(b, loc, numbers[0], from, wide);
        if (isFloat(wide))
          return arith::AddFOp::create(b, loc, numbers[1], next);
        return arith::AddIOp::create(b, loc, numbers[1], next);
      });
  return convert(result, from);
}

Built GraphBuilder::extreme(const Built &tensor, ArrayRef<int64_t> dims,
                            bool isLargest) {
  if (hasFailed(tensor))
    return {};
  Type type = typeOf(tensor.dtype);
  TypedAttr init;
  if (auto floats = dyn_cast<FloatType>(type)) {
    init = b.getFloatAttr(
        type, llvm::APFloat::getInf(floats.getFloatSemantics(), isLargest));
  } else {
    unsigned width = type.getIntOrFloatBitWidth();
    llvm::APInt bound = isLargest ? llvm::APInt::getSignedMinValue(width)
                                  : llvm::APInt::getSignedMaxValue(width);
    if (tensor.dtype == DType::I1)
      bound = llvm::APInt(1, !isLargest);
    init = b.getIntegerAttr(type, bound);
  }
  DType dtype = tensor.dtype;
  return reduce(
      dtype, tensor.sizes, dims, tensor, init,
      [=](OpBuilder &b, Location loc, ValueRange numbers) -> Value {
        Value next = numbers[0], so = numbers[1];
        if (isFloat(dtype))
          return isLargest ? Value(arith::MaximumFOp::create(b, loc, so, next))
                           : Value(arith::MinimumFOp::create(b, loc, so, next));
        if (dtype == DType::I1)
          return isLargest ? Value(arith::OrIOp::create(b, loc, so, next))
                           : Value(arith::AndIOp::create(b, loc, so, next));
        return isLargest ? Value(arith::MaxSIOp::create(b, loc, so, next))
                         : Value(arith::MinSIOp::create(b, loc, so, next));
      });
}

Built GraphBuilder::withOnes(const Built &tensor, ArrayRef<int64_t> dims) {
  if (hasFailed(tensor))
    return {};
  SizeList sizes;
  size_t next = 0;
  for (size_t dim = 0; dim < tensor.sizes.size() + dims.size(); ++dim)
    sizes.push_back(llvm::is_contained(dims, int64_t(dim))
                        ? SizePolynomial(1)
                        : tensor.sizes[next++]);
  return reshape(tensor, sizes);
}

Built GraphBuilder::softmax(const Built &tensor, int64_t dim) {
  if (hasFailed(tensor))
    return {};
  Built wide = convert(tensor, computedAs(tensor.dtype));
  Value input = valueOf(wide);
  Value init = empty(wide.dtype, wide.sizes);
  Value value = linalg::SoftmaxOp::create(b, loc, TypeRange(init.getType()),
                                          input, init, uint64_t(dim))
                    ->getResult(0);
  return convert({wide.dtype, wide.sizes, value}, tensor.dtype);
}
