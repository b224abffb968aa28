// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Expressions as tensors.

#include "passes/raise/EmitTensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

OpFoldResult TensorEmitter::sizeOf(ArrayRef<Atom> place) {
  int64_t number = atoms.staticSize(place);
  if (!ShapedType::isDynamic(number))
    return b.getIndexAttr(number);
  Value product;
  for (Atom atom : atoms.flat(place)) {
    OpFoldResult size = atoms.sizeOf(atom).emit(b, b.getLoc());
    Value value = getValueOrCreateConstantIndexOp(b, b.getLoc(), size);
    product = product ? b.createOrFold<arith::MulIOp>(product, value) : value;
  }
  return product;
}

static RankedTensorType typeOf(ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<int64_t> shape;
  for (OpFoldResult size : sizes)
    shape.push_back(getConstantIntValue(size).value_or(ShapedType::kDynamic));
  return RankedTensorType::get(shape, element);
}

/// Groups of consecutive dims: dim d of `from` is in the group of the dim of
/// `to` that it is a part of. Dims of size 1 go with a neighbour.
static SmallVector<ReassociationIndices> groupsOf(ArrayRef<Place> from,
                                                  ArrayRef<Place> to) {
  SmallVector<ReassociationIndices> groups(to.size());
  size_t group = 0, taken = 0;
  for (auto [dim, place] : llvm::enumerate(from)) {
    while (!place.empty() && taken == to[group].size()) {
      ++group;
      taken = 0;
    }
    groups[group].push_back(dim);
    taken += place.size();
  }
  return groups;
}

Value TensorEmitter::reshape(Value tensor, ArrayRef<Place> from,
                             ArrayRef<Place> to) {
  if (from == to)
    return tensor;
  Type element = getElementTypeOrSelf(tensor);
  // Apart, one atom a dim.
  SmallVector<Place> apart;
  SmallVector<OpFoldResult> sizes;
  SmallVector<ReassociationIndices> groups;
  for (const Place &place : from) {
    ReassociationIndices &group = groups.emplace_back();
    for (Atom atom : place) {
      group.push_back(apart.size());
      apart.push_back({atom});
    }
    if (place.empty()) {
      group.push_back(apart.size());
      apart.push_back({});
    }
  }
  if (apart.size() != from.size()) {
    for (const Place &place : apart)
      sizes.push_back(sizeOf(place));
    tensor = tensor::ExpandShapeOp::create(b, typeOf(sizes, element), tensor,
                                           groups, sizes);
  }
  // Joined, without dims of size 1.
  SmallVector<Place> joined;
  for (const Place &place : to)
    if (!place.empty())
      joined.push_back(place);
  if (joined.empty()) {
    if (!apart.empty())
      tensor = tensor::CollapseShapeOp::create(
          b, tensor, ArrayRef<ReassociationIndices>());
  } else if (joined.size() != apart.size()) {
    tensor =
        tensor::CollapseShapeOp::create(b, tensor, groupsOf(apart, joined));
  }
  if (joined.size() == to.size())
    return tensor;
  // Dims of size 1 where they are wanted.
  sizes.clear();
  for (const Place &place : to)
    sizes.push_back(sizeOf(place));
  groups = joined.empty() ? SmallVector<ReassociationIndices>()
                          : groupsOf(to, joined);
  return tensor::ExpandShapeOp::create(b, typeOf(sizes, element), tensor,
                                       groups, sizes);
}

Value TensorEmitter::dropOnes(Value tensor, ArrayRef<Place> from,
                              SmallVector<Place> &left) {
  SmallVector<Place> flat;
  for (const Place &place : from) {
    flat.push_back(atoms.flat(place));
    if (!place.empty())
      left.push_back(flat.back());
  }
  return reshape(tensor, flat, left);
}

Value TensorEmitter::arrange(Value tensor, ArrayRef<Place> from,
                             ArrayRef<Place> to) {
  auto flatten = [&](ArrayRef<Place> places) {
    return llvm::map_to_vector(
        places, [&](const Place &place) { return atoms.flat(place); });
  };
  auto source = flatten(from), target = flatten(to);
  Place before = atoms.flatAll(from), after = atoms.flatAll(to);
  if (before == after)
    return reshape(tensor, source, target);
  // Whole runs of atoms move; dims stay joined where no order changes.
  SmallVector<Place> runs;
  for (size_t at = 0; at < before.size(); ++at) {
    auto *place = llvm::find(after, before[at]);
    bool follows =
        at > 0 && place != after.begin() && *(place - 1) == before[at - 1];
    auto starts = [&](ArrayRef<Place> dims) {
      return llvm::any_of(dims, [&](const Place &dim) {
        return !dim.empty() && dim.front() == before[at];
      });
    };
    if (follows && !starts(source) && !starts(target))
      runs.back().push_back(before[at]);
    else
      runs.push_back({before[at]});
  }
  tensor = reshape(tensor, source, runs);
  SmallVector<Place> moved(runs);
  llvm::sort(moved, [&](const Place &a, const Place &b) {
    return llvm::find(after, a[0]) < llvm::find(after, b[0]);
  });
  SmallVector<int64_t> permutation;
  SmallVector<OpFoldResult> sizes;
  for (const Place &run : moved) {
    permutation.push_back(llvm::find(runs, run) - runs.begin());
    sizes.push_back(sizeOf(run));
  }
  Value empty = tensor::EmptyOp::create(b, sizes, getElementTypeOrSelf(tensor));
  tensor =
      linalg::TransposeOp::create(b, tensor, empty, permutation)->getResult(0);
  return reshape(tensor, moved, target);
}

Value TensorEmitter::emit(Ref ref, ArrayRef<Place> dims, Type type) {
  Place all = atoms.flatAll(dims);
  if (ref->is(Kind::Element) && (!type || ref->type == type)) {
    Place own = atoms.flatAll(ref->places);
    if (own.size() == all.size() && isWithin(all, own))
      return arrange(ref->tensor, ref->places, dims);
  }
  if (!type)
    type = ref->is(Kind::Element) || !isa<FloatType>(ref->type)
               ? ref->type
               : Float32Type::get(b.getContext());
  if (ref->is(Kind::Pieces) && isWithin(atoms.flat(ref->places[0]), all))
    return emitPieces(ref, dims, type);
  SmallVector<Ref> operands;
  for (Ref operand : ref->operands)
    operands.push_back(hoist(operand));
  ref = make.rebuild(ref, operands);
  SmallVector<Place> loops;
  for (Atom atom : all)
    loops.push_back({atom});
  return arrange(compute(ref, all, type), loops, dims);
}

Ref TensorEmitter::hoist(Ref ref) {
  if (ref->is(Kind::Total) || ref->is(Kind::Largest) || ref->is(Kind::Any) ||
      ref->is(Kind::Pieces)) {
    SmallVector<Place> dims;
    for (Atom atom : make.freeAtoms(ref))
      dims.push_back({atom});
    return make.element(emit(ref, dims), dims);
  }
  SmallVector<Ref> operands;
  for (Ref operand : ref->operands)
    operands.push_back(hoist(operand));
  return make.rebuild(ref, operands);
}

Value TensorEmitter::emitPieces(Ref ref, ArrayRef<Place> dims, Type type) {
  // Pieces are the outermost dim, then move to where they are wanted.
  Place index = atoms.flat(ref->places[0]);
  SmallVector<Place> inner = {{}};
  for (Atom atom : atoms.flatAll(dims))
    if (!llvm::is_contained(index, atom))
      inner.push_back({atom});
  SmallVector<Value> parts;
  for (Ref piece : ref->operands)
    parts.push_back(emit(piece, inner, type));
  Value all = tensor::ConcatOp::create(b, /*dim=*/0, parts);
  inner[0] = index;
  return arrange(all, inner, dims);
}

/// The elements that `ref` reads.
static void collectElements(Ref ref, SmallVectorImpl<Ref> &elements) {
  if (ref->is(Kind::Element) && !llvm::is_contained(elements, ref))
    elements.push_back(ref);
  for (Ref operand : ref->operands)
    collectElements(operand, elements);
}

Value TensorEmitter::compute(Ref ref, ArrayRef<Atom> loops, Type type) {
  Type f32 = Float32Type::get(b.getContext());
  Place bound;
  Ref inner = ref;
  bool isLargest = ref->is(Kind::Largest);
  if (ref->is(Kind::Total) || isLargest || ref->is(Kind::Any)) {
    bound = atoms.flat(ref->bound);
    inner = ref->operands[0];
  }
  SmallVector<Atom> all(loops);
  llvm::append_range(all, bound);
  auto exprOf = [&](Atom atom) {
    return b.getAffineDimExpr(llvm::find(all, atom) - all.begin());
  };
  SmallVector<Ref> elements;
  collectElements(inner, elements);
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (Ref element : elements) {
    SmallVector<Place> dims, apart;
    Value dense = dropOnes(element->tensor, element->places, dims);
    SmallVector<AffineExpr> exprs;
    for (Atom atom : atoms.flatAll(dims)) {
      apart.push_back({atom});
      exprs.push_back(exprOf(atom));
    }
    inputs.push_back(reshape(dense, dims, apart));
    maps.push_back(AffineMap::get(all.size(), 0, exprs, b.getContext()));
  }
  // How far loops go is known from operands alone.
  Place unread = select(bound, make.freeAtoms(elements), /*isIn=*/false);
  if (!unread.empty()) {
    SmallVector<OpFoldResult> extents;
    SmallVector<AffineExpr> exprs;
    for (Atom atom : unread) {
      extents.push_back(sizeOf({atom}));
      exprs.push_back(exprOf(atom));
    }
    inputs.push_back(tensor::EmptyOp::create(b, extents, b.getI1Type()));
    maps.push_back(AffineMap::get(all.size(), 0, exprs, b.getContext()));
  }
  SmallVector<OpFoldResult> sizes;
  for (Atom atom : loops)
    sizes.push_back(sizeOf({atom}));
  bool isFloat = isa<FloatType>(type);
  Type sums = isFloat && !bound.empty() ? f32 : type;
  Value init = tensor::EmptyOp::create(b, sizes, sums);
  if (!bound.empty()) {
    double start = isLargest ? -std::numeric_limits<double>::infinity() : 0;
    TypedAttr number = isFloat ? TypedAttr(b.getFloatAttr(sums, start))
                               : TypedAttr(b.getZeroAttr(sums));
    Value first = arith::ConstantOp::create(b, number);
    init = linalg::FillOp::create(b, first, init).getResult(0);
  }
  SmallVector<AffineExpr> own;
  for (Atom atom : loops)
    own.push_back(exprOf(atom));
  maps.push_back(AffineMap::get(all.size(), 0, own, b.getContext()));
  SmallVector<utils::IteratorType> kinds(loops.size(),
                                         utils::IteratorType::parallel);
  kinds.resize(all.size(), utils::IteratorType::reduction);
  auto body = [&](OpBuilder &inside, Location loc, ValueRange arguments) {
    auto indexOf = [&](ArrayRef<Atom> place) {
      return emitIndex(inside, place, [&](Atom atom) -> Value {
        return linalg::IndexOp::create(inside, loc,
                                       llvm::find(all, atom) - all.begin());
      });
    };
    auto valueOf = [&](OpBuilder &, Ref element) {
      return arguments[llvm::find(elements, element) - elements.begin()];
    };
    Value value = emitScalar(inside, inner, indexOf, valueOf);
    if (isLargest)
      value = arith::MaximumFOp::create(inside, loc, arguments.back(), value);
    else if (!bound.empty() && !isFloat)
      value = arith::OrIOp::create(inside, loc, arguments.back(), value);
    else if (!bound.empty())
      value = arith::AddFOp::create(inside, loc, arguments.back(), value);
    else if (isFloat && value.getType() != type)
      value = arith::TruncFOp::create(inside, loc, type, value);
    linalg::YieldOp::create(inside, loc, value);
  };
  Value result = linalg::GenericOp::create(b, init.getType(), inputs, init,
                                           maps, kinds, body)
                     .getResult(0);
  if (sums == type)
    return result;
  Value narrow = tensor::EmptyOp::create(b, sizes, type);
  AffineMap identity = b.getMultiDimIdentityMap(loops.size());
  kinds.resize(loops.size());
  return linalg::GenericOp::create(
             b, narrow.getType(), result, narrow,
             ArrayRef<AffineMap>{identity, identity}, kinds,
             [&](OpBuilder &inside, Location loc, ValueRange arguments) {
               Value rounded =
                   arith::TruncFOp::create(inside, loc, type, arguments[0]);
               linalg::YieldOp::create(inside, loc, rounded);
             })
      .getResult(0);
}
