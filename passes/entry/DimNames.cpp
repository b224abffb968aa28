// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds which dimensions of a function's tensors must have equal sizes.

#include "passes/entry/DimNames.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mixattn;

/// Calls `action` for each dynamic dim of `value` with its name in `names`.
static void
forEachNamedDim(Value value, ArrayAttr names,
                function_ref<void(unsigned dim, StringAttr name)> action) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !names)
    return;
  unsigned next = 0;
  for (unsigned dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      action(dim, cast<StringAttr>(names[next++]));
}

DimNames::DimNames(func::FuncOp function) {
  // Take for granted that loops and branches keep sizes, and start anew
  // without those that turn out not to.
  llvm::DenseSet<Operation *> opaque;
  for (bool changed = true; changed;) {
    changed = false;
    classes = {};
    sizeOf.clear();
    tieAll(function, opaque);
    function.walk([&](Operation *op) {
      if (isa<scf::ForOp, scf::IfOp>(op) && !opaque.contains(op) &&
          !carriesSameSizes(op)) {
        opaque.insert(op);
        changed = true;
      }
    });
  }
  for (BlockArgument argument : function.getArguments()) {
    auto names = function.getArgAttrOfType<ArrayAttr>(argument.getArgNumber(),
                                                      "attn.dims");
    forEachNamedDim(argument, names, [&](unsigned dim, StringAttr name) {
      setName(argument, dim, name);
    });
  }
}

void DimNames::tieAll(func::FuncOp function,
                      const llvm::DenseSet<Operation *> &opaque) {
  function.walk([&](Operation *op) {
    if (!isa<scf::ForOp, scf::IfOp>(op))
      tieOp(op);
    else if (!opaque.contains(op))
      tieCarried(op);
  });
}

void DimNames::tieCarried(Operation *op) {
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    for (auto [init, carried, result] : llvm::zip_equal(
             loop.getInitArgs(), loop.getRegionIterArgs(), loop.getResults())) {
      tieTypes(init, carried);
      tieTypes(init, result);
    }
    return;
  }
  auto branch = cast<scf::IfOp>(op);
  if (branch.getNumResults() != 0)
    for (auto [yielded, result] :
         llvm::zip_equal(branch.thenYield().getOperands(), op->getResults()))
      tieTypes(yielded, result);
}

bool DimNames::carriesSameSizes(Operation *op) const {
  ValueRange yielded;
  if (auto loop = dyn_cast<scf::ForOp>(op))
    yielded = loop.getBody()->getTerminator()->getOperands();
  else if (op->getNumResults() != 0)
    yielded = cast<scf::IfOp>(op).elseYield().getOperands();
  for (auto [value, result] : llvm::zip_equal(yielded, op->getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (unsigned dim = 0; type && dim < type.getRank(); ++dim)
      if (type.isDynamicDim(dim) && leader(value, dim) != leader(result, dim))
        return false;
  }
  return true;
}

DimNames::Dim DimNames::leader(Value value, unsigned dim) const {
  Dim key(value.getAsOpaquePointer(), dim);
  auto member = classes.findLeader(key);
  return member == classes.member_end() ? key : *member;
}

void DimNames::setName(Value value, unsigned dim, StringAttr name) {
  SmallVector<StringAttr> &names = namesOf[leader(value, dim)];
  if (!llvm::is_contained(names, name))
    names.push_back(name);
}

ArrayRef<StringAttr> DimNames::names(Value value, unsigned dim) const {
  auto found = namesOf.find(leader(value, dim));
  return found == namesOf.end() ? ArrayRef<StringAttr>()
                                : ArrayRef<StringAttr>(found->second);
}

StringAttr DimNames::name(Value value, unsigned dim) const {
  ArrayRef<StringAttr> all = names(value, dim);
  return all.empty() ? StringAttr() : all.front();
}

std::optional<int64_t> DimNames::size(Value value, unsigned dim) const {
  auto type = cast<RankedTensorType>(value.getType());
  if (!type.isDynamicDim(dim))
    return type.getDimSize(dim);
  auto found = sizeOf.find(leader(value, dim));
  return found == sizeOf.end() ? std::nullopt : std::optional(found->second);
}

void DimNames::tie(Value a, unsigned aDim, Value b, unsigned bDim) {
  std::optional<int64_t> known = size(a, aDim);
  if (!known)
    known = size(b, bDim);
  Dim joined = *classes.unionSets(Dim(a.getAsOpaquePointer(), aDim),
                                  Dim(b.getAsOpaquePointer(), bDim));
  if (known)
    sizeOf[joined] = *known;
}

void DimNames::fixSize(Value value, unsigned dim, int64_t size) {
  if (!ShapedType::isDynamic(size))
    sizeOf[leader(value, dim)] = size;
}

/// Ties all dims of two tensors of one rank.
void DimNames::tieTypes(Value a, Value b) {
  auto aType = dyn_cast<RankedTensorType>(a.getType());
  auto bType = dyn_cast<RankedTensorType>(b.getType());
  if (!aType || !bType || aType.getRank() != bType.getRank())
    return;
  for (unsigned dim = 0; dim < aType.getRank(); ++dim)
    tie(a, dim, b, dim);
}

/// Ties what the constraints of an op that scores queries against keys need
/// equal, and sets the sizes of heads and components.
void DimNames::tieScores(ScoreOpInterface op) {
  for (auto [first, second] : getEqualDims(op))
    tie(first.value, first.dim, second.value, second.dim);
  if (auto attention = dyn_cast<AttentionOpInterface>(op.getOperation()))
    for (Value each : op->getResults())
      fixSize(each, 1, attention.getNumHeads());
  if (!op.getQuery())
    return;
  if (op.hasComponents())
    for (auto [value, dim, rank] :
         {std::tuple(op.getKey(), 2u, 5), std::tuple(op.getShifts(), 1u, 3),
          std::tuple(op.getQueryTerm(), 2u, 4),
          std::tuple(op.getKeyTerm(), 2u, 4)})
      if (value && cast<RankedTensorType>(value.getType()).getRank() == rank)
        fixSize(value, dim, op.getNumComponents());
  if (Value prior = op.getPrior())
    fixSize(prior, 1, op.getNumComponents());
}

/// Ties sizes of an op's result and operands as the op says.
void DimNames::tieSized(SizedOpInterface op) {
  for (auto [dim, of] : llvm::enumerate(op.getResultDims()))
    tie(of.value, of.dim, op->getResult(0), dim);
  for (auto [first, second] : op.getEqualDims())
    tie(first.value, first.dim, second.value, second.dim);
}

/// Ties each dim of `made` whose size is that of another tensor's dim.
void DimNames::tieSizes(Value made, ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, size] : llvm::enumerate(sizes)) {
    auto value = dyn_cast<Value>(size);
    auto of = value ? value.getDefiningOp<tensor::DimOp>() : tensor::DimOp();
    if (of && of.getConstantIndex() &&
        isa<RankedTensorType>(of.getSource().getType()))
      tie(made, dim, of.getSource(), *of.getConstantIndex());
  }
}

/// Ties the dims that `op` cuts a part of, puts tensors side by side in, or
/// adds nothing to. Gives whether it is such an op.
bool DimNames::tieParts(Operation *op) {
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    SmallVector<OpFoldResult> sizes;
    for (auto [dim, size] : llvm::enumerate(slice.getMixedSizes()))
      if (!dropped.test(dim))
        sizes.push_back(size);
    tieSizes(slice.getResult(), sizes);
    return true;
  }
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    tieTypes(insert.getDest(), insert.getResult());
    return true;
  }
  if (auto concat = dyn_cast<tensor::ConcatOp>(op)) {
    for (Value input : concat.getInputs())
      for (int64_t dim = 0; dim < concat.getRank(); ++dim)
        if (dim != int64_t(concat.getDim()))
          tie(concat.getResult(), dim, input, dim);
    return true;
  }
  if (auto pad = dyn_cast<tensor::PadOp>(op)) {
    for (auto [dim, low, high] :
         llvm::enumerate(pad.getMixedLowPad(), pad.getMixedHighPad()))
      if (isZeroInteger(low) && isZeroInteger(high))
        tie(pad.getResult(), dim, pad.getSource(), dim);
    return true;
  }
  return false;
}

void DimNames::tieOp(Operation *op) {
  if (tieParts(op))
    return;
  if (auto scored = dyn_cast<ScoreOpInterface>(op))
    tieScores(scored);
  if (isa<AttentionOpInterface>(op))
    return;
  if (auto sized = dyn_cast<SizedOpInterface>(op))
    return tieSized(sized);
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    DenseMap<unsigned, std::pair<Value, unsigned>> loops;
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RankedTensorType>(operand.get().getType()))
        continue;
      AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
      for (auto [dim, expr] : llvm::enumerate(map.getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expr)) {
          auto [seen, isNew] =
              loops.try_emplace(loop.getPosition(), operand.get(), dim);
          if (!isNew)
            tie(seen->second.first, seen->second.second, operand.get(), dim);
        }
    }
  }
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(op)) {
    for (OpResult result : op->getResults())
      tieTypes(destination.getTiedOpOperand(result)->get(), result);
    return;
  }
  // Dims that neither split nor merge, but with ones, pass through a reshape.
  auto tieReshape = [&](Value wide, Value narrow,
                        ArrayRef<ReassociationIndices> groups) {
    auto type = cast<RankedTensorType>(wide.getType());
    for (auto [dim, group] : llvm::enumerate(groups)) {
      auto isProper = [&](int64_t each) { return type.getDimSize(each) != 1; };
      auto *proper = llvm::find_if(group, isProper);
      if (llvm::count_if(group, isProper) == 1)
        tie(narrow, dim, wide, *proper);
    }
  };
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    tieSizes(expand.getResult(), expand.getMixedOutputShape());
    return tieReshape(expand.getResult(), expand.getSrc(),
                      expand.getReassociationIndices());
  }
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return tieReshape(collapse.getSrc(), collapse.getResult(),
                      collapse.getReassociationIndices());
  if (isa<tensor::CastOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        tieTypes(operand, result);
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    tieSizes(empty, empty.getMixedSizes());
}
