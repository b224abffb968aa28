// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of a checked safetensors file, and writing.
#include "lib/Runtime/Safetensors.h"
#include "lib/Runtime/Json.h"
#include <algorithm>

using namespace mixattn;

/// The format's own limit, in bytes.
static constexpr uint64_t maximumIndex = 100000000;

static constexpr std::pair<std::string_view, DType> dtypes[] = {
    {"F16", DType::F16}, {"BF16", DType::BF16}, {"F32", DType::F32},
    {"F64", DType::F64}, {"BOOL", DType::I1},   {"I8", DType::I8},
    {"I16", DType::I16}, {"I32", DType::I32},   {"I64", DType::I64}};

static std::optional<DType> dtypeOf(std::string_view name) {
  for (auto &[known, dtype] : dtypes)
    if (known == name)
      return dtype;
  return std::nullopt;
}

Result<SafetensorsFile> SafetensorsFile::open(Buffer file) {
  uint64_t length = 0;
  std::string_view bytes = file.view();
  if (bytes.size() < sizeof(length))
    return makeError("expected a safetensors file, but got {} bytes",
                     bytes.size());
  bytes.copy(reinterpret_cast<char *>(&length), sizeof(length));
  bytes.remove_prefix(sizeof(length));
  if (length > maximumIndex || length > bytes.size())
    return makeError("expected an index of at most {} bytes, but got {}",
                     std::min<uint64_t>(maximumIndex, bytes.size()), length);
  SafetensorsFile result;
  result.file = std::move(file);
  result.elements = bytes.substr(length);
  if (Status read = result.readIndex(bytes.substr(0, length)); !read)
    return read.error();
  if (Status check = result.checkOffsets(); !check)
    return check.error();
  return result;
}

Status SafetensorsFile::readIndex(std::string_view index) {
  Result<Json> json = parseJson(index);
  if (!json)
    return json.error();
  std::optional<Error> firstError;
  JsonView root(*json, "", firstError);
  for (auto &[name, member] : root.members()) {
    if (name == "__metadata__")
      continue;
    Item item{name, member["dtype"].text(), {}, 0, 0};
    for (const JsonView &size : member["shape"].elements()) {
      item.shape.push_back(size.integer());
      if (item.shape.back() < 0)
        size.complain(
            makeError("expected a size, but got {}", item.shape.back()));
    }
    std::vector<JsonView> offsets = member["data_offsets"].elements();
    if (offsets.size() == 2) {
      item.begin = offsets[0].integer();
      item.end = offsets[1].integer();
    } else {
      member.complain(
          makeError("expected two offsets, but got {}", offsets.size()));
    }
    items.push_back(std::move(item));
  }
  if (firstError)
    return *firstError;
  return Success();
}

/// Tensors in the order of their offsets must follow each other without gaps.
Status SafetensorsFile::checkOffsets() {
  std::sort(items.begin(), items.end(), [](const Item &a, const Item &b) {
    return std::tie(a.begin, a.end, a.name) < std::tie(b.begin, b.end, b.name);
  });
  int64_t size = static_cast<int64_t>(elements.size());
  int64_t expected = 0;
  for (const Item &item : items) {
    if (item.begin < 0 || item.end < item.begin || item.end > size)
      return makeError("'{}': expected offsets within {} bytes, but got {} and "
                       "{}",
                       item.name, size, item.begin, item.end);
    if (item.begin != expected)
      return makeError("'{}': expected the tensor to start at byte {}, where "
                       "the one before it ends, but got {}",
                       item.name, expected, item.begin);
    expected = item.end;
    std::optional<DType> dtype = dtypeOf(item.dtype);
    if (!dtype)
      continue;
    Result<size_t> bytes = byteCount(*dtype, item.shape);
    if (!bytes)
      return inPlace("'" + item.name + "'", bytes.error());
    if (static_cast<int64_t>(*bytes) != item.end - item.begin)
      return makeError("'{}': expected {} bytes for {} of shape {}, but got {}",
                       item.name, *bytes, item.dtype, toString(item.shape),
                       item.end - item.begin);
  }
  if (expected != size)
    return makeError("expected {} bytes of elements, but got {}", expected,
                     size);
  for (size_t i = 0; i < items.size(); ++i)
    places[items[i].name] = i;
  return Success();
}

std::vector<std::string> SafetensorsFile::names() const {
  std::vector<std::string> result;
  for (const Item &item : items)
    result.push_back(item.name);
  return result;
}

const SafetensorsFile::Item &
SafetensorsFile::find(std::string_view name) const {
  auto place = places.find(name);
  assert(place != places.end() && "a tensor of the file");
  return items[place->second];
}

Result<std::pair<DType, std::string_view>>
SafetensorsFile::locate(const Item &item) const {
  std::optional<DType> dtype = dtypeOf(item.dtype);
  if (!dtype)
    return makeError("expected one of the dtypes F16 BF16 F32 F64 BOOL I8 I16 "
                     "I32 I64, but got '{}'",
                     item.dtype);
  size_t bytes = static_cast<size_t>(item.end - item.begin);
  return std::pair(*dtype,
                   elements.substr(static_cast<size_t>(item.begin), bytes));
}

Result<Tensor> SafetensorsFile::load(std::string_view name) const {
  const Item &item = find(name);
  auto found = locate(item);
  if (!found)
    return found.error();
  return Tensor::fromBytes(found->first, item.shape, found->second);
}

Result<Tensor> SafetensorsFile::borrow(std::string_view name) const {
  const Item &item = find(name);
  auto found = locate(item);
  if (!found)
    return found.error();
  return Tensor::borrow(found->first, item.shape, found->second);
}

ByteSource mixattn::streamSafetensors(std::vector<NamedTensor> tensors,
                                      const std::string &mark) {
  nlohmann::ordered_json index = nlohmann::ordered_json::object();
  if (!mark.empty())
    index["__metadata__"] = {{"mixattn", mark}};
  size_t offset = 0;
  for (auto &[name, tensor] : tensors) {
    index[name] = {{"dtype", dtypes[static_cast<int>(tensor->dtype())].first},
                   {"shape", tensor->shape()},
                   {"data_offsets", {offset, offset + tensor->bytes()}}};
    offset += tensor->bytes();
  }
  std::string text = index.dump();
  // Elements start at a multiple of 8.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  uint64_t length = text.size();
  std::string start(reinterpret_cast<const char *>(&length), sizeof(length));
  start += text;
  return [start, tensors = std::move(tensors)](const ByteSink &sink) {
    bool isTaken = sink(start);
    for (auto &[name, tensor] : tensors)
      isTaken = isTaken && sink({tensor->data(), tensor->bytes()});
    return isTaken;
  };
}

std::string mixattn::writeSafetensors(const std::vector<NamedTensor> &tensors) {
  std::string file;
  streamSafetensors(tensors)([&](std::string_view piece) {
    file.append(piece);
    return true;
  });
  return file;
}
