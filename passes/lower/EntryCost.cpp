// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts what a call of an entry costs.

#include "passes/lower/EntryCost.h"

#include "dialect/attn/AttnOps.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

void Polynomial::add(const DimNames &names, int64_t coefficient,
                     ArrayRef<std::pair<Value, unsigned>> dims) {
  std::vector<std::string> product;
  for (auto [value, dim] : dims) {
    if (std::optional<int64_t> size = names.size(value, dim))
      known &= !llvm::MulOverflow(coefficient, *size, coefficient);
    else if (StringAttr name = names.name(value, dim))
      product.push_back(name.str());
    else
      known = false;
  }
  llvm::sort(product);
  int64_t &term = terms[product];
  known &= !llvm::AddOverflow(term, coefficient, term);
}

llvm::json::Value Polynomial::toJson() const {
  if (!known)
    return nullptr;
  Array result;
  for (const auto &[dims, coefficient] : terms)
    result.push_back(
        Object{{"coefficient", coefficient}, {"dims", Array(dims)}});
  return result;
}

Polynomial mixattn::countBytes(func::FuncOp entry, const DimNames &names) {
  Polynomial bytes;
  auto add = [&](Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<std::pair<Value, unsigned>> dims;
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      dims.push_back({value, dim});
    bytes.add(names, (type.getElementTypeBitWidth() + 7) / 8, dims);
  };
  for (Value argument : entry.getArguments())
    add(argument);
  for (Value value : entry.getBody().front().getTerminator()->getOperands())
    add(value);
  return bytes;
}

Polynomial mixattn::countFlops(func::FuncOp entry, const DimNames &names) {
  Polynomial flops;
  entry.walk([&](AttentionOpInterface op) {
    OperandDim batch = op.getBatchDim(), queries = op.getQueriesDim(),
               keys = op.getKeysDim();
    auto add = [&](int64_t coefficient, OperandDim heads, OperandDim features) {
      flops.add(names, coefficient,
                {{batch.value, batch.dim},
                 {heads.value, heads.dim},
                 {queries.value, queries.dim},
                 {keys.value, keys.dim},
                 {features.value, features.dim}});
    };
    if (Value query = op.getQuery())
      add(2 * op.getNumComponents(), {query, 1}, {query, 3});
    add(2, {op.getResult(), 1}, {op.getValue(), 3});
  });
  return flops;
}
