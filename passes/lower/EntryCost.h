// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a call of an entry costs, as polynomials in the sizes of its dims.

#ifndef MIXATTN_PASSES_LOWER_ENTRY_COST_H
#define MIXATTN_PASSES_LOWER_ENTRY_COST_H

#include "passes/normalize/DimNames.h"

#include "llvm/Support/JSON.h"

#include <map>

namespace mixattn {

/// A polynomial in named dims: the coefficient of each product of dims. It is
/// unknown once a dim has no name or a coefficient no 64 bits.
class Polynomial {
public:
  /// Adds `coefficient` times the sizes of `dims`.
  void add(const DimNames &names, int64_t coefficient,
           llvm::ArrayRef<std::pair<mlir::Value, unsigned>> dims);

  llvm::json::Value toJson() const;

private:
  bool known = true;
  std::map<std::vector<std::string>, int64_t> terms;
};

/// Bytes of the arguments and results of `entry`, once each.
Polynomial countBytes(mlir::func::FuncOp entry, const DimNames &names);

/// Multiplications and additions of the two products of each attention in
/// `entry`: every component's product counts.
Polynomial countFlops(mlir::func::FuncOp entry, const DimNames &names);

} // namespace mixattn

#endif // MIXATTN_PASSES_LOWER_ENTRY_COST_H
