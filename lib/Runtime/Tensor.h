// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense row-major tensor.
#ifndef MIXATTN_LIB_RUNTIME_TENSOR_H
#define MIXATTN_LIB_RUNTIME_TENSOR_H

#include "lib/Runtime/Buffer.h"
#include "lib/Runtime/DType.h"
#include <vector>

namespace mixattn {

/// Sizes of the dims, outermost first; none is negative.
using Shape = std::vector<int64_t>;

/// The shape as people write it: `[2, 8, 5, 64]`.
std::string toString(const Shape &shape);
/// Bytes of a dense tensor; an error where the product overflows 63 bits.
Result<size_t> byteCount(DType dtype, const Shape &shape);

/// Elements in row-major order. Movable only.
class Tensor {
public:
  Tensor() = default;
  /// A tensor with undefined elements.
  static Result<Tensor> allocate(DType dtype, Shape shape);

  /// A copy of elements in a file, `bytes` being exactly theirs. A boolean
  /// that is neither 0 nor 1 is an error.
  static Result<Tensor> fromBytes(DType dtype, Shape shape,
                                  std::string_view bytes);

  /// The same without a copy: `bytes` outlive the tensor, which is only read.
  static Result<Tensor> borrow(DType dtype, Shape shape,
                               std::string_view bytes);

  DType dtype() const { return type; }
  const Shape &shape() const { return sizes; }
  /// The product of the dims: 1 for rank 0.
  int64_t elements() const { return count; }
  size_t bytes() const { return buffer.size(); }
  char *data() { return buffer.data(); }
  const char *data() const { return buffer.data(); }

  /// Element `index` in row-major order, exactly; an i64 beyond 2^53 is
  /// rounded.
  double number(int64_t index) const;
  /// Element `index` of a tensor of integers.
  int64_t integer(int64_t index) const;
  /// Sets element `index` to the nearest value of the dtype, ties to even.
  void setNumber(int64_t index, double value);
  /// Sets element `index` of a tensor of integers.
  void setInteger(int64_t index, int64_t value);

private:
  Tensor(DType dtype, Shape shape, Buffer buffer);

  DType type = DType::F32;
  Shape sizes;
  int64_t count = 0;
  Buffer buffer;
};

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_TENSOR_H
