// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The members of a .pt2 archive: NAME/models/model.json is the program, the
// files NAME/data/weights/*_weights_config.json and
// NAME/data/constants/*_constants_config.json say where each tensor lies.
#include "lib/Import/Pt2.h"

#include "lib/Import/Pt2Program.h"
#include "lib/Runtime/Json.h"
#include "lib/Runtime/Zip.h"

#include "llvm/ADT/StringRef.h"

#include <cstring>

using namespace mixattn;
using llvm::StringRef;

/// The most bytes of all tensors whose elements share places in the file.
static constexpr size_t mostExpanded = 256 << 20;

/// The most bytes of a text that is deflated. PyTorch writes texts as they are.
static constexpr uint64_t mostInflated = 64 << 20;

namespace {

/// Where the elements of a tensor lie in the archive.
struct StoredTensor {
  std::string path;
  DType dtype = DType::F32;
  Shape shape;
  std::vector<int64_t> strides;
  int64_t offset = 0;
};

class Archive {
public:
  static Result<Archive> open(std::string_view file);
  Result<ZipContent> read(const std::string &name);
  Result<ZipContent> readText(const std::string &name);
  Result<Tensor> load(const std::string &tensor);
  const std::string &program() const { return programName; }

private:
  Status readIndices();
  Status readIndex(const std::string &name, StringRef folder);

  std::string_view file;
  std::map<std::string, ZipMember> members;
  std::string programName;
  std::map<std::string, StoredTensor> tensors;
  /// Bytes of what was inflated, and of tensors whose elements share places.
  uint64_t inflated = 0, expanded = 0;
};

} // namespace

Result<Archive> Archive::open(std::string_view file) {
  auto listed = readZipDirectory(file);
  if (!listed)
    return listed.error();
  Archive archive;
  archive.file = file;
  for (ZipMember &member : *listed) {
    auto [folder, name] = StringRef(member.name).rsplit('/');
    if (folder.ends_with("/models") && name.ends_with(".json")) {
      if (!archive.programName.empty())
        return makeError("expected one model in the archive, but got '{}' and "
                         "'{}'",
                         archive.programName, member.name);
      archive.programName = member.name;
    }
    std::string key = member.name;
    if (!archive.members.emplace(key, std::move(member)).second)
      return makeError("expected one member '{}', but got two", key);
  }
  if (archive.programName.empty())
    return makeError("expected an archive of torch.export.save with a member "
                     "models/model.json, but got none");
  for (const auto &[name, member] : archive.members) {
    if (!StringRef(name).ends_with("/byteorder"))
      continue;
    auto order = archive.readText(name);
    if (!order)
      return order.error();
    if (order->view() != "little")
      return makeError("expected numbers with the byte order 'little', but got "
                       "'{}'",
                       order->view());
  }
  if (Status read = archive.readIndices(); !read)
    return read.error();
  return archive;
}

Result<ZipContent> Archive::read(const std::string &name) {
  auto found = members.find(name);
  if (found == members.end())
    return makeError("expected a member '{}', but got none", name);
  // Members may lie in one place, and be read often.
  if (found->second.method != 0) {
    inflated += found->second.size;
    if (inflated / mostDeflated > file.size())
      return makeError("member '{}': expected deflated members of at most {} "
                       "bytes in all, {} times the file, but got {}",
                       name, mostDeflated * file.size(), mostDeflated,
                       inflated);
  }
  Result<ZipContent> content = readZipMember(file, found->second);
  if (!content)
    return inPlace("member '" + name + "'", content.error());
  return content;
}

/// Texts are parsed as a whole: few bytes must not become very many.
Result<ZipContent> Archive::readText(const std::string &name) {
  auto found = members.find(name);
  if (found != members.end() && found->second.method != 0 &&
      found->second.size > mostInflated)
    return makeError("member '{}': expected a deflated text of at most {} "
                     "bytes, but got {}",
                     name, mostInflated, found->second.size);
  return read(name);
}

Status Archive::readIndices() {
  for (const auto &[name, member] : members) {
    StringRef text = name;
    for (StringRef end : {"_weights_config.json", "_constants_config.json"})
      if (text.ends_with(end) && text.contains("/data/"))
        if (Status read = readIndex(name, text.rsplit('/').first); !read)
          return inPlace("member '" + name + "'", read.error());
  }
  return Success{};
}

/// A number as PyTorch writes sizes.
static int64_t readInteger(const JsonView &view) {
  return view["as_int"].integer();
}

/// Counts the two parts of complex numbers as elements of a last dim.
static void splitComplex(StoredTensor &stored, const JsonView &meta) {
  for (int64_t &stride : stored.strides)
    if (llvm::MulOverflow(stride, int64_t(2), stride))
      meta.complain(makeError("expected strides of 62 bits, but got more"));
  if (llvm::MulOverflow(stored.offset, int64_t(2), stored.offset))
    meta.complain(makeError("expected an offset of 62 bits, but got more"));
  stored.shape.push_back(2);
  stored.strides.push_back(1);
}

Status Archive::readIndex(const std::string &name, StringRef folder) {
  auto content = readText(name);
  if (!content)
    return content.error();
  Result<Json> json = parseJson(content->view());
  if (!json)
    return json.error();
  std::optional<Error> firstError;
  for (const auto &[key, entry] :
       JsonView(*json, "", firstError)["config"].members()) {
    if (entry["use_pickle"].boolean())
      entry.complain(makeError("expected raw bytes, but got a pickled tensor"));
    StoredTensor stored;
    stored.path = (folder + "/" + entry["path_name"].text()).str();
    JsonView meta = entry["tensor_meta"];
    Result<DType> dtype = dtypeOfTorch(meta["dtype"].integer());
    if (dtype)
      stored.dtype = *dtype;
    else
      meta.complain(dtype.error());
    for (const JsonView &size : meta["sizes"].elements())
      stored.shape.push_back(readInteger(size));
    for (const JsonView &stride : meta["strides"].elements())
      stored.strides.push_back(readInteger(stride));
    stored.offset = readInteger(meta["storage_offset"]);
    if (isComplexOfTorch(meta["dtype"].integer()))
      splitComplex(stored, meta);
    bool isNegative = stored.offset < 0;
    for (int64_t size : stored.shape)
      isNegative |= size < 0;
    for (int64_t stride : stored.strides)
      isNegative |= stride < 0;
    if (isNegative || stored.strides.size() != stored.shape.size())
      meta.complain(makeError("expected a stride for each size and no number "
                              "below 0, but got something else"));
    tensors.emplace(key, std::move(stored));
  }
  if (firstError)
    return *firstError;
  return Success{};
}

/// One more than the largest place of an element, or nothing where there is
/// none or that is no 64-bit number.
static std::optional<int64_t> findEnd(const StoredTensor &stored) {
  int64_t end = stored.offset;
  for (size_t dim = 0; dim < stored.shape.size(); ++dim) {
    int64_t step;
    if (llvm::MulOverflow(stored.shape[dim] - 1, stored.strides[dim], step) ||
        llvm::AddOverflow(end, step, end))
      return std::nullopt;
  }
  if (llvm::AddOverflow(end, int64_t(1), end))
    return std::nullopt;
  return end;
}

/// Copies the elements in row-major order.
static void copyStrided(const StoredTensor &stored, const char *from,
                        Tensor &to) {
  size_t width = bytesOf(stored.dtype);
  size_t rank = stored.shape.size();
  std::vector<int64_t> place(rank, 0);
  for (int64_t i = 0; i < to.elements(); ++i) {
    int64_t at = stored.offset;
    for (size_t dim = 0; dim < rank; ++dim)
      at += place[dim] * stored.strides[dim];
    std::memcpy(to.data() + i * width, from + at * width, width);
    for (size_t dim = rank; dim-- > 0 && ++place[dim] == stored.shape[dim];)
      place[dim] = 0;
  }
}

/// Whether the elements lie in row-major order from the first byte on.
static bool isDense(const StoredTensor &stored) {
  int64_t step = 1;
  for (size_t dim = stored.shape.size(); dim-- > 0;) {
    if (stored.shape[dim] != 1 && stored.strides[dim] != step)
      return false;
    step *= stored.shape[dim];
  }
  return true;
}

Result<Tensor> Archive::load(const std::string &name) {
  auto found = tensors.find(name);
  if (found == tensors.end())
    return makeError("expected the elements of '{}', but got none", name);
  const StoredTensor &stored = found->second;
  auto content = read(stored.path);
  if (!content)
    return content.error();
  Error lies = makeError("'{}': expected elements of shape {} within the {} "
                         "bytes of member '{}', but its strides leave them",
                         name, toString(stored.shape), content->view().size(),
                         stored.path);
  auto bytes = byteCount(stored.dtype, stored.shape);
  if (!bytes)
    return inPlace("'" + name + "'", bytes.error());
  std::optional<int64_t> end = findEnd(stored);
  bool isEmpty = *bytes == 0;
  if (!isEmpty &&
      (!end || uint64_t(*end) > content->view().size() / bytesOf(stored.dtype)))
    return lies;
  // Elements that were expanded lie in one place, however many they are.
  if (*bytes > content->view().size()) {
    if (expanded + *bytes > mostExpanded)
      return makeError(
          "'{}': expected at most {} bytes in all of elements that "
          "share places, but got {}",
          name, mostExpanded, expanded + *bytes);
    expanded += *bytes;
  }
  // Weights stay where they are in the file.
  if (!isEmpty && content->isStored() && isDense(stored))
    return Tensor::borrow(
        stored.dtype, stored.shape,
        content->view().substr(stored.offset * bytesOf(stored.dtype), *bytes));
  Result<Tensor> tensor = Tensor::allocate(stored.dtype, stored.shape);
  if (!tensor || isEmpty)
    return tensor;
  copyStrided(stored, content->view().data(), *tensor);
  if (stored.dtype == DType::I1)
    return Tensor::fromBytes(stored.dtype, stored.shape,
                             {tensor->data(), tensor->bytes()});
  return tensor;
}

bool mixattn::isPt2(std::string_view file) {
  return file.substr(0, 4) == std::string_view("PK\x03\x04", 4);
}

Result<Graph> mixattn::readPt2(std::string_view file,
                               const InputDimNames &names) {
  Result<Archive> archive = Archive::open(file);
  if (!archive)
    return archive.error();
  Result<ZipContent> program = archive->readText(archive->program());
  if (!program)
    return program.error();
  return readProgram(program->view(), names, [&](const std::string &name) {
    return archive->load(name);
  });
}
