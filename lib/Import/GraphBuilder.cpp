// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SizeList, types and numbers of a module that is built.
#include "lib/Import/GraphBuilder.h"
#include "lib/Import/SizeText.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

Built GraphBuilder::fail(const Error &error) {
  if (!firstError)
    firstError = error;
  return {};
}

std::map<std::string, size_t> GraphBuilder::dimPlaces() const {
  std::map<std::string, size_t> places;
  for (const auto &[name, dim] : dims)
    places[name] = dim.order;
  return places;
}

Built GraphBuilder::failSizes(const Error &error, const SizePolynomial &a,
                              const SizePolynomial &b) {
  if (!firstError)
    if (auto found = findJoinedDim(a, b, dimPlaces()))
      joined = found;
  return fail(error);
}

Built GraphBuilder::failQuotient(const Error &error, const SizePolynomial &a,
                                 const SizePolynomial &b) {
  noteQuotient(a, b);
  return fail(error);
}

void GraphBuilder::noteQuotient(const SizePolynomial &a,
                                const SizePolynomial &b) {
  if (firstError || joined || exactQuotient(a, b).isKnown())
    return;
  joined = findJoinedQuotient(a, b, dimPlaces());
  if (!joined)
    joined = findMultiple(a, b, dimPlaces());
}

Built GraphBuilder::failSizes(const Error &error, const SizeList &a,
                              const SizeList &b) {
  if (a.size() == b.size())
    for (auto [x, y] : llvm::zip_equal(a, b))
      if (!(x == y))
        return failSizes(error, x, y);
  return fail(error);
}

bool GraphBuilder::hasFailed(ArrayRef<Built> operands) const {
  return firstError ||
         llvm::any_of(operands, [](const Built &each) { return !each; });
}

void GraphBuilder::defineDim(const SizePolynomial &size, Value argument,
                             int64_t dim) {
  if (auto form = size.asAffine())
    dims.try_emplace(form->dim, OpenDim{argument, dim, *form, dims.size()});
}

void GraphBuilder::defineInteger(const std::string &name, Value index,
                                 bool isCount) {
  sizeValues[name] = index;
  integers[name] = isCount;
}

bool GraphBuilder::dependsOnIntegers(const SizePolynomial &size,
                                     bool below) const {
  for (const auto &[product, coefficient] : size.getTerms())
    for (const std::string &dim : product)
      if (auto found = integers.find(dim); found != integers.end())
        if (!below || !found->second || coefficient < 0)
          return true;
  return false;
}

Value GraphBuilder::indexOf(const OpenDim &open) {
  Value index = tensor::DimOp::create(b, loc, open.argument, open.dim);
  if (int64_t offset = open.size.offset) {
    Value number = arith::ConstantIndexOp::create(b, loc, offset);
    index = arith::SubIOp::create(b, loc, index, number);
  }
  if (int64_t factor = open.size.factor; factor > 1) {
    Value number = arith::ConstantIndexOp::create(b, loc, factor);
    index = arith::DivUIOp::create(b, loc, index, number);
  }
  return index;
}

Value GraphBuilder::indexOf(const SizePolynomial &size) {
  Value &known = sizeValues[size.toText()];
  if (known)
    return known;
  Value sum;
  for (const auto &[product, coefficient] : size.getTerms()) {
    Value term;
    if (coefficient != 1 || product.empty())
      term = arith::ConstantIndexOp::create(b, loc, coefficient);
    for (const std::string &dim : product) {
      Value &factor = sizeValues[dim];
      if (!factor)
        factor = indexOf(dims.at(dim));
      term = term ? arith::MulIOp::create(b, loc, term, factor) : factor;
    }
    sum = sum ? arith::AddIOp::create(b, loc, sum, term) : term;
  }
  if (!sum)
    sum = arith::ConstantIndexOp::create(b, loc, 0);
  // The name of a dim alone is in the table by now.
  return sizeValues[size.toText()] = sum;
}

OpFoldResult GraphBuilder::sizeOf(const SizePolynomial &size) {
  if (std::optional<int64_t> number = size.asNumber())
    return b.getIndexAttr(*number);
  return indexOf(size);
}

Type GraphBuilder::typeOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return b.getF16Type();
  case DType::BF16:
    return b.getBF16Type();
  case DType::F32:
    return b.getF32Type();
  case DType::F64:
    return b.getF64Type();
  case DType::I1:
    return b.getI1Type();
  case DType::I8:
    return b.getI8Type();
  case DType::I16:
    return b.getI16Type();
  case DType::I32:
    return b.getI32Type();
  case DType::I64:
    return b.getI64Type();
  }
  llvm_unreachable("all element types are known");
}

RankedTensorType GraphBuilder::typeOf(DType dtype, const SizeList &sizes) {
  auto shape = llvm::map_to_vector(sizes, [](const SizePolynomial &size) {
    return size.asNumber().value_or(ShapedType::kDynamic);
  });
  return RankedTensorType::get(shape, typeOf(dtype));
}

Value GraphBuilder::empty(DType dtype, const SizeList &sizes) {
  auto mixed = llvm::map_to_vector(
      sizes, [&](const SizePolynomial &size) { return sizeOf(size); });
  return tensor::EmptyOp::create(b, loc, mixed, typeOf(dtype));
}

Value GraphBuilder::filledInit(TypedAttr number, const SizeList &sizes) {
  auto mixed = llvm::map_to_vector(
      sizes, [&](const SizePolynomial &size) { return sizeOf(size); });
  Value init = tensor::EmptyOp::create(b, loc, mixed, number.getType());
  Value filling = arith::ConstantOp::create(b, loc, number);
  return linalg::FillOp::create(b, loc, filling, init).getResult(0);
}

/// The most numbers that are computed in one body of loops from numbers that
/// follow from places.
static constexpr size_t mostGenerated = 4096;

namespace {

/// A number that was computed in a body of loops, and the indices of its place.
struct LastNumber {
  Block *body = nullptr;
  SmallVector<Value> indices;
  Value number;
};

} // namespace

static bool isSameIndex(Value a, Value b) {
  std::optional<int64_t> number = getConstantIntValue(a);
  return a == b || (number && number == getConstantIntValue(b));
}

/// Who reads the same number twice, as in x + x, has it computed once: else
/// what is made of x + x and so on would double with every step.
Built GraphBuilder::generated(DType dtype, const SizeList &sizes,
                              NumberBody element) {
  if (firstError)
    return {};
  auto last = std::make_shared<LastNumber>();
  // Copies of what reads it, and of what reads that, share it.
  auto shared = std::make_shared<const NumberBody>(std::move(element));
  Type type = typeOf(dtype);
  auto once = [=](OpBuilder &b, Location loc, ValueRange indices) {
    Block *body = b.getInsertionBlock();
    if (last->body == body && llvm::equal(last->indices, indices, isSameIndex))
      return last->number;
    if (++numGenerated > mostGenerated) {
      fail(makeError("expected at most {} numbers that follow from places and "
                     "sizes in what computes one element, but got more",
                     mostGenerated));
      return arith::ConstantOp::create(b, loc, b.getZeroAttr(type)).getResult();
    }
    Value number = (*shared)(b, loc, indices);
    *last = {body, SmallVector<Value>(indices), number};
    return number;
  };
  return {dtype, sizes, Value(), once};
}

SizeList mixattn::asHeld(DType dtype, SizeList integers) {
  if (isFloat(dtype))
    return integers;
  unsigned unused = 64 - 8 * bytesOf(dtype);
  for (SizePolynomial &each : integers)
    if (std::optional<int64_t> number = each.asNumber())
      each = dtype == DType::I1
                 ? int64_t(*number != 0)
                 : int64_t(uint64_t(*number) << unused) >> unused;
  return integers;
}

Built GraphBuilder::filled(DType dtype, const SizeList &sizes, double number) {
  Type type = typeOf(dtype);
  if (!isFloat(dtype))
    return filledInteger(dtype, sizes,
                         dtype == DType::I1 ? number != 0
                         : std::abs(number) < 0x1p63
                             ? static_cast<int64_t>(number)
                             : 0);
  Built result = generated(
      dtype, sizes, [type, number](OpBuilder &b, Location loc, ValueRange) {
        return arith::ConstantOp::create(b, loc, b.getFloatAttr(type, number))
            .getResult();
      });
  result.constant = number;
  return result;
}

Built GraphBuilder::filledInteger(DType dtype, const SizeList &sizes,
                                  int64_t number) {
  if (isFloat(dtype))
    return filled(dtype, sizes, static_cast<double>(number));
  Type type = typeOf(dtype);
  unsigned width = type.getIntOrFloatBitWidth();
  number = *asHeld(dtype, {number})[0].asNumber();
  auto bits = llvm::APInt(64, number, /*isSigned=*/true).trunc(width);
  Built result = generated(
      dtype, sizes, [type, bits](OpBuilder &b, Location loc, ValueRange) {
        return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, bits))
            .getResult();
      });
  // Larger ones are no double.
  constexpr int64_t most = int64_t(1) << 53;
  if (-most <= number && number <= most)
    result.constant = number;
  SizePolynomial count = 1;
  for (const SizePolynomial &size : sizes)
    count *= size;
  std::optional<int64_t> elements = count.asNumber();
  if (result && elements && 0 <= *elements && *elements <= mostListed)
    result.integers.emplace(*elements, number);
  return result;
}

Built GraphBuilder::listed(DType dtype, const SizeList &sizes,
                           const SizeList &integers) {
  if (firstError)
    return {};
  SizeList elements = asHeld(dtype, integers);
  Built result;
  bool isSame = llvm::all_of(elements, [&](const SizePolynomial &each) {
    return each == elements[0];
  });
  std::optional<int64_t> same = elements.empty() ? 0 : elements[0].asNumber();
  if (isSame && same) {
    result = filledInteger(dtype, sizes, *same);
  } else if (isSame) {
    Value index = indexOf(elements[0]);
    result =
        generated(dtype, sizes, [=](OpBuilder &b, Location loc, ValueRange) {
          Value number =
              arith::IndexCastOp::create(b, loc, b.getI64Type(), index);
          return convertNumber(b, loc, number, DType::I64, dtype);
        });
  } else {
    SmallVector<Value> numbers;
    for (const SizePolynomial &each : elements) {
      Value number =
          arith::IndexCastOp::create(b, loc, b.getI64Type(), indexOf(each));
      numbers.push_back(convertNumber(b, loc, number, DType::I64, dtype));
    }
    Value value =
        tensor::FromElementsOp::create(b, loc, typeOf(dtype, sizes), numbers);
    result = {dtype, sizes, value};
  }
  result.integers = elements;
  return result;
}

Built GraphBuilder::number(const SizePolynomial &size) {
  if (firstError)
    return {};
  Built result;
  result = listed(DType::I64, {}, {size});
  result.isNumber = true;
  return result;
}

DType mixattn::computedAs(DType dtype) {
  return dtype == DType::F16 || dtype == DType::BF16 ? DType::F32 : dtype;
}

/// The zero of a type.
static Value zeroOf(OpBuilder &b, Location loc, Type type) {
  return arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
}

/// `value` rounded towards 0; the least integer, as on x86, for NaN and what is
/// too large, of which arith makes any number, even one that is no index after
/// it was held within bounds.
static Value toInteger(OpBuilder &b, Location loc, Value value, Type type) {
  Type from = value.getType();
  unsigned width = type.getIntOrFloatBitWidth();
  auto bound = b.getFloatAttr(from, std::ldexp(1.0, int(width) - 1));
  Value size = math::AbsFOp::create(b, loc, value);
  Value isWithin =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                            arith::ConstantOp::create(b, loc, bound));
  Value held =
      arith::SelectOp::create(b, loc, isWithin, value, zeroOf(b, loc, from));
  Value whole = arith::FPToSIOp::create(b, loc, type, held);
  auto least = b.getIntegerAttr(type, llvm::APInt::getSignedMinValue(width));
  return arith::SelectOp::create(b, loc, isWithin, whole,
                                 arith::ConstantOp::create(b, loc, least));
}

static Value fromFloat(OpBuilder &b, Location loc, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (isa<IntegerType>(type))
    return toInteger(b, loc, value, type);
  // Between the two kinds of 16 bits lies f32.
  if (from == to)
    return arith::TruncFOp::create(
        b, loc, type,
        arith::ExtFOp::create(b, loc, b.getF32Type(), value).getResult());
  if (from < to)
    return arith::ExtFOp::create(b, loc, type, value);
  return arith::TruncFOp::create(b, loc, type, value);
}

static Value fromInteger(OpBuilder &b, Location loc, Value value, Type type,
                         bool isBool) {
  if (isa<FloatType>(type)) {
    if (isBool)
      return arith::UIToFPOp::create(b, loc, type, value);
    return arith::SIToFPOp::create(b, loc, type, value);
  }
  unsigned from = value.getType().getIntOrFloatBitWidth();
  if (isBool)
    return arith::ExtUIOp::create(b, loc, type, value);
  if (from < type.getIntOrFloatBitWidth())
    return arith::ExtSIOp::create(b, loc, type, value);
  return arith::TruncIOp::create(b, loc, type, value);
}

static Type elementType(OpBuilder &b, DType dtype) {
  return GraphBuilder(b, b.getUnknownLoc()).typeOf(dtype);
}

Value mixattn::convertNumber(OpBuilder &b, Location loc, Value value,
                             DType from, DType to) {
  if (from == to)
    return value;
  if (to == DType::I1) {
    Value zero = zeroOf(b, loc, value.getType());
    if (isFloat(from))
      return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, value,
                                   zero);
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, value, zero);
  }
  Type type = elementType(b, to);
  return isFloat(from) ? fromFloat(b, loc, value, type)
                       : fromInteger(b, loc, value, type, from == DType::I1);
}
