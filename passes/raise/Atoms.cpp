// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops and dims as atoms: what reshapes split and join.

#include "passes/raise/Atoms.h"

#include "mlir/Interfaces/DestinationStyleOpInterface.h"

using namespace mlir;
using namespace mixattn;

Size Size::of(OpFoldResult size) {
  if (std::optional<int64_t> number = getConstantIntValue(size))
    return of(*number);
  Value value = cast<Value>(size);
  auto dim = value.getDefiningOp<tensor::DimOp>();
  if (dim && dim.getConstantIndex() &&
      isa<RankedTensorType>(dim.getSource().getType()))
    return of(dim.getSource(), *dim.getConstantIndex());
  return {ShapedType::kDynamic, value, {}};
}

Size Size::of(Value tensor, unsigned dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return of(type.getDimSize(dim));
  Operation *op = tensor.getDefiningOp();
  if (auto result = dyn_cast<OpResult>(tensor))
    if (auto writes = dyn_cast<DestinationStyleOpInterface>(op))
      return of(writes.getTiedOpOperand(result)->get(), dim);
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return of(empty.getMixedSizes()[dim]);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return of(expand.getMixedOutputShape()[dim]);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return of(cast.getSource(), dim);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    std::optional<unsigned> only;
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t source : group) {
      if (collapse.getSrcType().getDimSize(source) == 1)
        continue;
      if (only)
        return {ShapedType::kDynamic, tensor, dim};
      only = source;
    }
    return of(collapse.getSrc(), *only);
  }
  return {ShapedType::kDynamic, tensor, dim};
}

OpFoldResult Size::emit(OpBuilder &b, Location loc) const {
  if (isStatic())
    return b.getIndexAttr(number);
  return dim ? tensor::getMixedSize(b, loc, value, *dim) : OpFoldResult(value);
}

Atom Atoms::make(const Size &size) {
  sizes.push_back(size);
  return sizes.size() - 1;
}

Place Atoms::makePlace(const Size &size) {
  return size.number == 1 ? Place() : Place{make(size)};
}

Place Atoms::flat(ArrayRef<Atom> place) const {
  Place result;
  for (Atom atom : place) {
    auto found = parts.find(atom);
    if (found == parts.end())
      result.push_back(atom);
    else
      llvm::append_range(result, flat(found->second));
  }
  return result;
}

Place Atoms::flatAll(ArrayRef<Place> places) const {
  Place result;
  for (const Place &place : places)
    llvm::append_range(result, flat(place));
  return result;
}

int64_t Atoms::staticSize(ArrayRef<Atom> place) const {
  int64_t product = 1;
  for (Atom atom : flat(place)) {
    if (!sizes[atom].isStatic())
      return ShapedType::kDynamic;
    product *= sizes[atom].number;
  }
  return product;
}

std::optional<Place> Atoms::takeInner(Place &left, const Size &size) {
  Place taken;
  // A single query has a dim of its own where there is one.
  if (size.number == 1 && !left.empty() && sizes[left.back()].number == 1)
    taken.push_back(left.pop_back_val());
  int64_t missing = size.number;
  while (missing != 1) {
    if (left.empty())
      return std::nullopt;
    Atom last = left.pop_back_val();
    Size own = sizes[last];
    if (own == size && taken.empty())
      return Place{last};
    // Only numbers are taken apart.
    if (!size.isStatic())
      return std::nullopt;
    if (own.isStatic() && missing % own.number == 0) {
      taken.insert(taken.begin(), last);
      missing /= own.number;
      continue;
    }
    // An open size that a static one was joined with cannot be told.
    if (!own.isStatic() || own.number % missing != 0)
      return std::nullopt;
    Atom outer = make(Size::of(own.number / missing));
    Atom inner = make(Size::of(missing));
    parts[last] = {outer, inner};
    left.push_back(outer);
    taken.insert(taken.begin(), inner);
    missing = 1;
  }
  return taken;
}

std::optional<Place> Atoms::takeOuter(Place &left, const Size &size) {
  if (left.empty() || !(sizes[left.front()] == size))
    return std::nullopt;
  Place taken{left.front()};
  left.erase(left.begin());
  return taken;
}

std::optional<SmallVector<Place>> Atoms::split(ArrayRef<Atom> place,
                                               ArrayRef<Size> wanted) {
  Place left = flat(place);
  SmallVector<Place> result(wanted.size());
  size_t end = wanted.size(), begin = 0;
  // From the inner end, while sizes say how far; then from the outer one. What
  // is left is one dim, or one atom.
  for (; end > begin + 1; --end) {
    Place before = left;
    std::optional<Place> taken = takeInner(left, wanted[end - 1]);
    if (!taken) {
      left = before;
      break;
    }
    result[end - 1] = *taken;
  }
  for (; end > begin + 1; ++begin) {
    if (wanted[begin].number == 1)
      continue;
    std::optional<Place> taken = takeOuter(left, wanted[begin]);
    if (!taken)
      break;
    result[begin] = *taken;
  }
  if (end > begin + 1) {
    if (left.size() != 1)
      return std::nullopt;
    Place &all = parts[left[0]];
    for (; begin < end; ++begin)
      llvm::append_range(all, result[begin] = makePlace(wanted[begin]));
    return result;
  }
  if (begin < end)
    result[begin] = left;
  return result;
}

bool mixattn::meet(ArrayRef<Atom> place, ArrayRef<Atom> other) {
  return llvm::any_of(
      place, [&](Atom atom) { return llvm::is_contained(other, atom); });
}

bool mixattn::isWithin(ArrayRef<Atom> place, ArrayRef<Atom> other) {
  return llvm::all_of(
      place, [&](Atom atom) { return llvm::is_contained(other, atom); });
}
Place mixattn::select(ArrayRef<Atom> place, ArrayRef<Atom> other, bool isIn) {
  Place result;
  for (Atom atom : place)
    if (llvm::is_contained(other, atom) == isIn)
      result.push_back(atom);
  return result;
}

bool mixattn::areSameSets(ArrayRef<Atom> a, ArrayRef<Atom> b) {
  return a.size() == b.size() && isWithin(a, b);
}
