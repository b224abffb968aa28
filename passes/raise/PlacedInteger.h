// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Integers that are linear in indices and sizes.

#ifndef MIXATTN_PASSES_RAISE_PLACED_INTEGER_H
#define MIXATTN_PASSES_RAISE_PLACED_INTEGER_H

#include "passes/raise/Atoms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/SmallBitVector.h"

namespace mixattn {

/// An integer: `sum of factors[v] * variable v + constant`, and where
/// `hasOthers` is set what changes with the variables `others` alone. It is
/// meant as its type holds it, where sums may go round.
struct PlacedInteger {
  /// Variables that are missing have the factor 0.
  llvm::SmallVector<int64_t> factors;
  int64_t constant = 0;
  bool hasOthers = false;
  llvm::SmallBitVector others;
  /// The argument of the entry whose element is all that is added, or null.
  mlir::BlockArgument argument = {};

  int64_t factor(unsigned variable) const {
    return variable < factors.size() ? factors[variable] : 0;
  }
  bool dependsOn(unsigned variable) const {
    return factor(variable) != 0 ||
           (variable < others.size() && others.test(variable));
  }
  bool isNumber() const {
    return !hasOthers &&
           llvm::all_of(factors, [](int64_t each) { return each == 0; });
  }
  bool isNumber(int64_t value) const { return isNumber() && constant == value; }
  /// Whether each integer along `dim` is the one before it and 1.
  bool countsAlong(unsigned dim) const {
    return factor(dim) == 1 && (dim >= others.size() || !others.test(dim));
  }
  /// Whether it is the index along `dim`.
  bool isIndex(unsigned dim) const;
  /// Whether both are known, and the same at all values of the variables.
  bool isSame(const PlacedInteger &other) const;
};

/// Makes integers, and has their variables: indices, each at least 0 and less
/// than an extent, and sizes.
class PlacedIntegers {
public:
  PlacedInteger number(int64_t constant) const;
  /// A new index, and which variable it is.
  unsigned addIndex(const PlacedInteger &extent);
  void setExtent(unsigned index, const PlacedInteger &extent) {
    variables[index].extent = extent;
  }
  PlacedInteger variable(unsigned number) const;
  const PlacedInteger &extentOf(unsigned index) const {
    return variables[index].extent;
  }
  /// A size, followed through sums and products to sizes of dims.
  PlacedInteger size(const Size &of);

  /// An integer that may change with all variables that `parts` change with.
  PlacedInteger unknown(llvm::ArrayRef<PlacedInteger> parts) const;
  /// a + sign b.
  PlacedInteger sum(const PlacedInteger &a, const PlacedInteger &b,
                    int64_t sign = 1) const;
  PlacedInteger product(const PlacedInteger &a, const PlacedInteger &b) const;
  /// `of` with `by` in place of a variable.
  PlacedInteger replace(const PlacedInteger &of, unsigned variable,
                        const PlacedInteger &by) const;

  /// Whether it is known to be at least 0 at all indices and sizes.
  bool isAtLeastZero(const PlacedInteger &integer) const;
  /// Whether a signed type of `width` bits is known to hold it, so that nothing
  /// went round.
  bool fits(const PlacedInteger &integer, unsigned width) const;
  /// The result of a comparison in a type of `width` bits, if it is the same at
  /// all places; or none.
  std::optional<bool> compare(mlir::arith::CmpIPredicate predicate,
                              const PlacedInteger &a, const PlacedInteger &b,
                              unsigned width) const;

  /// Writes an integer as a value of type index, where `indices` has a value
  /// for each variable that is an index. Sizes are written by `outside`.
  mlir::Value emit(mlir::OpBuilder &b, mlir::OpBuilder &outside,
                   mlir::Location loc, const PlacedInteger &integer,
                   mlir::ValueRange indices) const;

private:
  struct Variable {
    bool isIndex;
    PlacedInteger extent;
    Size size;
  };
  /// The most that a variable can be, or none.
  std::optional<int64_t> mostOf(const Variable &variable) const;

  llvm::SmallVector<Variable> variables;
};

} // namespace mixattn

#endif // MIXATTN_PASSES_RAISE_PLACED_INTEGER_H
