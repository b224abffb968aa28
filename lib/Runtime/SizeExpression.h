// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A number of bytes as an expression of dims.
#ifndef MIXATTN_LIB_RUNTIME_SIZEEXPRESSION_H
#define MIXATTN_LIB_RUNTIME_SIZEEXPRESSION_H

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace mixattn {

/// Sizes of dynamic dims by name.
using DimSizes = std::map<std::string, int64_t>;

/// An expression of integers no less than 0, as manifests have it.
struct SizeExpression {
  enum class Kind {
    Number,
    Dim,
    /// How many threads OpenMP has, and how many multiprocessors the GPU.
    Threads,
    Multiprocessors,
    Add,
    Subtract,
    Multiply,
    /// The quotient without its rest, and the rest.
    Divide,
    Remainder,
    Minimum,
    Maximum,
    /// Whether one is above the other, or at most that: 1 or 0.
    Above,
    AtMost
  };
  Kind kind = Kind::Number;
  int64_t number = 0;
  std::string dim;
  /// Two or more of Add, Multiply, Minimum and Maximum; two of the others.
  std::vector<SizeExpression> operands;

  /// Its value; none where a step of it is below 0, divides by 0 or is no
  /// int64_t, or asks for multiprocessors. All dims are in `sizes`.
  std::optional<int64_t> in(const DimSizes &sizes, int64_t threads) const;
  /// Whether `sizes` has all its dims.
  bool hasDimsOf(const DimSizes &sizes) const;
  /// The expression as people write it.
  std::string toString() const;

  /// The kind of that name in manifests, such as `add`; none of operands.
  static std::optional<Kind> operationNamed(const std::string &name);
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_SIZEEXPRESSION_H
