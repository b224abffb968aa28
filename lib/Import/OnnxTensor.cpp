// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements lie in the message as bytes or as numbers, or in another file.
#include "lib/Import/OnnxTensor.h"

#include "lib/Import/OnnxFields.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <onnx/onnx.pb.h>

#include <cstring>

using namespace mixattn;
using llvm::StringRef;

/// As many dims as PyTorch's own kernels take, at most.
static constexpr int mostRank = 16;

Result<DType> mixattn::dtypeOfOnnx(int64_t number) {
  using Proto = onnx::TensorProto;
  switch (number) {
  case Proto::FLOAT:
    return DType::F32;
  case Proto::INT8:
    return DType::I8;
  case Proto::INT16:
    return DType::I16;
  case Proto::INT32:
    return DType::I32;
  case Proto::INT64:
    return DType::I64;
  case Proto::BOOL:
    return DType::I1;
  case Proto::FLOAT16:
    return DType::F16;
  case Proto::DOUBLE:
    return DType::F64;
  case Proto::BFLOAT16:
    return DType::BF16;
  }
  return makeError("expected elements of type bool, int8 to int64, float16, "
                   "bfloat16, float32 or float64, but got ONNX's type {}",
                   number);
}

Result<std::string_view> ExternalFiles::read(const std::string &location) {
  auto known = files.find(location);
  if (known != files.end())
    return std::string_view(known->second->getBuffer());
  // Links are followed first: none leads out of the folder.
  llvm::SmallString<256> inside, path, wanted(folder);
  llvm::sys::path::append(wanted, location);
  bool isInside = !folder.empty() && !location.empty() &&
                  !llvm::sys::path::is_absolute(location) &&
                  location.find('\0') == std::string::npos &&
                  !llvm::sys::fs::real_path(folder, inside);
  if (isInside && !llvm::sys::fs::exists(wanted))
    return makeError("expected a file '{}' next to the model, but got none",
                     location);
  isInside = isInside && !llvm::sys::fs::real_path(wanted, path);
  if (isInside && inside != "/")
    inside += '/';
  if (!isInside || !path.starts_with(inside) ||
      !llvm::sys::fs::is_regular_file(path))
    return makeError("expected elements in a file of the model's folder, but "
                     "got '{}'",
                     location);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false,
                                            /*RequiresNullTerminator=*/false);
  if (!buffer)
    return makeError("cannot read '{}': {}", location,
                     buffer.getError().message());
  std::string_view bytes = (*buffer)->getBuffer();
  files.emplace(location, std::move(*buffer));
  opened.push_back(path.str().str());
  return bytes;
}

/// The bytes that lie elsewhere: a place, where they begin and how many.
static Result<std::string_view> readExternal(const onnx::TensorProto &tensor,
                                             size_t bytes,
                                             ExternalFiles &files) {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
  for (const auto &entry : tensor.external_data()) {
    uint64_t number = 0;
    bool isNumber = entry.key() == "offset" || entry.key() == "length";
    if (isNumber && StringRef(entry.value()).getAsInteger(10, number))
      return makeError("expected a number of bytes as '{}', but got '{}'",
                       entry.key(), entry.value());
    if (entry.key() == "location")
      location = entry.value();
    else if (entry.key() == "offset")
      offset = number;
    else if (entry.key() == "length")
      length = number;
    else if (entry.key() != "checksum")
      return makeError("expected a location, an offset and a length, but got "
                       "'{}'",
                       entry.key());
  }
  Result<std::string_view> content = files.read(location);
  if (!content)
    return content;
  uint64_t size = length.value_or(bytes);
  if (offset > content->size() || size > content->size() - offset)
    return makeError("expected {} bytes from {} on in '{}', but it has {}",
                     size, offset, location, content->size());
  return content->substr(offset, size);
}

/// Elements that are written as numbers, one each.
template <typename Numbers, typename Set>
static Status setAll(Tensor &result, const Numbers &numbers, Set set) {
  if (numbers.size() != result.elements())
    return makeError("expected {} elements, but got {}", result.elements(),
                     int64_t(numbers.size()));
  for (int64_t i = 0; i < result.elements(); ++i)
    set(i, numbers[int(i)]);
  return Success{};
}

static Status readNumbers(const onnx::TensorProto &tensor, Tensor &result) {
  switch (result.dtype()) {
  case DType::F32:
    return setAll(result, tensor.float_data(),
                  [&](int64_t i, float x) { result.setNumber(i, x); });
  case DType::F64:
    return setAll(result, tensor.double_data(),
                  [&](int64_t i, double x) { result.setNumber(i, x); });
  case DType::I64:
    return setAll(result, tensor.int64_data(),
                  [&](int64_t i, int64_t x) { result.setInteger(i, x); });
  case DType::F16:
  case DType::BF16:
    // The bits of a number.
    return setAll(result, tensor.int32_data(), [&](int64_t i, int32_t x) {
      uint16_t bits = uint16_t(x);
      std::memcpy(result.data() + 2 * i, &bits, 2);
    });
  case DType::I1:
    return setAll(result, tensor.int32_data(),
                  [&](int64_t i, int32_t x) { result.setInteger(i, x != 0); });
  case DType::I8:
  case DType::I16:
  case DType::I32:
    return setAll(result, tensor.int32_data(),
                  [&](int64_t i, int32_t x) { result.setInteger(i, x); });
  }
  llvm_unreachable("all element types are known");
}

static Result<Tensor> readElements(const onnx::TensorProto &tensor,
                                   ExternalFiles &files) {
  if (Status known = checkNewerFields("a tensor", tensor.unknown_fields(),
                                      {metadataOfTensor});
      !known)
    return known.error();
  Result<DType> dtype = dtypeOfOnnx(tensor.data_type());
  if (!dtype)
    return dtype.error();
  Shape shape(tensor.dims().begin(), tensor.dims().end());
  if (tensor.dims_size() > mostRank)
    return makeError("expected a tensor of at most {} dims, but got {}",
                     mostRank, tensor.dims_size());
  for (int64_t size : shape)
    if (size < 0)
      return makeError("expected sizes of at least 0, but got shape {}",
                       toString(shape));
  if (tensor.has_segment())
    return makeError("expected a whole tensor, but got a segment of one");
  Result<size_t> bytes = byteCount(*dtype, shape);
  if (!bytes)
    return bytes.error();
  bool isExternal = tensor.data_location() == onnx::TensorProto::EXTERNAL;
  if (isExternal || tensor.has_raw_data()) {
    Result<std::string_view> content = std::string_view(tensor.raw_data());
    if (isExternal)
      content = readExternal(tensor, *bytes, files);
    if (!content)
      return content.error();
    if (content->size() != *bytes)
      return makeError("expected {} bytes for {} of shape {}, but got {}",
                       *bytes, nameOf(*dtype), toString(shape),
                       content->size());
    return Tensor::borrow(*dtype, shape, *content);
  }
  // No more memory than the file has numbers for: each takes a byte or more.
  if (*bytes / 8 > tensor.ByteSizeLong())
    return makeError("expected {} bytes for {} of shape {}, but got fewer",
                     *bytes, nameOf(*dtype), toString(shape));
  Result<Tensor> result = Tensor::allocate(*dtype, shape);
  if (!result)
    return result;
  if (Status read = readNumbers(tensor, *result); !read)
    return read.error();
  return result;
}

Result<Tensor> mixattn::readOnnxTensor(const onnx::TensorProto &tensor,
                                       ExternalFiles &files) {
  Result<Tensor> result = readElements(tensor, files);
  if (!result)
    return inPlace("tensor '" + withoutControls(tensor.name()) + "'",
                   result.error());
  return result;
}

Result<Tensor> mixattn::readOnnxConstant(const std::string &name,
                                         const onnx::AttributeProto &attribute,
                                         ExternalFiles &files) {
  using Proto = onnx::AttributeProto;
  if (name == "value" && attribute.type() == Proto::TENSOR)
    return readOnnxTensor(attribute.t(), files);
  bool isFloats = name == "value_floats", isInts = name == "value_ints";
  int64_t count = isFloats ? attribute.floats_size() : attribute.ints_size();
  Shape shape;
  if (isFloats || isInts)
    shape.push_back(count);
  if (isFloats || name == "value_float") {
    Result<Tensor> made = Tensor::allocate(DType::F32, shape);
    for (int64_t i = 0; made && i < made->elements(); ++i)
      made->setNumber(i, isFloats ? attribute.floats(int(i)) : attribute.f());
    return made;
  }
  if (isInts || name == "value_int") {
    Result<Tensor> made = Tensor::allocate(DType::I64, shape);
    for (int64_t i = 0; made && i < made->elements(); ++i)
      made->setInteger(i, isInts ? attribute.ints(int(i)) : attribute.i());
    return made;
  }
  return makeError("expected a constant of numbers, but got attribute '{}'",
                   name);
}
