// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds which dimensions of a function's tensors must have equal sizes.

#include "passes/normalize/DimNames.h"

#include "dialect/attn/AttnOps.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  function.walk([&](Operation *op) { tieOp(op); });

  auto record = [&](Value value, ArrayAttr names) {
    forEachNamedDim(value, names, [&](unsigned dim, StringAttr name) {
      setName(value, dim, name);
    });
  };
  for (auto [index, argument] : llvm::enumerate(function.getArguments()))
    record(argument, function.getArgAttrOfType<ArrayAttr>(index, "attn.dims"));
  function.walk([&](func::ReturnOp op) {
    for (auto [index, value] : llvm::enumerate(op.getOperands()))
      record(value, function.getResultAttrOfType<ArrayAttr>(index, "attn.dims"));
  });
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

/// Ties all dims of two tensors of one rank.
void DimNames::tieTypes(Value a, Value b) {
  auto aType = dyn_cast<RankedTensorType>(a.getType());
  auto bType = dyn_cast<RankedTensorType>(b.getType());
  if (!aType || !bType || aType.getRank() != bType.getRank())
    return;
  for (unsigned dim = 0; dim < aType.getRank(); ++dim)
    tie(a, dim, b, dim);
}

void DimNames::tieOp(Operation *op) {
  if (auto attention = dyn_cast<AttentionOpInterface>(op)) {
    Value query = attention.getQuery(), key = attention.getKey(),
          value = attention.getValue(), result = op->getResult(0);
    tie(query, 0, key, 0);
    tie(query, 0, value, 0);
    tie(query, 0, result, 0);
    tie(query, 2, result, 2);
    tie(key, 2, value, 2);
    if (Value lengths = attention.getLengths())
      tie(query, 0, lengths, 0);
    for (Value square : {attention.getMixer(), attention.getMixBias()})
      for (unsigned dim = 0; square && dim < 2; ++dim)
        tie(query, 1, square, dim);
    if (Value source = attention.getMixSource()) {
      tie(query, 0, source, 0);
      tie(query, 1, source, 1);
      tie(query, 2, source, 2);
      tie(source, 3, attention.getMixWeight(), 0);
      tie(query, 1, attention.getMixWeight(), 1);
    }
    for (Value wide : {attention.getBias(), attention.getMask()}) {
      if (!wide)
        continue;
      auto type = cast<RankedTensorType>(wide.getType());
      for (unsigned dim = 0; dim < type.getRank(); ++dim) {
        unsigned scoreDim = dim + 4 - type.getRank();
        // A static 1 repeats.
        if (type.getDimSize(dim) == 1)
          continue;
        bool isKey = scoreDim == 3;
        tie(isKey ? key : query, isKey ? 2 : scoreDim, wide, dim);
      }
    }
    return;
  }
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
  if (isa<tensor::CastOp>(op) || op->hasTrait<OpTrait::Elementwise>()) {
    for (Value operand : op->getOperands())
      for (Value result : op->getResults())
        tieTypes(operand, result);
    return;
  }
  if (auto empty = dyn_cast<tensor::EmptyOp>(op)) {
    unsigned next = 0;
    for (unsigned dim = 0; dim < empty.getType().getRank(); ++dim) {
      if (!empty.getType().isDynamicDim(dim))
        continue;
      auto size = empty.getDynamicSizes()[next++].getDefiningOp<tensor::DimOp>();
      if (size && size.getConstantIndex() &&
          isa<RankedTensorType>(size.getSource().getType()))
        tie(empty, dim, size.getSource(), *size.getConstantIndex());
    }
  }
}
