// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads torch/_export/serde/schema.py's ExportedProgram, version 8. Integers
// that follow from sizes have their expression in the file: what computes them
// is no node of ours, nor is what asserts.
#include "lib/Import/Pt2Program.h"

#include "lib/Import/JoinedDims.h"
#include "lib/Import/Pt2Values.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <cmath>

using namespace mixattn;
using llvm::StringRef;

static constexpr int64_t majorVersion = 8;

namespace {

class ProgramReader {
public:
  ProgramReader(const JsonView &root, const InputDimNames &names,
                const FindWeight &findWeight, std::optional<Error> &firstError)
      : root(root), names(names), findWeight(findWeight),
        firstError(firstError), values(root, result.values, firstError) {}

  Graph read();

private:
  void readInputs(const JsonView &specs);
  void readInput(const JsonView &spec);
  void readNode(const JsonView &view);
  void readResults(const JsonView &outputs, GraphNode &node);
  void readUpdates(const JsonView &specs);
  void readUpdate(const JsonView &view, ValueId update);
  void readOutputs(const JsonView &specs);
  void readRanges(const JsonView &ranges);
  Argument readArgument(const JsonView &argument);
  double readNumber(const JsonView &number);
  void complain(const Error &error) {
    if (!firstError)
      firstError = error;
  }

  const JsonView &root;
  const InputDimNames &names;
  const FindWeight &findWeight;
  std::optional<Error> &firstError;
  Graph result;
  ProgramValues values;
  /// Buffers that the program writes to.
  std::set<std::string> updatedBuffers;
};

} // namespace

/// The only member of an object: its name and value.
static std::pair<std::string, JsonView> onlyMember(const JsonView &view) {
  auto members = view.members();
  if (members.size() == 1)
    return members[0];
  view.complain(makeError("expected an object with one member, but got {}",
                          members.size()));
  return {"", view};
}

double ProgramReader::readNumber(const JsonView &number) {
  if (!number.isText())
    return number.number();
  std::string text = number.text();
  if (text == "Infinity")
    return INFINITY;
  if (text == "-Infinity")
    return -INFINITY;
  if (text != "NaN")
    number.complain(makeError("expected a number, but got '{}'", text));
  return NAN;
}

void ProgramReader::readInput(const JsonView &spec) {
  auto [kind, view] = onlyMember(spec);
  GraphInput input;
  if (kind == "user_input") {
    auto [form, tensor] = onlyMember(view["arg"]);
    if (form != "as_tensor")
      return view.complain(makeError("expected inputs that are tensors, but "
                                     "got '{}'",
                                     form));
    input.name = tensor["name"].text();
    input.value = values.define(tensor["name"]);
    if (!firstError)
      values.checkInput(spec, input);
    result.inputs.push_back(std::move(input));
    return;
  }
  const char *member = kind == "parameter"         ? "parameter_name"
                       : kind == "buffer"          ? "buffer_name"
                       : kind == "tensor_constant" ? "tensor_constant_name"
                                                   : nullptr;
  if (!member)
    return spec.complain(makeError("expected inputs, parameters, buffers and "
                                   "tensors, but got a '{}'",
                                   kind));
  input.name = view[member].text();
  input.isConstant = kind == "tensor_constant";
  input.value = values.define(view["arg"]["name"]);
  if (firstError)
    return;
  // An argument that calls write to is theirs.
  if (kind == "buffer" && updatedBuffers.count(input.name)) {
    values.checkInput(spec, input);
    return result.inputs.push_back(std::move(input));
  }
  Result<Tensor> weight = findWeight(input.name);
  if (!weight)
    return spec.complain(weight.error());
  const GraphValue &value = result.values[input.value];
  SizeList sizes(weight->shape().begin(), weight->shape().end());
  if (weight->dtype() != value.dtype || sizes != value.sizes)
    spec.complain(makeError("expected '{}' as {} of shape {}, but its elements "
                            "are {} of shape {}",
                            input.name, nameOf(value.dtype),
                            toText(value.sizes), nameOf(weight->dtype()),
                            toText(sizes)));
  input.weight = std::move(*weight);
  result.inputs.push_back(std::move(input));
}

void ProgramReader::readInputs(const JsonView &specs) {
  values.nameDims(specs, names);
  for (const JsonView &spec : specs.elements())
    readInput(spec);
  for (const auto &[place, name] : names) {
    bool isThere = false;
    for (const GraphInput &each : result.inputs)
      isThere |= !each.weight && each.name == place.first &&
                 place.second < int64_t(result.values[each.value].sizes.size());
    if (!isThere)
      specs.complain(makeError("expected '--name-dim' to name a dim of an "
                               "input, but got '{}.{}'",
                               place.first, place.second));
  }
}

Argument ProgramReader::readArgument(const JsonView &argument) {
  auto [kind, view] = onlyMember(argument);
  if (kind == "as_tensor")
    return values.use(view["name"]);
  if (kind == "as_optional_tensor")
    return view.has("as_tensor")
               ? Argument(values.use(view["as_tensor"]["name"]))
               : Argument();
  if (kind == "as_tensors" || kind == "as_optional_tensors") {
    std::vector<std::optional<ValueId>> tensors;
    for (const JsonView &each : view.elements())
      if (kind == "as_tensors")
        tensors.push_back(values.use(each["name"]));
      else if (each.has("as_tensor"))
        tensors.push_back(values.use(each["as_tensor"]["name"]));
      else
        tensors.push_back(std::nullopt);
    return tensors;
  }
  if (kind == "as_int")
    return SizePolynomial(view.integer());
  if (kind == "as_sym_int")
    return values.readInteger(view);
  if (kind == "as_ints" || kind == "as_sym_ints") {
    SizeList sizes;
    for (const JsonView &each : view.elements())
      sizes.push_back(kind == "as_ints" ? SizePolynomial(each.integer())
                                        : values.readInteger(each));
    return sizes;
  }
  if (kind == "as_float")
    return readNumber(view);
  if (kind == "as_floats") {
    std::vector<double> numbers;
    for (const JsonView &each : view.elements())
      numbers.push_back(readNumber(each));
    return numbers;
  }
  if (kind == "as_sym_float" && view.has("as_float"))
    return readNumber(view["as_float"]);
  if (kind == "as_bool")
    return view.boolean();
  if (kind == "as_sym_bool" && view.has("as_bool"))
    return view["as_bool"].boolean();
  if (kind == "as_string")
    return view.text();
  if (kind == "as_scalar_type") {
    Result<DType> dtype = dtypeOfTorch(view.integer());
    if (dtype)
      return *dtype;
    view.complain(dtype.error());
  }
  // Where and in what order elements lie is the compiler's affair.
  if (kind == "as_none" || kind == "as_device" || kind == "as_layout" ||
      kind == "as_memory_format")
    return Argument();
  return OtherArgument{kind};
}

void ProgramReader::readResults(const JsonView &outputs, GraphNode &node) {
  for (const JsonView &output : outputs.elements()) {
    auto [kind, view] = onlyMember(output);
    if (kind == "as_tensor")
      node.results.push_back(values.define(view["name"], /*mayBeEmpty=*/true));
    else if (kind == "as_tensors")
      for (const JsonView &each : view.elements())
        node.results.push_back(
            values.define(each["name"], /*mayBeEmpty=*/true));
    else if (kind != "as_sym_int" && kind != "as_sym_bool" &&
             kind != "as_sym_float" && kind != "as_none")
      output.complain(makeError("expected tensors as results of an op, but got "
                                "'{}'",
                                kind));
  }
}

/// Whether an op gives the only element of a tensor as an integer.
static bool takesInteger(StringRef op) {
  return op == "aten.item.default" || op == "aten._local_scalar_dense.default";
}

void ProgramReader::readNode(const JsonView &view) {
  GraphNode node;
  std::string text = view["target"].text();
  StringRef target = text;
  target.consume_front("torch.ops.");
  node.op = target.str();
  JsonView metadata = view["metadata"];
  if (metadata.has("stack_trace"))
    node.place = findPlace(metadata["stack_trace"].rawText());
  size_t before = result.values.size();
  std::vector<JsonView> outputs = view["outputs"].elements();
  if (view.has("name") && !view["name"].isNull())
    node.name = view["name"].text();
  std::optional<Error> outer = firstError;
  std::vector<std::pair<std::string, JsonView>> arguments;
  for (const JsonView &input : view["inputs"].elements())
    arguments.emplace_back(input["name"].text(), input["arg"]);
  for (const auto &[name, argument] : arguments)
    if (argument.has("as_graph"))
      return complain(
          makeError("{}: control flow is not compiled", describe(node)));
  // Nothing that asserts or computes integers has tensors as results.
  auto hasTensors = [](const JsonView &output) {
    return output.has("as_tensor") || output.has("as_tensors");
  };
  if (takesInteger(node.op) && outputs.size() == 1 &&
      outputs[0].has("as_sym_int"))
    node.integer = values.defineInteger(outputs[0]["as_sym_int"]);
  else if (std::none_of(outputs.begin(), outputs.end(), hasTensors))
    return;
  for (const auto &[name, argument] : arguments)
    node.arguments.emplace_back(name, readArgument(argument));
  readResults(view["outputs"], node);
  if (firstError && !outer)
    firstError = inPlace(describe(node), *firstError);
  for (size_t id = before; id < result.values.size(); ++id)
    values.checkDims(result.values[id].sizes, node);
  for (const auto &[name, argument] : node.arguments)
    values.checkArgument(argument, node);
  result.nodes.push_back(std::move(node));
}

/// Finds the buffers that the program writes to, before inputs are read.
void ProgramReader::readUpdates(const JsonView &specs) {
  for (const JsonView &spec : specs.elements())
    if (spec.has("buffer_mutation"))
      updatedBuffers.insert(spec["buffer_mutation"]["buffer_name"].text());
}

void ProgramReader::readOutputs(const JsonView &specs) {
  std::vector<JsonView> outputs = specs.elements();
  auto isResult = [](const JsonView &spec) { return spec.has("user_output"); };
  int64_t count = std::count_if(outputs.begin(), outputs.end(), isResult);
  for (const JsonView &output : outputs) {
    auto [kind, view] = onlyMember(output);
    const char *updated = kind == "buffer_mutation"       ? "buffer_name"
                          : kind == "user_input_mutation" ? "user_input_name"
                                                          : nullptr;
    if (updated) {
      ValueId update = values.use(view["arg"]["name"]);
      readUpdate(view[updated], update);
      continue;
    }
    if (kind != "user_output")
      return output.complain(makeError("expected results, and inputs and "
                                       "buffers that are written to, but got "
                                       "a '{}'",
                                       kind));
    auto [form, tensor] = onlyMember(view["arg"]);
    if (form != "as_tensor")
      return view.complain(makeError("expected results that are tensors, but "
                                     "got '{}'",
                                     form));
    std::string name = "output";
    if (count > 1)
      name += std::to_string(result.outputs.size());
    result.outputs.emplace_back(name, values.use(tensor["name"]));
  }
}

/// An input or a buffer of that name, and what it is once it was written to.
void ProgramReader::readUpdate(const JsonView &view, ValueId update) {
  std::string name = view.text();
  for (auto [place, input] : llvm::enumerate(result.inputs))
    if (input.name == name && !input.weight) {
      result.updates.emplace_back(place, update);
      return;
    }
  view.complain(makeError("expected the name of an input or a buffer, but got "
                          "'{}'",
                          name));
}

/// PyTorch exports for sizes within a range: from 2 on without end unless the
/// model asks for less. From 2 on stands for all sizes: PyTorch makes a graph
/// of its own for sizes of 0 and 1 because they may be spread, which ours are
/// not.
void ProgramReader::readRanges(const JsonView &ranges) {
  std::map<std::string, GraphNode *> integers;
  for (GraphNode &node : result.nodes)
    if (!node.integer.empty())
      integers[node.integer] = &node;
  for (const auto &[symbol, range] : ranges.members()) {
    auto dim = values.dimOf(symbol);
    auto bound = [&range = range](const char *name) {
      bool isGiven = range.has(name) && range[name].isInteger();
      return isGiven ? std::optional(range[name].integer()) : std::nullopt;
    };
    std::optional<int64_t> least = bound("min_val"), most = bound("max_val");
    if (auto found = integers.find(symbol); found != integers.end())
      std::tie(found->second->least, found->second->most) = {least, most};
    else if (!dim)
      continue;
    // Sizes are at least 0.
    int64_t lowest = dim ? std::max<int64_t>(least.value_or(0), 0)
                         : least.value_or(INT64_MIN);
    if (most && *most < lowest)
      range.complain(makeError("expected a range that ascends, but got {} to "
                               "{}",
                               lowest, *most));
    int64_t from = least.value_or(0) <= 2 ? 0 : *least;
    if (!dim || (!from && !most))
      continue;
    // Several symbols may be one dim.
    result.ranges[dim->dim].narrow(rangeOfPart({from, most}, *dim));
  }
}

Graph ProgramReader::read() {
  JsonView module = root["graph_module"];
  readUpdates(module["signature"]["output_specs"]);
  readInputs(module["signature"]["input_specs"]);
  for (const JsonView &node : module["graph"]["nodes"].elements())
    if (!firstError)
      readNode(node);
  readOutputs(module["signature"]["output_specs"]);
  if (root.has("range_constraints"))
    readRanges(root["range_constraints"]);
  result.remarks = values.getRemarks();
  result.multiples = values.getMultiples();
  for (const auto &[dim, range] : values.getNeeded()) {
    result.ranges[dim].narrow(range);
    if (range.most)
      result.remarks.push_back(remarkOnLimit(dim, *range.most));
  }
  return std::move(result);
}

Result<Graph> mixattn::readProgram(std::string_view text,
                                   const InputDimNames &names,
                                   const FindWeight &findWeight) {
  Result<Json> json = parseJson(text);
  if (!json)
    return json.error();
  std::optional<Error> firstError;
  JsonView root(*json, "", firstError);
  int64_t version = root["schema_version"]["major"].integer();
  if (version != majorVersion)
    root.complain(makeError("expected a program of torch.export's schema "
                            "version {}, but got {}",
                            majorVersion, version));
  if (firstError)
    return *firstError;
  Graph graph = ProgramReader(root, names, findWeight, firstError).read();
  if (firstError)
    return *firstError;
  return graph;
}
