// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Helpers that the unit tests of the runtime share.
#ifndef MIXATTN_TEST_UNIT_RUNTIME_UTILITIES_H
#define MIXATTN_TEST_UNIT_RUNTIME_UTILITIES_H

#include "lib/Runtime/Tensor.h"
#include <cstring>
#include <gtest/gtest.h>

namespace mixattn {

/// The error's sentence, or a note that there was none.
template <typename T> std::string messageOf(const Result<T> &result) {
  return result ? "no error" : result.message();
}

/// A tensor of these values.
inline Tensor makeTensor(DType dtype, Shape shape,
                         const std::vector<double> &values) {
  Tensor tensor = std::move(*Tensor::allocate(dtype, std::move(shape)));
  for (size_t i = 0; i < values.size(); ++i)
    tensor.setNumber(static_cast<int64_t>(i), values[i]);
  return tensor;
}

/// A buffer of these bytes.
inline Buffer makeBuffer(std::string_view bytes) {
  Buffer buffer = std::move(*Buffer::allocate(bytes.size()));
  std::memcpy(buffer.data(), bytes.data(), bytes.size());
  return buffer;
}

/// All that can be seen of a tensor, for comparison.
inline std::string dump(const Tensor &tensor) {
  std::string text =
      std::string(nameOf(tensor.dtype())) + toString(tensor.shape());
  return text.append(tensor.data(), tensor.bytes());
}

} // namespace mixattn

#endif // MIXATTN_TEST_UNIT_RUNTIME_UTILITIES_H
