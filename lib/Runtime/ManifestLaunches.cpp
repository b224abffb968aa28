// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How manifests say that kernels of a GPU are launched.
#include "lib/Runtime/ManifestParsers.h"

#include <algorithm>

using namespace mixattn;

namespace {
/// Reads the launches of one entry.
class LaunchParser {
public:
  LaunchParser(const Entry &entry, const std::set<std::string> &dims)
      : entry(entry), dims(dims) {}

  Launch parse(const JsonView &json);

private:
  KernelParameter parseParameter(const JsonView &json);
  KernelParameter parseTensorMap(const JsonView &json);
  std::string parseTensor(const JsonView &json);
  /// Three sizes, or three numbers of at least 1.
  std::array<SizeExpression, 3> parseSizes(const JsonView &json);
  std::array<uint32_t, 3> parseCounts(const JsonView &json);

  const Entry &entry;
  const std::set<std::string> &dims;
};
} // namespace

/// The name of an argument or a result.
std::string LaunchParser::parseTensor(const JsonView &json) {
  std::string name = json.text();
  if (!entry.argument(name) && !entry.result(name))
    json.complain(makeError(
        "expected the name of an argument or result, but got '{}'", name));
  return name;
}

KernelParameter LaunchParser::parseParameter(const JsonView &json) {
  using Kind = KernelParameter::Kind;
  KernelParameter parameter;
  if (json.has("tensor_map"))
    return parseTensorMap(json);
  if (json.has("status")) {
    parameter.kind = Kind::Status;
    parameter.tensor = parseTensor(json["status"]);
    return parameter;
  }
  if (json.has("pointer")) {
    parameter.kind = Kind::Pointer;
    parameter.tensor = parseTensor(json["pointer"]);
    parameter.alignment = json["alignment"].integer();
    if (parameter.alignment < 1 || parameter.alignment > 4096 ||
        (parameter.alignment & (parameter.alignment - 1)))
      json["alignment"].complain(makeError(
          "expected a power of 2 up to 4096, but got {}", parameter.alignment));
    return parameter;
  }
  if (json.has("workspace")) {
    parameter.kind = Kind::Workspace;
    parameter.value = parseSize(json["workspace"], dims);
    return parameter;
  }
  bool isStride = json.has("stride");
  const char *type = isStride ? "i64" : "i32";
  if (std::string given = json["type"].text(); given != type)
    json["type"].complain(
        makeError("expected '{}', but got '{}'", type, given));
  if (!isStride) {
    parameter.kind = Kind::Scalar;
    parameter.value = parseSize(json["scalar"], dims);
    return parameter;
  }
  parameter.kind = Kind::Stride;
  parameter.tensor = parseTensor(json["stride"]);
  parameter.dim = json["dim"].integer();
  const Parameter *tensor = entry.argument(parameter.tensor);
  if (!tensor)
    tensor = entry.result(parameter.tensor);
  int64_t rank = tensor ? int64_t(tensor->shape.size()) : 0;
  if (parameter.dim < 0 || parameter.dim >= rank)
    json["dim"].complain(makeError("expected a dim of '{}', but got {}",
                                   parameter.tensor, parameter.dim));
  return parameter;
}

KernelParameter LaunchParser::parseTensorMap(const JsonView &json) {
  KernelParameter parameter;
  parameter.kind = KernelParameter::Kind::TensorMap;
  bool isOfWorkspace = !json["tensor_map"].isText();
  if (isOfWorkspace)
    parameter.value = parseSize(json["tensor_map"]["workspace"], dims);
  else
    parameter.tensor = parseTensor(json["tensor_map"]);
  // TMA wants addresses and strides that 16 divides.
  parameter.alignment = 16;
  const Parameter *tensor = entry.argument(parameter.tensor);
  if (!tensor)
    tensor = entry.result(parameter.tensor);
  if (std::string type = json["type"].text();
      tensor && type != nameOf(tensor->dtype))
    json["type"].complain(makeError("expected '{}', the type of '{}', but got "
                                    "'{}'",
                                    nameOf(tensor->dtype), parameter.tensor,
                                    type));
  TensorMap &map = parameter.map;
  map.dtype =
      json["type"].text() == nameOf(DType::F16) ? DType::F16 : DType::BF16;
  for (const JsonView &dim : json["dims"].elements())
    map.dims.push_back(parseSize(dim, dims));
  for (const JsonView &stride : json["strides"].elements()) {
    TensorMap::Stride own;
    if (stride.isInteger() || stride.isText() || !stride.has("stride")) {
      own.bytes = parseSize(stride, dims);
    } else {
      own.dim = stride["dim"].integer();
      int64_t most = tensor ? int64_t(tensor->shape.size()) : 0;
      if (*own.dim < 0 || *own.dim >= most)
        stride["dim"].complain(makeError("expected a dim of '{}', but got {}",
                                         parameter.tensor, *own.dim));
    }
    map.strides.push_back(own);
  }
  for (const JsonView &count : json["box"].elements()) {
    int64_t elements = count.integer();
    if (elements < 1 || elements > 256)
      count.complain(
          makeError("expected a number from 1 to 256, but got {}", elements));
    map.box.push_back(static_cast<uint32_t>(elements));
  }
  size_t rank = map.dims.size();
  if (rank < 2 || rank > 5 || map.strides.size() + 1 != rank ||
      map.box.size() != rank)
    json.complain(makeError("expected 2 to 5 dims, a stride for each but one, "
                            "and a number of the box for each"));
  map.swizzle = json["swizzle"].integer();
  if (map.swizzle != 0 && map.swizzle != 32 && map.swizzle != 64 &&
      map.swizzle != 128)
    json["swizzle"].complain(
        makeError("expected 0, 32, 64 or 128, but got {}", map.swizzle));
  return parameter;
}

std::array<SizeExpression, 3> LaunchParser::parseSizes(const JsonView &json) {
  std::array<SizeExpression, 3> sizes;
  std::vector<JsonView> all = json.elements();
  if (all.size() != sizes.size())
    json.complain(makeError("expected 3 sizes, but got {}", all.size()));
  for (size_t i = 0; i < std::min(all.size(), sizes.size()); ++i)
    sizes[i] = parseSize(all[i], dims);
  return sizes;
}

std::array<uint32_t, 3> LaunchParser::parseCounts(const JsonView &json) {
  std::array<uint32_t, 3> counts = {1, 1, 1};
  std::vector<JsonView> all = json.elements();
  if (all.size() != counts.size())
    json.complain(makeError("expected 3 numbers, but got {}", all.size()));
  // The most threads of a block; clusters have fewer blocks.
  constexpr int64_t most = 1024;
  for (size_t i = 0; i < std::min(all.size(), counts.size()); ++i) {
    int64_t count = all[i].integer();
    if (count < 1 || count > most)
      all[i].complain(
          makeError("expected a number from 1 to {}, but got {}", most, count));
    counts[i] = static_cast<uint32_t>(count);
  }
  return counts;
}

Launch LaunchParser::parse(const JsonView &json) {
  Launch launch;
  if (json.has("target"))
    launch.target = json["target"].text();
  launch.kernel = json["kernel"].text();
  launch.grid = parseSizes(json["grid"]);
  launch.block = parseCounts(json["block"]);
  launch.cluster = parseCounts(json["cluster"]);
  launch.shared = parseSize(json["shared"], dims);
  for (const JsonView &parameter : json["parameters"].elements())
    launch.parameters.push_back(parseParameter(parameter));
  return launch;
}

std::vector<std::string> Target::chips() const {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= cpu.size();) {
    size_t end = std::min(cpu.find(',', begin), cpu.size());
    names.push_back(cpu.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

void mixattn::checkTargets(const JsonView &launches, const Target &target) {
  std::vector<std::string> chips = target.chips();
  for (const JsonView &launch : launches.elements()) {
    if (chips.size() == 1 && !launch.has("target"))
      continue;
    std::string name = launch["target"].text();
    if (std::find(chips.begin(), chips.end(), name) == chips.end())
      launch["target"].complain(makeError(
          "expected one of the targets {}, but got '{}'", target.cpu, name));
  }
}

std::vector<Launch> mixattn::parseLaunches(const JsonView &json,
                                           const Entry &entry,
                                           const std::set<std::string> &dims) {
  std::vector<Launch> launches;
  for (const JsonView &launch : json.elements())
    launches.push_back(LaunchParser(entry, dims).parse(launch));
  return launches;
}
