// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes of tensors and access to their elements.
#include "lib/Runtime/Tensor.h"
#include <cmath>
#include <cstring>

using namespace mixattn;

std::string mixattn::toString(const Shape &shape) {
  std::string text;
  for (int64_t size : shape)
    text += (text.empty() ? "" : ", ") + std::to_string(size);
  return "[" + text + "]";
}

Result<size_t> mixattn::byteCount(DType dtype, const Shape &shape) {
  // A zero makes the tensor empty whatever the other dims are.
  for (int64_t size : shape)
    if (size == 0)
      return size_t(0);
  int64_t bytes = static_cast<int64_t>(bytesOf(dtype));
  for (int64_t size : shape)
    if (__builtin_mul_overflow(bytes, size, &bytes))
      return makeError("the shape {} is too large", toString(shape));
  return static_cast<size_t>(bytes);
}

Tensor::Tensor(DType dtype, Shape shape, Buffer buffer)
    : type(dtype), sizes(std::move(shape)),
      count(static_cast<int64_t>(buffer.size() / bytesOf(dtype))),
      buffer(std::move(buffer)) {}

Result<Tensor> Tensor::allocate(DType dtype, Shape shape) {
  Result<size_t> bytes = byteCount(dtype, shape);
  if (!bytes)
    return bytes.error();
  Result<Buffer> buffer = Buffer::allocate(*bytes);
  if (!buffer)
    return buffer.error();
  return Tensor(dtype, std::move(shape), std::move(*buffer));
}

/// An error where booleans have other bytes than theirs.
static Status checkBytes(DType dtype, std::string_view bytes) {
  if (dtype == DType::I1)
    for (unsigned char byte : bytes)
      if (byte > 1)
        return makeError("expected booleans to be 0 or 1, but got {}", byte);
  return Success();
}

Result<Tensor> Tensor::fromBytes(DType dtype, Shape shape,
                                 std::string_view bytes) {
  Result<Tensor> tensor = allocate(dtype, std::move(shape));
  if (!tensor)
    return tensor;
  assert(tensor->bytes() == bytes.size() && "as many bytes as elements need");
  if (!bytes.empty())
    std::memcpy(tensor->data(), bytes.data(), bytes.size());
  if (Status known = checkBytes(dtype, bytes); !known)
    return known.error();
  return tensor;
}

Result<Tensor> Tensor::borrow(DType dtype, Shape shape,
                              std::string_view bytes) {
  Result<size_t> count = byteCount(dtype, shape);
  if (!count)
    return count.error();
  assert(*count == bytes.size() && "as many bytes as elements need");
  if (Status known = checkBytes(dtype, bytes); !known)
    return known.error();
  return Tensor(dtype, std::move(shape), Buffer::borrow(bytes));
}

template <typename T> static T load(const char *data, int64_t index) {
  T value;
  std::memcpy(&value, data + index * sizeof(T), sizeof(T));
  return value;
}

template <typename T> static void store(char *data, int64_t index, T value) {
  std::memcpy(data + index * sizeof(T), &value, sizeof(T));
}

double Tensor::number(int64_t index) const {
  switch (type) {
  case DType::F16:
    return halfToDouble(load<uint16_t>(data(), index));
  case DType::BF16:
    return bfloatToDouble(load<uint16_t>(data(), index));
  case DType::F32:
    return load<float>(data(), index);
  case DType::F64:
    return load<double>(data(), index);
  default:
    return static_cast<double>(integer(index));
  }
}

int64_t Tensor::integer(int64_t index) const {
  switch (type) {
  case DType::I1:
  case DType::I8:
    return load<int8_t>(data(), index);
  case DType::I16:
    return load<int16_t>(data(), index);
  case DType::I32:
    return load<int32_t>(data(), index);
  case DType::I64:
    return load<int64_t>(data(), index);
  default:
    assert(false && "integers of a tensor of floats");
    return 0;
  }
}

void Tensor::setNumber(int64_t index, double value) {
  switch (type) {
  case DType::F16:
    return store(data(), index, doubleToHalf(value));
  case DType::BF16:
    return store(data(), index, doubleToBfloat(value));
  case DType::F32:
    return store(data(), index, static_cast<float>(value));
  case DType::F64:
    return store(data(), index, value);
  default:
    return setInteger(index, std::llrint(value));
  }
}

void Tensor::setInteger(int64_t index, int64_t value) {
  switch (type) {
  case DType::I1:
    return store(data(), index, static_cast<int8_t>(value != 0));
  case DType::I8:
    return store(data(), index, static_cast<int8_t>(value));
  case DType::I16:
    return store(data(), index, static_cast<int16_t>(value));
  case DType::I32:
    return store(data(), index, static_cast<int32_t>(value));
  case DType::I64:
    return store(data(), index, value);
  default:
    assert(false && "integers of a tensor of floats");
  }
}
