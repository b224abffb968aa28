// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsing and checking of manifests.
#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/ManifestParsers.h"
#include <algorithm>
#include <set>

using namespace mixattn;

int64_t Dim::in(const DimSizes &sizes) const {
  return isDynamic() ? sizes.at(name) : value;
}

std::string Dim::toString() const {
  return isDynamic() ? name : std::to_string(value);
}

double Polynomial::in(const DimSizes &sizes) const {
  double sum = 0;
  for (const Term &term : terms) {
    double product = term.coefficient;
    for (const std::string &dim : term.dims)
      product *= static_cast<double>(sizes.at(dim));
    sum += product;
  }
  return sum;
}

static const Parameter *find(const std::vector<Parameter> &parameters,
                             std::string_view name) {
  for (const Parameter &parameter : parameters)
    if (parameter.name == name)
      return &parameter;
  return nullptr;
}

const Parameter *Entry::argument(std::string_view name) const {
  return find(arguments, name);
}

const Parameter *Entry::result(std::string_view name) const {
  return find(results, name);
}

bool Entry::isOutput(std::string_view name) const {
  const Parameter *updated = argument(name);
  return result(name) || (updated && updated->isUpdated);
}

std::vector<Parameter> Entry::outputs() const {
  std::vector<Parameter> all = results;
  for (const Parameter &argument : arguments)
    if (argument.isUpdated)
      all.push_back(argument);
  return all;
}

namespace {
/// Reads one entry; `dims` collects the names that arguments introduce.
class EntryParser {
public:
  explicit EntryParser(const JsonView &json) : json(json) {}
  Entry parse();

private:
  Parameter parseParameter(const JsonView &parameter);
  Dim parseDim(const JsonView &dim);
  void parseRange(const JsonView &range, Parameter &parameter);
  void parseHolds(const JsonView &holds, Parameter &parameter);
  uint64_t parsePacked(const JsonView &json);
  std::optional<Polynomial> parsePolynomial(const JsonView &json,
                                            const char *key);
  Kernel parseKernel(const JsonView &json);
  Entry::OnGpu parseOnGpu(const JsonView &json, const Entry &entry);
  void requireKnown(const JsonView &place, const std::string &dim);

  const JsonView &json;
  std::set<std::string> names, dims;
};
} // namespace

Dim EntryParser::parseDim(const JsonView &dim) {
  if (!dim.isText())
    return {"", dim.integer()};
  Dim named{dim.text(), 0};
  if (named.name.empty())
    dim.complain(makeError("expected the name of a dim, but got ''"));
  return named;
}

Parameter EntryParser::parseParameter(const JsonView &json) {
  Parameter parameter;
  parameter.name = json["name"].text();
  if (parameter.name.empty() || !names.insert(parameter.name).second)
    json.complain(
        makeError("expected a name of its own, but got '{}'", parameter.name));
  std::string dtype = json["dtype"].text();
  if (std::optional<DType> known = dtypeNamed(dtype))
    parameter.dtype = *known;
  else
    json.complain(makeError("expected an element type, but got '{}'", dtype));
  for (const JsonView &size : json["shape"].elements()) {
    parameter.shape.push_back(parseDim(size));
    if (parameter.shape.back().value < 0)
      size.complain(makeError("expected a size, but got {}",
                              parameter.shape.back().value));
  }
  return parameter;
}

void EntryParser::requireKnown(const JsonView &place, const std::string &dim) {
  if (!dims.count(dim))
    place.complain(
        makeError("expected a dim of an argument, but got '{}'", dim));
}

void EntryParser::parseRange(const JsonView &range, Parameter &parameter) {
  std::vector<JsonView> ends = range.elements();
  if (ends.size() != 2 || isFloat(parameter.dtype)) {
    range.complain(makeError("expected two ends of integers, but got {} of {}",
                             ends.size(), nameOf(parameter.dtype)));
    return;
  }
  parameter.range = Range{parseDim(ends[0]), parseDim(ends[1])};
  for (const Dim &end : {parameter.range->low, parameter.range->high})
    if (end.isDynamic())
      requireKnown(range, end.name);
}

static std::optional<Holds::Kind> holdsNamed(std::string_view name) {
  static const std::pair<std::string_view, Holds::Kind> all[] = {
      {"prior", Holds::Kind::Prior},
      {"log_prior", Holds::Kind::LogPrior},
      {"coordinates", Holds::Kind::Coordinates},
      {"windows", Holds::Kind::Windows},
      {"nonempty", Holds::Kind::NonEmpty}};
  for (auto [known, kind] : all)
    if (known == name)
      return kind;
  return std::nullopt;
}

/// Whether that can hold of values of that type and rank.
static bool suits(Holds::Kind kind, const Parameter &parameter) {
  size_t rank = parameter.shape.size();
  switch (kind) {
  case Holds::Kind::Prior:
  case Holds::Kind::LogPrior:
    return isFloat(parameter.dtype) && (rank == 2 || rank == 3);
  case Holds::Kind::Coordinates:
  case Holds::Kind::Windows:
    return !isFloat(parameter.dtype) && parameter.dtype != DType::I1 &&
           rank == 2;
  case Holds::Kind::NonEmpty:
    return true;
  }
  return false;
}

void EntryParser::parseHolds(const JsonView &json, Parameter &parameter) {
  std::string name = json["kind"].text();
  std::optional<Holds::Kind> kind = holdsNamed(name);
  if (!kind || !suits(*kind, parameter)) {
    json.complain(makeError("expected what can hold of {} of rank {}, but got "
                            "'{}'",
                            nameOf(parameter.dtype), parameter.shape.size(),
                            name));
    return;
  }
  Holds holds{*kind, {}};
  bool areWindows = *kind == Holds::Kind::Windows;
  if (areWindows || *kind == Holds::Kind::Coordinates) {
    for (const JsonView &extent : json["extents"].elements()) {
      holds.extents.push_back(parseDim(extent));
      if (holds.extents.back().isDynamic())
        requireKnown(extent, holds.extents.back().name);
    }
    const Dim &columns = parameter.shape[1];
    size_t count = holds.extents.size();
    size_t expected = areWindows ? 1 : static_cast<size_t>(columns.value);
    if (columns.isDynamic() || count != expected ||
        (areWindows && columns.value != 3))
      json.complain(makeError("expected extents for {} columns, but got {}",
                              columns.toString(), count));
  }
  parameter.holds = holds;
}

std::optional<Polynomial> EntryParser::parsePolynomial(const JsonView &json,
                                                       const char *key) {
  if (!json.has(key) || json[key].isNull())
    return std::nullopt;
  Polynomial polynomial;
  for (const JsonView &term : json[key].elements()) {
    polynomial.terms.push_back(
        {term["coefficient"].number(), term["dims"].texts()});
    for (const std::string &dim : polynomial.terms.back().dims)
      requireKnown(term, dim);
  }
  return polynomial;
}

Kernel EntryParser::parseKernel(const JsonView &json) {
  Kernel kernel;
  kernel.op = json["op"].text();
  if (json.has("place"))
    kernel.place = json["place"].text();
  if (json.has("called_at"))
    kernel.calledAt = json["called_at"].texts();
  kernel.flops = parsePolynomial(json, "flops");
  kernel.bytes = parsePolynomial(json, "bytes");
  for (const JsonView &stage : json["stages"].elements()) {
    int64_t number = stage["number"].integer();
    if (number < 0 || number >= UINT32_MAX)
      stage.complain(
          makeError("expected the number of an event, but got {}", number));
    kernel.stages.push_back(
        {static_cast<uint32_t>(number), stage["name"].text()});
  }
  return kernel;
}

Entry::OnGpu EntryParser::parseOnGpu(const JsonView &json, const Entry &entry) {
  Entry::OnGpu onGpu;
  if (json.has("workspace"))
    onGpu.workspace = parseSize(json["workspace"], dims);
  onGpu.launches = parseLaunches(json["launches"], entry, dims);
  return onGpu;
}

Entry EntryParser::parse() {
  Entry entry;
  entry.name = json["name"].text();
  entry.symbol = json["symbol"].text();
  std::vector<JsonView> arguments = json["arguments"].elements();
  for (const JsonView &argument : arguments) {
    entry.arguments.push_back(parseParameter(argument));
    for (const Dim &dim : entry.arguments.back().shape)
      if (dim.isDynamic())
        dims.insert(dim.name);
  }
  if (json.has("sizes"))
    entry.sizes = parseRules(json["sizes"], dims);
  // Bounds and conditions of values may name a dim of a later argument.
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].has("range"))
      parseRange(arguments[i]["range"], entry.arguments[i]);
    if (arguments[i].has("holds"))
      parseHolds(arguments[i]["holds"], entry.arguments[i]);
    entry.arguments[i].isWeight =
        arguments[i].has("parameter") && arguments[i]["parameter"].boolean();
    entry.arguments[i].isUpdated =
        arguments[i].has("updates") && arguments[i]["updates"].boolean();
  }
  for (const JsonView &result : json["results"].elements()) {
    entry.results.push_back(parseParameter(result));
    for (const Dim &dim : entry.results.back().shape)
      if (dim.isDynamic())
        requireKnown(result, dim.name);
  }
  entry.flops = parsePolynomial(json, "flops");
  entry.bytes = parsePolynomial(json, "bytes");
  if (json.has("workspace") && !json["workspace"].isNull())
    entry.workspace = parseSize(json["workspace"], dims);
  if (json.has("packed"))
    entry.packed = parsePacked(json["packed"]);
  if (json.has("kernels")) {
    entry.kernels.emplace();
    for (const JsonView &kernel : json["kernels"].elements())
      entry.kernels->push_back(parseKernel(kernel));
  }
  if (json.has("launches"))
    entry.launches = parseLaunches(json["launches"], entry, dims);
  if (json.has("gpu"))
    entry.gpu = parseOnGpu(json["gpu"], entry);
  if (json.has("attention_reason"))
    entry.attentionReason = json["attention_reason"].text();
  if (!json["attention"].isNull())
    entry.op = parseOp(json["attention"], entry);
  return entry;
}

/// A number of bytes, which has to be one.
uint64_t EntryParser::parsePacked(const JsonView &json) {
  int64_t bytes = json.integer();
  if (bytes < 0)
    json.complain(
        makeError("expected a number no less than 0, but got {}", bytes));
  return static_cast<uint64_t>(std::max<int64_t>(bytes, 0));
}

static MachineDescription parseMachine(const JsonView &json) {
  MachineDescription machine;
  if (json.has("vendor")) {
    machine.vendor = json["vendor"].text();
    machine.family = json["family"].integer();
    machine.model = json["model"].integer();
    machine.stepping = json["stepping"].integer();
  }
  machine.cores = json["cores"].integer();
  machine.l1 = json["l1"].integer();
  machine.l2 = json["l2"].integer();
  machine.l3 = json["l3"].integer();
  if (json.has("l3_threads"))
    machine.l3Threads = json["l3_threads"].integer();
  machine.hertz = json["hertz"].number();
  machine.multiplyAdds = json["multiply_adds"].number();
  machine.pairProducts = json["pair_products"].number();
  machine.sharesPorts = json["shares_ports"].boolean();
  if (json.has("calibration"))
    for (const auto &[name, number] : json["calibration"].members())
      machine.calibration[name] = number.number();
  return machine;
}

static Target parseTarget(const JsonView &json) {
  Target target{json["arch"].text(), json["cpu"].text(),
                json["features"].texts()};
  if (json.has("machine"))
    target.machine = parseMachine(json["machine"]);
  return target;
}

Manifest Manifest::halfFor(bool isGpu) const {
  Manifest half = *this;
  if (!gpu)
    return half;
  half.gpu.reset();
  if (isGpu) {
    half.target = *gpu;
    half.versions.clear();
  }
  for (Entry &entry : half.entries) {
    if (isGpu && entry.gpu) {
      entry.workspace = entry.gpu->workspace;
      entry.launches = entry.gpu->launches;
      entry.packed = 0;
    }
    entry.gpu.reset();
  }
  return half;
}

Result<Manifest> mixattn::parseManifest(std::string_view text) {
  Result<Json> json = parseJson(text);
  if (!json)
    return inPlace("manifest", json.error());
  std::optional<Error> firstError;
  JsonView root(*json, "", firstError);
  Manifest manifest;
  manifest.abi = root["abi"].integer();
  if (!firstError && manifest.abi != MIXATTN_ABI_VERSION)
    return makeError("expected ABI version {}, but got {}", MIXATTN_ABI_VERSION,
                     manifest.abi);
  manifest.producer = root["producer"].text();
  manifest.target = parseTarget(root["target"]);
  if (root.has("versions")) {
    for (const JsonView &version : root["versions"].elements()) {
      manifest.versions.push_back(parseTarget(version));
      if (manifest.versions.back().isGpu())
        version["arch"].complain(
            makeError("expected a CPU among the versions, but got '{}'",
                      manifest.versions.back().arch));
    }
    if (manifest.versions.size() < 2)
      root["versions"].complain(
          makeError("expected two or more versions, but got {}",
                    manifest.versions.size()));
  }
  if (root.has("gpu"))
    manifest.gpu = parseTarget(root["gpu"]);
  if (root.has("sanitizer")) {
    std::string name = root["sanitizer"].text();
    if (std::optional<Sanitizer> known = sanitizerNamed(name))
      manifest.sanitizer = *known;
    else
      root["sanitizer"].complain(
          makeError("expected none, address or thread, but got '{}'", name));
  }
  std::set<std::string> names;
  for (const JsonView &entry : root["entries"].elements()) {
    manifest.entries.push_back(EntryParser(entry).parse());
    if (entry.has("launches"))
      checkTargets(entry["launches"], manifest.target);
    if (manifest.gpu)
      checkTargets(entry["gpu"]["launches"], *manifest.gpu);
    const std::string &name = manifest.entries.back().name;
    if (name.empty() || !names.insert(name).second)
      entry.complain(
          makeError("expected a name of its own, but got '{}'", name));
  }
  if (firstError)
    return inPlace("manifest", *firstError);
  return manifest;
}
