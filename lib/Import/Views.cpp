// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other orders and parts of the same elements. What is generated moves by its
// indices.
#include "lib/Import/GraphBuilder.h"
#include "lib/Import/LargestSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

static bool isOne(const SizePolynomial &size) {
  return size == SizePolynomial(1);
}

namespace {

/// Groups of dims, each of which holds as many elements before a reshape as
/// after it: [B, 12, 64] to [B, 768] has {0}, {1, 2} and {0}, {1}.
struct Groups {
  SmallVector<ReassociationIndices> before, after;
};

} // namespace

/// The finest groups, or none where the numbers of elements differ.
static std::optional<Groups> findGroups(const SizeList &before,
                                        const SizeList &after) {
  Groups groups;
  size_t i = 0, j = 0;
  while (i < before.size() && j < after.size()) {
    // The first two products from here on that are equal.
    SizePolynomial left = 1;
    size_t iEnd = i, jEnd = j;
    bool isFound = false;
    for (; iEnd < before.size() && !isFound; ++iEnd) {
      left *= before[iEnd];
      SizePolynomial right = 1;
      for (jEnd = j; jEnd < after.size() && !isFound; ++jEnd)
        isFound = (right *= after[jEnd]) == left;
    }
    if (!isFound)
      return std::nullopt;
    groups.before.emplace_back(llvm::to_vector(llvm::seq<int64_t>(i, iEnd)));
    groups.after.emplace_back(llvm::to_vector(llvm::seq<int64_t>(j, jEnd)));
    i = iEnd;
    j = jEnd;
  }
  // Ones at the end belong to the last group.
  for (; i < before.size(); ++i) {
    if (!isOne(before[i]))
      return std::nullopt;
    if (!groups.before.empty())
      groups.before.back().push_back(i);
  }
  for (; j < after.size(); ++j) {
    if (!isOne(after[j]))
      return std::nullopt;
    if (!groups.after.empty())
      groups.after.back().push_back(j);
  }
  return groups;
}

/// The dims that are no ones.
static SmallVector<size_t> properDims(const SizeList &sizes) {
  SmallVector<size_t> dims;
  for (size_t dim = 0; dim < sizes.size(); ++dim)
    if (!isOne(sizes[dim]))
      dims.push_back(dim);
  return dims;
}

/// Whether two lists of sizes differ by ones alone.
static bool differByOnes(const SizeList &a, const SizeList &b) {
  SmallVector<size_t> aDims = properDims(a), bDims = properDims(b);
  return aDims.size() == bDims.size() &&
         llvm::all_of(llvm::zip_equal(aDims, bDims), [&](auto pair) {
           return a[std::get<0>(pair)] == b[std::get<1>(pair)];
         });
}

/// The tensor that `value` is a reshape of.
static Value sourceOf(Value value) {
  if (auto expand = value.getDefiningOp<tensor::ExpandShapeOp>())
    return expand.getSrc();
  if (auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>())
    return collapse.getSrc();
  return {};
}

Built GraphBuilder::reshape(const Built &tensor, const SizeList &sizes) {
  if (hasFailed(tensor) || tensor.sizes == sizes)
    return tensor;
  auto isNegative = [](const SizePolynomial &size) {
    return size.asNumber().value_or(0) < 0;
  };
  if (llvm::any_of(sizes, isNegative))
    return fail(makeError("expected sizes of at least 0, but got shape {}",
                          toText(sizes)));
  Built result = reshaped(tensor, sizes);
  if (result)
    result.integers = tensor.integers;
  return result;
}

/// Whether a tensor has no elements: MLIR has no slices and no groups of dims
/// of it.
static bool isEmpty(const SizeList &sizes) {
  return llvm::any_of(sizes,
                      [](const SizePolynomial &size) { return size.isZero(); });
}

Built GraphBuilder::reshaped(const Built &tensor, const SizeList &sizes) {
  std::optional<Groups> groups = findGroups(tensor.sizes, sizes);
  if (!groups) {
    SizePolynomial before = 1, after = 1;
    for (const SizePolynomial &size : tensor.sizes)
      before *= size;
    for (const SizePolynomial &size : sizes)
      after *= size;
    return failSizes(makeError("expected as many elements of shape {} as of "
                               "shape {}",
                               toText(sizes), toText(tensor.sizes)),
                     before, after);
  }
  if (!tensor.value && differByOnes(tensor.sizes, sizes)) {
    NumberBody element = tensor.element;
    SmallVector<size_t> from = properDims(sizes), to = properDims(tensor.sizes);
    size_t rank = tensor.sizes.size();
    return generated(tensor.dtype, sizes,
                     [=](OpBuilder &b, Location loc, ValueRange indices) {
                       SmallVector<Value> places(rank);
                       for (auto [a, c] : llvm::zip_equal(from, to))
                         places[c] = indices[a];
                       for (Value &place : places)
                         if (!place)
                           place = arith::ConstantIndexOp::create(b, loc, 0);
                       return element(b, loc, places);
                     });
  }
  if (isEmpty(sizes))
    return {tensor.dtype, sizes, empty(tensor.dtype, sizes)};
  Value value = valueOf(tensor);
  // To add ones and take them away again is nothing.
  Value source = sourceOf(value);
  if (source && source.getType() == typeOf(tensor.dtype, sizes) &&
      differByOnes(tensor.sizes, sizes))
    return {tensor.dtype, sizes, source};
  if (tensor.sizes.empty() || groups->before.size() < tensor.sizes.size()) {
    SizeList products;
    for (const ReassociationIndices &group : groups->before) {
      SizePolynomial &product = products.emplace_back(1);
      for (int64_t dim : group)
        product *= tensor.sizes[dim];
    }
    if (!tensor.sizes.empty())
      value = tensor::CollapseShapeOp::create(
          b, loc, typeOf(tensor.dtype, products), value, groups->before);
  }
  if (groups->after.size() < sizes.size()) {
    auto mixed = llvm::map_to_vector(
        sizes, [&](const SizePolynomial &size) { return sizeOf(size); });
    value = tensor::ExpandShapeOp::create(b, loc, typeOf(tensor.dtype, sizes),
                                          value, groups->after, mixed);
  }
  return {tensor.dtype, sizes, value};
}

std::optional<SizeList>
mixattn::movedList(const Built &tensor, const SizeList &sizes,
                   llvm::function_ref<void(MutableArrayRef<int64_t>)> place) {
  auto numbersOf = [](const SizeList &sizes) {
    SmallVector<int64_t> numbers;
    for (const SizePolynomial &size : sizes)
      numbers.push_back(size.asNumber().value_or(-1));
    return numbers;
  };
  SmallVector<int64_t> from = numbersOf(tensor.sizes), to = numbersOf(sizes);
  int64_t count = 1;
  for (int64_t size : to)
    count = size < 0 || size > mostListed
                ? mostListed + 1
                : std::min(count * size, mostListed + 1);
  if (!tensor.integers || count > mostListed || llvm::is_contained(from, -1))
    return std::nullopt;
  SizeList moved;
  for (int64_t i = 0; i < count; ++i) {
    SmallVector<int64_t> own(to.size());
    int64_t rest = i, flat = 0;
    for (size_t dim = to.size(); dim-- > 0; rest /= to[dim])
      own[dim] = rest % to[dim];
    place(own);
    for (auto [at, size] : llvm::zip_equal(own, from)) {
      if (at < 0 || at >= size)
        return std::nullopt;
      flat = flat * size + at;
    }
    moved.push_back((*tensor.integers)[flat]);
  }
  return moved;
}

Built GraphBuilder::transpose(const Built &tensor, ArrayRef<int64_t> order) {
  if (hasFailed(tensor))
    return {};
  if (order.empty())
    return tensor;
  SizeList sizes;
  for (int64_t dim : order)
    sizes.push_back(tensor.sizes[dim]);
  auto placeOf = [&](MutableArrayRef<int64_t> own) {
    SmallVector<int64_t> at(own);
    for (auto [dim, place] : llvm::enumerate(order))
      own[place] = at[dim];
  };
  if (std::optional<SizeList> list = movedList(tensor, sizes, placeOf))
    return listed(tensor.dtype, sizes, *list);
  if (!tensor.value) {
    NumberBody element = tensor.element;
    SmallVector<int64_t> to(order);
    return generated(tensor.dtype, sizes,
                     [=](OpBuilder &b, Location loc, ValueRange indices) {
                       SmallVector<Value> places(to.size());
                       for (auto [dim, place] : llvm::enumerate(to))
                         places[place] = indices[dim];
                       return element(b, loc, places);
                     });
  }
  Value value = linalg::TransposeOp::create(b, loc, tensor.value,
                                            empty(tensor.dtype, sizes), order)
                    ->getResult(0);
  return {tensor.dtype, sizes, value};
}

void GraphBuilder::requireSize(const SizePolynomial &size) {
  if (isNeverNegative(size))
    return;
  int64_t number = 0;
  std::vector<std::pair<std::vector<std::string>, int64_t>> others;
  for (const auto &[dims, coefficient] : size.getTerms()) {
    if (dims.empty())
      number = coefficient;
    else
      others.emplace_back(dims, coefficient);
  }
  // The least integer has no opposite.
  if (others.size() != 1 || others[0].first.size() != 1 ||
      std::min(number, others[0].second) == INT64_MIN ||
      (others[0].second < 0 && number < 0)) {
    fail(makeError("expected a part that lies within its tensor at all sizes, "
                   "but {} may be below 0",
                   size.toText()));
    return;
  }
  auto [dims, coefficient] = others[0];
  DimRange &range = ranges[dims[0]];
  if (coefficient > 0) {
    range.least =
        std::max(range.least, llvm::divideCeilSigned(-number, coefficient));
    return;
  }
  int64_t most = number / -coefficient;
  range.most = std::min(range.most.value_or(most), most);
}

Built GraphBuilder::slice(const Built &tensor, int64_t dim,
                          const SizePolynomial &begin,
                          const SizePolynomial &size, int64_t step) {
  if (hasFailed(tensor))
    return {};
  if (begin == SizePolynomial(0) && size == tensor.sizes[dim] && step == 1)
    return tensor;
  // What is generated has no tensor that the part would have to lie within.
  if (size.asNumber().value_or(0) < 0)
    requireSize(size);
  if (failure())
    return {};
  SizeList sizes = tensor.sizes;
  sizes[dim] = size;
  std::optional<int64_t> first = begin.asNumber();
  auto placeOf = [&](MutableArrayRef<int64_t> own) {
    own[dim] = *first + own[dim] * step;
  };
  if (auto list = first ? movedList(tensor, sizes, placeOf) : std::nullopt)
    return listed(tensor.dtype, sizes, *list);
  if (!tensor.value) {
    NumberBody element = tensor.element;
    Value start = indexOf(begin), stride = indexOf(step);
    return generated(tensor.dtype, sizes,
                     [=](OpBuilder &b, Location loc, ValueRange indices) {
                       SmallVector<Value> places(indices);
                       places[dim] = arith::AddIOp::create(
                           b, loc, start,
                           arith::MulIOp::create(b, loc, places[dim], stride));
                       return element(b, loc, places);
                     });
  }
  // A tensor that is copied over whole is not read: only a reader fails.
  if (dependsOnIntegers(begin))
    return generated(
        tensor.dtype, sizes, [=](OpBuilder &b, Location loc, ValueRange) {
          fail(makeError("expected a part that starts at a place that follows "
                         "from sizes, but {} depends on values",
                         begin.toText()));
          return arith::ConstantOp::create(b, loc,
                                           b.getZeroAttr(typeOf(tensor.dtype)))
              .getResult();
        });
  requireSize(begin);
  requireSize(size);
  requireSize(tensor.sizes[dim] - begin - (size - 1) * step - 1);
  if (failure())
    return {};
  // Nothing is left from the end on, whatever its size is called.
  if (isEmpty(sizes) || begin == tensor.sizes[dim])
    return {tensor.dtype, sizes, empty(tensor.dtype, sizes)};
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  offsets[dim] = sizeOf(begin);
  strides[dim] = b.getIndexAttr(step);
  auto mixed = llvm::map_to_vector(
      sizes, [&](const SizePolynomial &each) { return sizeOf(each); });
  Value value =
      tensor::ExtractSliceOp::create(b, loc, typeOf(tensor.dtype, sizes),
                                     tensor.value, offsets, mixed, strides);
  return {tensor.dtype, sizes, value};
}

Built GraphBuilder::select(const Built &tensor, int64_t dim,
                           const SizePolynomial &index) {
  Built part = slice(tensor, dim, index, 1);
  if (!part)
    return {};
  SizeList sizes = part.sizes;
  sizes.erase(sizes.begin() + dim);
  return reshape(part, sizes);
}

Built GraphBuilder::concatenate(ArrayRef<Built> tensors, int64_t dim) {
  if (hasFailed(tensors) || tensors.empty())
    return {};
  auto isListed = [](const Built &each) {
    return each.integers && each.rank() == 1;
  };
  SizeList all;
  for (const Built &each : tensors)
    if (isListed(each) && all.size() <= size_t(mostListed))
      all.insert(all.end(), each.integers->begin(), each.integers->end());
  if (llvm::all_of(tensors, isListed) && all.size() <= size_t(mostListed))
    return listed(tensors[0].dtype, {int64_t(all.size())}, all);
  SizeList sizes = tensors[0].sizes;
  if (dim >= tensors[0].rank())
    return fail(makeError("expected tensors of at least {} dims to put side by "
                          "side, but got one of shape {}",
                          dim + 1, toText(sizes)));
  sizes[dim] = 0;
  for (const Built &each : tensors) {
    SizeList others = each.sizes;
    if (others.size() != sizes.size())
      return fail(makeError("expected tensors of rank {} to put side by side, "
                            "but got one of shape {}",
                            sizes.size(), toText(others)));
    sizes[dim] += others[dim];
    others[dim] = sizes[dim];
    if (others != sizes)
      return failSizes(makeError("expected tensors that differ in dim {} "
                                 "alone, but got shapes {} and {}",
                                 dim, toText(tensors[0].sizes),
                                 toText(each.sizes)),
                       sizes, others);
  }
  Value value = empty(tensors[0].dtype, sizes);
  SizePolynomial end;
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  for (const Built &each : tensors) {
    SizePolynomial begin = end;
    end += each.sizes[dim];
    if (isEmpty(each.sizes) || begin == sizes[dim])
      continue;
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    offsets[dim] = sizeOf(begin);
    auto mixed = llvm::map_to_vector(
        each.sizes, [&](const SizePolynomial &size) { return sizeOf(size); });
    Value part = valueOf(convert(each, tensors[0].dtype));
    if (!part)
      return {};
    value = tensor::InsertSliceOp::create(b, loc, part, value, offsets, mixed,
                                          strides);
  }
  return {tensors[0].dtype, sizes, value};
}
