// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Nodes one after the other. Initialisers of floats with dims are parameters,
// others and the results of Constant are constants of the text.
#include "lib/Import/OnnxGraphReader.h"

#include "lib/Import/Diagonal.h"
#include "lib/Import/OnnxFields.h"
#include "lib/Import/OnnxInputs.h"

using namespace mixattn;

/// Nodes of a model with those of its functions; beyond these it is no model
/// but functions that double themselves.
static constexpr size_t mostNodes = 1 << 17;

/// `onnx.MatMul`, `com.microsoft.Gelu`, `mixattn.mix_heads.lse`.
static std::string opOf(const onnx::NodeProto &node) {
  bool isStandard =
      node.domain().empty() || node.domain() == "ai.onnx" ||
      (node.domain() == "ai.onnx.preview" && node.op_type() == "FlexAttention");
  std::string op = (isStandard ? "onnx" : node.domain()) + "." + node.op_type();
  for (const NewerField &field : readNewerFields(node.unknown_fields()))
    if (field.number == overloadOfNode && !field.bytes.empty() &&
        node.domain() == outrightDomain)
      op += "." + std::string(field.bytes);
  return op;
}

std::optional<ValueId> GraphReader::use(const Scope &scope,
                                        const std::string &name) {
  if (name.empty())
    return std::nullopt;
  auto found = scope.values.find(name);
  if (found != scope.values.end()) {
    used.insert(found->second);
    return found->second;
  }
  complain(makeError("expected tensor '{}' to be computed before it is used, "
                     "but got none",
                     name));
  return std::nullopt;
}

ValueId GraphReader::define(Scope &scope, const std::string &name,
                            GraphValue value) {
  if (!name.empty() && !scope.values.emplace(name, result.values.size()).second)
    complain(makeError("expected tensor '{}' to be computed once, but got it "
                       "again",
                       name));
  result.values.push_back(std::move(value));
  return result.values.size() - 1;
}

ValueId GraphReader::addConstant(const std::string &name, Tensor tensor,
                                 bool isConstant) {
  GraphInput input;
  input.value = result.values.size();
  input.name = name;
  input.isConstant = isConstant;
  GraphValue value = {name, tensor.dtype(), {}};
  for (int64_t size : tensor.shape()) {
    value.sizes.push_back(size);
  }
  input.weight = std::move(tensor);
  result.inputs.push_back(std::move(input));
  result.values.push_back(std::move(value));
  return input.value;
}

void GraphReader::readInitializers(Scope &scope,
                                   const onnx::GraphProto &graph) {
  for (const onnx::TensorProto &tensor : graph.initializer()) {
    const std::string &name = tensor.name();
    Result<Tensor> elements = readOnnxTensor(tensor, files);
    if (!elements)
      return complain(elements.error());
    bool isConstant = elements->shape().empty() || !elements->elements() ||
                      !isFloat(elements->dtype()) || isDiagonalMask(*elements);
    if (!scope.values.emplace(name, result.values.size()).second)
      return complain(makeError("expected tensor '{}' to be computed once, but "
                                "got it again",
                                name));
    addConstant(name, std::move(*elements), isConstant);
  }
}

void GraphReader::readInputs(Scope &scope, const InputDimNames &names) {
  // Initialisers may be listed as inputs: they are what calls need not give.
  std::vector<const onnx::ValueInfoProto *> inputs;
  for (const onnx::ValueInfoProto &input : model.graph().input())
    if (!scope.values.count(input.name()))
      inputs.push_back(&input);
  Result<std::vector<GraphValue>> values = readOnnxInputs(inputs, names);
  if (!values)
    return complain(values.error());
  for (GraphValue &value : *values) {
    GraphInput input;
    input.name = value.name;
    input.value = define(scope, input.name, std::move(value));
    result.inputs.push_back(std::move(input));
  }
}

/// Where PyTorch's exporter was told that an op stands.
SourcePlace GraphReader::readMetadata(const onnx::NodeProto &view) {
  SourcePlace place;
  for (const NewerField &field : readNewerFields(view.unknown_fields())) {
    onnx::StringStringEntryProto entry;
    if (field.number == overloadOfNode && !field.bytes.empty() &&
        view.domain() != outrightDomain)
      complain(makeError("expected a function without overloads, but got '{}'",
                         field.bytes));
    if (field.number == metadataOfNode &&
        entry.ParseFromArray(field.bytes.data(), int(field.bytes.size())) &&
        entry.key() == "pkg.torch.onnx.stack_trace")
      place = findPlace(entry.value());
  }
  return place;
}

/// A node's attributes; those that refer to a call's are the call's.
Attributes GraphReader::attributesOf(const Scope &scope,
                                     const onnx::NodeProto &view) {
  Attributes attributes;
  for (const onnx::AttributeProto &attribute : view.attribute()) {
    require(checkNewerFields("an attribute", attribute.unknown_fields(), {}));
    const onnx::AttributeProto *given = &attribute;
    if (!attribute.ref_attr_name().empty()) {
      if (!scope.attributes) {
        complain(makeError("expected a value for attribute '{}', but it refers "
                           "to that of a function",
                           attribute.name()));
        continue;
      }
      auto found = scope.attributes->find(attribute.ref_attr_name());
      // Without it in the call, the node has none either.
      if (found == scope.attributes->end())
        continue;
      given = found->second;
    }
    if (!attributes.emplace(attribute.name(), given).second)
      complain(makeError("expected attribute '{}' once, but got it again",
                         attribute.name()));
  }
  return attributes;
}

Argument GraphReader::readAttribute(const onnx::AttributeProto &attribute) {
  using Proto = onnx::AttributeProto;
  switch (attribute.type()) {
  case Proto::FLOAT:
    return double(attribute.f());
  case Proto::INT:
    return SizePolynomial(attribute.i());
  case Proto::STRING:
    return attribute.s();
  case Proto::INTS:
    return SizeList(attribute.ints().begin(), attribute.ints().end());
  case Proto::FLOATS:
    return std::vector<double>(attribute.floats().begin(),
                               attribute.floats().end());
  case Proto::TENSOR: {
    Result<Tensor> tensor = readOnnxTensor(attribute.t(), files);
    if (tensor) {
      ValueId value = addConstant(attribute.name(), std::move(*tensor), true);
      used.insert(value);
      return value;
    }
    complain(tensor.error());
    return Argument();
  }
  case Proto::GRAPH:
  case Proto::GRAPHS:
    complain(makeError("control flow is not compiled"));
    return Argument();
  default:
    return OtherArgument{Proto::AttributeType_Name(attribute.type())};
  }
}

void GraphReader::readConstant(Scope &scope, const onnx::NodeProto &view,
                               const Attributes &attributes) {
  if (attributes.size() != 1 || view.output_size() != 1)
    return complain(makeError("expected one attribute and one result, but got "
                              "{} and {}",
                              attributes.size(), view.output_size()));
  const auto &[name, attribute] = *attributes.begin();
  Result<Tensor> tensor = readOnnxConstant(name, *attribute, files);
  if (!tensor)
    return complain(tensor.error());
  if (!scope.values.emplace(view.output(0), result.values.size()).second)
    return complain(makeError("expected tensor '{}' to be computed once, but "
                              "got it again",
                              view.output(0)));
  addConstant(view.output(0), std::move(*tensor), true);
}

void GraphReader::readNode(Scope &scope, const onnx::NodeProto &view) {
  GraphNode node;
  node.op = withoutControls(opOf(view));
  std::string own = view.name();
  if (own.empty() && view.output_size())
    own = view.output(0);
  node.name = scope.prefix + withoutControls(own);
  std::optional<Error> outer = firstError;
  node.place = readMetadata(view);
  if (!node.place.line)
    node.place = scope.place;
  if (++numNodes > mostNodes)
    return complain(makeError("expected at most {} nodes with those of "
                              "functions, but got more",
                              mostNodes));
  require(checkNewerFields("a node", view.unknown_fields(),
                           {overloadOfNode, metadataOfNode, devicesOfNode}));
  Attributes attributes = attributesOf(scope, view);
  const OnnxFunction *function = functions.find(view.domain(), view.op_type());
  if (firstError) {
    // Said below.
  } else if (function) {
    inlineCall(scope, view, node, std::move(attributes), *function);
  } else if (node.op == "onnx.FlexAttention") {
    inlineFlexAttention(scope, view, node, attributes);
  } else if (node.op == "onnx.Constant") {
    readConstant(scope, view, attributes);
  } else {
    if (!view.output_size())
      complain(makeError("expected a result, but got none"));
    for (const std::string &input : view.input())
      node.inputs.push_back(use(scope, input));
    for (const auto &[name, attribute] : attributes)
      node.arguments.emplace_back(name, readAttribute(*attribute));
    for (const std::string &output : view.output())
      node.results.push_back(
          define(scope, output, {output, DType::F32, {}, /*isTyped=*/false}));
    if (node.op == "onnx.Resize")
      keepFactors(node);
    if (!firstError)
      result.nodes.push_back(node);
  }
  // The nodes of a body have said which of them it is.
  bool hasBody = function || node.op == "onnx.FlexAttention";
  bool isSaid =
      firstError && hasBody && firstError->message.compare(0, 4, "op '") == 0;
  if (firstError && !outer && !isSaid)
    firstError = inPlace(describe(node), *firstError);
}

/// Sizes follow from what a Resize multiplies them by: no parameter.
void GraphReader::keepFactors(const GraphNode &node) {
  for (GraphInput &input : result.inputs)
    for (size_t place = 1; place < node.inputs.size(); ++place)
      if (input.weight && node.inputs[place] == input.value)
        input.isConstant = true;
}

/// Parameters that no op reads are no arguments.
void GraphReader::dropUnused() {
  auto &inputs = result.inputs;
  inputs.erase(std::remove_if(inputs.begin(), inputs.end(),
                              [&](const GraphInput &input) {
                                return input.weight && !used.count(input.value);
                              }),
               inputs.end());
}

Result<Graph> GraphReader::read(const InputDimNames &names) {
  const onnx::GraphProto &graph = model.graph();
  require(
      checkNewerFields("the graph", graph.unknown_fields(), {metadataOfGraph}));
  if (graph.sparse_initializer_size())
    complain(makeError("sparse tensors are not compiled"));
  if (graph.quantization_annotation_size())
    complain(makeError("quantised tensors are not compiled"));
  Scope scope;
  require(functions.read(model));
  if (!firstError)
    readInitializers(scope, graph);
  if (!firstError)
    readInputs(scope, names);
  for (const onnx::NodeProto &node : graph.node())
    if (!firstError)
      readNode(scope, node);
  std::set<std::string> results;
  for (const onnx::ValueInfoProto &output : graph.output()) {
    if (firstError)
      break;
    if (!results.insert(output.name()).second)
      complain(makeError("expected each result once, but got '{}' again",
                         output.name()));
    if (std::optional<ValueId> value = use(scope, output.name()))
      result.outputs.emplace_back(output.name(), *value);
  }
  dropUnused();
  if (firstError)
    return *firstError;
  return std::move(result);
}

Result<Graph> mixattn::readOnnxGraph(const onnx::ModelProto &model,
                                     ExternalFiles &files,
                                     const InputDimNames &names) {
  return GraphReader(model, files).read(names);
}
