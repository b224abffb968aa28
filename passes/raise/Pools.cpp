// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Follows the keys' dim of weights to the ops that sum along it.

#include "passes/raise/PathsOfWeights.h"
#include "passes/raise/ReadElement.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

using Ref = Expressions::Ref;

namespace {
/// Dims of a tensor that count keys.
struct KeyDims {
  Value tensor;
  SmallVector<int64_t> dims;
  /// Whether weights were multiplied by another tensor's numbers of keys.
  bool isWeighed;
};
} // namespace

/// The dims of a reshaped tensor.
static SmallVector<int64_t> reshaped(ArrayRef<ReassociationIndices> groups,
                                     bool isCollapsed, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  for (auto [joined, group] : llvm::enumerate(groups))
    for (int64_t apart : group) {
      int64_t from = isCollapsed ? apart : joined,
              to = isCollapsed ? joined : apart;
      if (llvm::is_contained(dims, from) && !llvm::is_contained(result, to))
        result.push_back(to);
    }
  return result;
}

/// The dims of `whole`, those of `part` without `dropped` being `dims`; or the
/// other way round.
static SmallVector<int64_t> sliced(const llvm::SmallBitVector &dropped,
                                   bool isPart, ArrayRef<int64_t> dims) {
  SmallVector<int64_t> result;
  int64_t part = 0;
  for (int64_t whole = 0; whole < int64_t(dropped.size()); ++whole) {
    if (dropped.test(whole))
      continue;
    if (llvm::is_contained(dims, isPart ? part : whole))
      result.push_back(isPart ? whole : part);
    ++part;
  }
  return result;
}

/// The dims of keys of what `op`, a reader of `from`, computes; it is put in
/// `pools` where it sums along keys.
static SmallVector<int64_t> follow(linalg::LinalgOp op, const KeyDims &from,
                                   bool &isWeighed, SmallVector<Pool> &pools) {
  // Of the loops those over keys, and those that weights have no dim of.
  llvm::SmallBitVector loops(op.getNumLoops()), others(op.getNumLoops(), true);
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (input->get() != from.tensor)
      continue;
    AffineMap map = op.getMatchingIndexingMap(input);
    for (auto [dim, expr] : llvm::enumerate(map.getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
        others.reset(loop.getPosition());
        if (llvm::is_contained(from.dims, int64_t(dim)))
          loops.set(loop.getPosition());
      }
  }
  auto kinds = op.getIteratorTypesArray();
  bool sums = llvm::any_of(loops.set_bits(), [&](unsigned loop) {
    return kinds[loop] == utils::IteratorType::reduction;
  });
  // Values have features; without them it is a mask that multiplies weights.
  llvm::SmallBitVector ofValues(op.getNumLoops());
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto isRead = [&](unsigned loop) { return map.isFunctionOfDim(loop); };
    if (input->get() == from.tensor || llvm::none_of(loops.set_bits(), isRead))
      continue;
    isWeighed |= sums || llvm::any_of(others.set_bits(), isRead);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (isRead(loop))
        ofValues.set(loop);
  }
  if (sums && isWeighed) {
    SmallVector<int64_t> sizes = op.getStaticLoopRanges();
    bool hasQueries = false;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      hasQueries |= ofValues.any() && sizes[loop] != 1 && !others.test(loop) &&
                    !ofValues.test(loop);
    pools.push_back({op, hasQueries});
  }
  SmallVector<int64_t> dims;
  AffineMap own = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  for (auto [dim, expr] : llvm::enumerate(own.getResults()))
    if (auto loop = dyn_cast<AffineDimExpr>(expr))
      if (!sums && loops.test(loop.getPosition()))
        dims.push_back(dim);
  return dims;
}

SmallVector<Pool> mixattn::findPools(Value weights, unsigned axis) {
  SmallVector<Pool> pools;
  llvm::SetVector<Operation *> seen;
  SmallVector<KeyDims> left = {{weights, {int64_t(axis)}, false}};
  // More ops than mixers take.
  constexpr size_t most = 64;
  for (size_t next = 0; next < left.size() && next < most; ++next) {
    KeyDims from = left[next];
    for (Operation *user : from.tensor.getUsers()) {
      if (user->getNumResults() != 1 ||
          !isa<RankedTensorType>(user->getResult(0).getType()) ||
          !seen.insert(user))
        continue;
      KeyDims to{user->getResult(0), {}, from.isWeighed};
      if (auto loops = dyn_cast<linalg::LinalgOp>(user))
        to.dims = follow(loops, from, to.isWeighed, pools);
      else if (isa<tensor::CastOp, tensor::PadOp, tensor::ConcatOp>(user))
        to.dims = from.dims;
      else if (auto expand = dyn_cast<tensor::ExpandShapeOp>(user))
        to.dims = reshaped(expand.getReassociationIndices(), false, from.dims);
      else if (auto joined = dyn_cast<tensor::CollapseShapeOp>(user))
        to.dims = reshaped(joined.getReassociationIndices(), true, from.dims);
      else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        to.dims = sliced(slice.getDroppedDims(), false, from.dims);
      else if (auto insert = dyn_cast<tensor::InsertSliceOp>(user))
        to.dims = insert.getSource() == from.tensor
                      ? sliced(insert.getDroppedDims(), true, from.dims)
                      : from.dims;
      // One number is none of several keys.
      auto type = cast<RankedTensorType>(to.tensor.getType());
      llvm::erase_if(to.dims,
                     [&](int64_t dim) { return type.getDimSize(dim) == 1; });
      if (!to.dims.empty())
        left.push_back(to);
    }
  }
  return pools;
}

/// The elements of `ref` that depend on `key`.
static void collectOfKeys(const Expressions &make, Ref ref, ArrayRef<Atom> key,
                          SmallVectorImpl<Ref> &elements) {
  if (ref->is(Expression::Kind::Element) &&
      meet(make.freeAtoms(ref), make.atoms.flat(key)))
    elements.push_back(ref);
  for (Ref operand : ref->operands)
    collectOfKeys(make, operand, key, elements);
}

/// Whether keys are units of a layer: what products that make the scores have
/// of keys has no dim of rows.
static bool areKeysUnits(const FoundSoftmax &softmax) {
  Value from = softmax.scores ? softmax.scores : softmax.weights;
  Expressions make(from.getContext());
  SmallVector<Place> places;
  Place rows, key;
  for (int64_t dim = 0; dim < cast<RankedTensorType>(from.getType()).getRank();
       ++dim) {
    places.push_back(make.atoms.makePlace(Size::of(from, dim)));
    llvm::append_range(dim == softmax.axis ? key : rows, places.back());
  }
  ElementReader reader(
      make, [](Value value, ArrayRef<Place>) { return sumsSeveral(value); });
  SmallVector<Ref> products;
  collectOfKeys(make, reader.read(from, places), key, products);
  bool isFound = false;
  for (Ref product : products) {
    if (!sumsSeveral(product->tensor))
      continue;
    ElementReader inside(make, [&](Value value, ArrayRef<Place>) {
      return value != product->tensor;
    });
    SmallVector<Ref> factors;
    collectOfKeys(make, inside.read(product->tensor, product->places), key,
                  factors);
    isFound = true;
    for (Ref factor : factors)
      if (meet(make.freeAtoms(factor), make.atoms.flat(rows)))
        return false;
  }
  return isFound && !rows.empty();
}

bool mixattn::isBetweenProducts(const FoundSoftmax &softmax) {
  SmallVector<Pool> pools = findPools(softmax.weights, softmax.axis);
  if (pools.empty() || !isOfProduct(softmax.weights))
    return false;
  return llvm::any_of(pools,
                      [](const Pool &pool) { return pool.hasQueries; }) ||
         !areKeysUnits(softmax);
}
