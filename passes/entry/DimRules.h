// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of an entry on the sizes of its named dims: `attn.sizes`.

#ifndef MIXATTN_PASSES_ENTRY_DIM_RULES_H
#define MIXATTN_PASSES_ENTRY_DIM_RULES_H

#include "passes/entry/SizePolynomial.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

namespace mixattn {

/// How the size of a dim that no argument has is told: dim `by` of an argument
/// is `factor` times as large, and `offset` more. Both are below 2^31.
struct ToldDim {
  std::string by;
  int64_t factor, offset;
};

/// A rule on the size of one dim.
struct DimRule {
  int64_t least = 0;
  /// None where the size has no upper end.
  std::optional<int64_t> most = std::nullopt;
  /// The polynomial that it is, in dims without such a rule; or none.
  std::optional<SizePolynomial> definition = std::nullopt;
  /// Where no argument has the dim and the definition of one that has tells it.
  std::optional<ToldDim> told = std::nullopt;
};

/// Rules by the names of dims; a dim without one may have any size.
using DimRules = std::map<std::string, DimRule>;

/// The rules that `function` has, with one for each dim that is told. A
/// definition that does not parse is unknown.
DimRules getDimRules(mlir::func::FuncOp function);

/// Says that dim `name` is as large as `definition`.
void defineDim(mlir::func::FuncOp function, llvm::StringRef name,
               const SizePolynomial &definition);

/// Gives `function` these rules in place of those of the same dims.
void setDimRules(mlir::func::FuncOp function, const DimRules &rules);

/// Reports rules of `entry` that are on no dim of its arguments, and
/// definitions that are no polynomials, or of dims which are no arguments' or
/// are computed themselves.
llvm::LogicalResult verifyDimRules(mlir::func::FuncOp entry,
                                   const llvm::StringSet<> &ofArguments);

/// `size` with defined dims replaced by what they are computed from.
SizePolynomial expand(const SizePolynomial &size, const DimRules &rules);

} // namespace mixattn

#endif // MIXATTN_PASSES_ENTRY_DIM_RULES_H
