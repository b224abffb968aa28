// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operands of the oracle as arrays of doubles.
#ifndef MIXATTN_LIB_REFERENCE_ARRAY_H
#define MIXATTN_LIB_REFERENCE_ARRAY_H

#include "lib/Runtime/Tensor.h"
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace mixattn {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The arguments of an entry by name.
using Arguments = std::map<std::string, const Tensor *>;

/// A tensor of numbers in row-major order, its indices taken one by one.
struct Array {
  Shape shape;
  std::vector<double> values;

  /// Reads the argument of that name, nothing where there is no name. Error:
  /// there is no such argument.
  Status read(const std::string &name, const Arguments &arguments);

  bool isPresent() const { return !values.empty(); }
  size_t rank() const { return shape.size(); }

  template <typename... Index> double operator()(Index... index) const {
    size_t dim = 0, position = 0;
    ((position = position * shape[dim++] + index), ...);
    return values[position];
  }

  /// The element at [b,h,i,j], broadcast from the right: a dim of size 1 or an
  /// absent one repeats.
  double broadcast(int64_t b, int64_t h, int64_t i, int64_t j) const {
    const int64_t index[] = {b, h, i, j};
    size_t position = 0, absent = 4 - rank();
    for (size_t dim = 0; dim < rank(); ++dim)
      position =
          position * shape[dim] + (shape[dim] == 1 ? 0 : index[absent + dim]);
    return values[position];
  }
};

/// An operand of the attention op: its argument's name, empty where it is
/// absent, and what was read.
struct Operand {
  const std::string &name;
  Array &array;
};

/// Reads all of them.
Status readAll(const std::vector<Operand> &operands,
               const Arguments &arguments);

/// An error where the operand is there and its shape is another.
Status expectShape(const Operand &operand, const Shape &shape);

/// Multiplies the last dim but one of `array` by a matrix [C, S], where there
/// is one: C rows remain of S.
Status project(const Operand &matrix, Array &array);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_ARRAY_H
