// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One query that has no dim of its own.

#include "passes/raise/SingleQuery.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mixattn;

using Kind = Expression::Kind;
using Ref = Expressions::Ref;

/// Whether `op` multiplies two tensors.
static bool multiplies(linalg::LinalgOp op) {
  return op && op.getNumDpsInputs() == 2 &&
         op.getDpsInputs()[0] != op.getDpsInputs()[1] &&
         !op.getBlock()->getOps<arith::MulFOp>().empty();
}

/// Whether a sum over a loop of `op` comes with it or is all that follows.
static bool isSummed(linalg::LinalgOp op) {
  if (op.getNumReductionLoops() != 0)
    return true;
  Value result = op->getResult(0);
  auto user = result.hasOneUse()
                  ? dyn_cast<linalg::LinalgOp>(*result.getUsers().begin())
                  : linalg::LinalgOp();
  return user && user.getNumReductionLoops() != 0;
}

/// Whether both factors of `op` have a dim of its result: rows of a batch or
/// heads, which neither weights of a layer nor mixers share with what they
/// multiply.
static bool hasRows(linalg::LinalgOp op) {
  AffineMap first = op.getMatchingIndexingMap(op.getDpsInputOperand(0)),
            second = op.getMatchingIndexingMap(op.getDpsInputOperand(1)),
            own = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
    if (sizes[loop] != 1 && own.isFunctionOfDim(loop) &&
        first.isFunctionOfDim(loop) && second.isFunctionOfDim(loop))
      return true;
  return false;
}

SetVector<Operation *> mixattn::findOpsOfQuery(Value scores) {
  SetVector<Value> seen;
  seen.insert(scores);
  SmallVector<Operation *> products;
  Operation *nearest = nullptr;
  // More ops than stand between products and a softmax.
  constexpr size_t most = 256;
  for (size_t next = 0; next < seen.size() && next < most; ++next) {
    Operation *op = seen[next].getDefiningOp();
    if (!op)
      continue;
    auto loops = dyn_cast<linalg::LinalgOp>(op);
    if (loops && multiplies(loops) && isSummed(loops)) {
      nearest = nearest ? nearest : op;
      if (hasRows(loops)) {
        products.push_back(op);
        continue;
      }
    }
    seen.insert(op->operand_begin(), op->operand_end());
  }
  if (products.empty() && nearest)
    products.push_back(nearest);
  SetVector<Operation *> all;
  for (Operation *op : products) {
    SetVector<Operation *> after;
    getForwardSlice(op, &after);
    all.insert(op);
    all.insert(after.begin(), after.end());
  }
  return all;
}

/// `ref` with `query` before the first of the atoms `features` of its elements.
static Ref withQuery(Expressions &make, Ref ref, ArrayRef<Atom> query,
                     ArrayRef<Atom> features) {
  if (!ref->is(Kind::Element)) {
    SmallVector<Ref> operands;
    for (Ref each : ref->operands)
      operands.push_back(withQuery(make, each, query, features));
    return make.rebuild(ref, operands);
  }
  SmallVector<Place> places;
  bool isPlaced = false;
  for (const Place &place : ref->places) {
    Place &made = places.emplace_back();
    for (Atom atom : make.atoms.flat(place)) {
      if (!isPlaced && llvm::is_contained(features, atom)) {
        llvm::append_range(made, query);
        isPlaced = true;
      }
      made.push_back(atom);
    }
  }
  return make.element(ref->tensor, places);
}

/// The same as placeQuery, below sums over `bound`.
static Ref placeBelow(Expressions &make, Ref ref, ArrayRef<Atom> query,
                      ArrayRef<Atom> key, ArrayRef<Atom> bound) {
  Place inner =
      ref->is(Kind::Total) ? make.atoms.flat(ref->bound) : Place(bound);
  bool isSum = ref->is(Kind::Total) || ref->is(Kind::Product);
  SmallVector<Ref> operands;
  for (Ref each : ref->operands)
    operands.push_back(
        placeBelow(make, each, query, key, isSum ? inner : Place()));
  ref = make.rebuild(ref, operands);
  // Mixers of heads are further out than the product.
  if (!ref->is(Kind::Product) || meet(make.freeAtoms(ref), query))
    return ref;
  Place features;
  for (Ref factor : ref->operands)
    if (Place own = make.freeAtoms(factor); meet(own, key))
      llvm::append_range(features, select(own, bound));
  if (features.empty())
    return ref;
  operands.assign(ref->operands.begin(), ref->operands.end());
  for (Ref &factor : operands)
    if (Place own = make.freeAtoms(factor);
        !meet(own, key) && isWithin(features, own))
      factor = withQuery(make, factor, query, features);
  return make.rebuild(ref, operands);
}

Ref mixattn::placeQuery(Expressions &make, Ref ref, ArrayRef<Atom> query,
                        ArrayRef<Atom> key) {
  return placeBelow(make, ref, query, make.atoms.flat(key), {});
}
