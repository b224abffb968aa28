// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bodies in place of what calls them: functions, and the graphs that nodes have
// as attributes.
#include "lib/Import/OnnxFields.h"
#include "lib/Import/OnnxGraphReader.h"

using namespace mixattn;

/// Calls within calls: bodies are read one within the other.
static constexpr size_t mostDepth = 256;

/// Reads a function's body with a call's operands, results and attributes.
void GraphReader::inlineCall(Scope &scope, const onnx::NodeProto &view,
                             GraphNode &node, Attributes attributes,
                             const OnnxFunction &function) {
  const onnx::FunctionProto &body = *function.body;
  if (view.input_size() > body.input_size() ||
      view.output_size() > body.output_size())
    return complain(makeError("expected at most {} operands and {} results, "
                              "but got {} and {}",
                              body.input_size(), body.output_size(),
                              view.input_size(), view.output_size()));
  if (!open.insert(&function).second)
    return complain(makeError("a function that calls itself is not compiled"));
  if (open.size() > mostDepth)
    return complain(makeError("expected functions that call each other at most "
                              "{} deep, but got more",
                              mostDepth));
  for (const auto &attribute : function.attributes)
    attributes.try_emplace(attribute->name(), attribute.get());
  Scope inner;
  inner.prefix = node.name + "/";
  inner.attributes = &attributes;
  inner.place = node.place;
  for (int i = 0; i < view.input_size(); ++i)
    if (std::optional<ValueId> value = use(scope, view.input(i)))
      inner.values[body.input(i)] = *value;
  for (const onnx::NodeProto &each : body.node())
    if (!firstError)
      readNode(inner, each);
  for (int i = 0; i < view.output_size() && !firstError; ++i) {
    if (view.output(i).empty())
      continue;
    std::optional<ValueId> value = use(inner, body.output(i));
    if (value && !scope.values.emplace(view.output(i), *value).second)
      complain(makeError("expected tensor '{}' to be computed once, but got it "
                         "again",
                         view.output(i)));
  }
  open.erase(&function);
}

/// Adds a node of one result, which no other node reads by its name.
ValueId GraphReader::addNode(GraphNode node, const std::string &name) {
  result.values.push_back({name, DType::F32, {}, /*isTyped=*/false});
  node.results = {result.values.size() - 1};
  result.nodes.push_back(std::move(node));
  return result.values.size() - 1;
}

/// Reads a graph of one operand and one result, which sees what is around it.
std::optional<ValueId> GraphReader::inlineGraph(Scope &scope,
                                                const GraphNode &node,
                                                const onnx::GraphProto &body,
                                                ValueId operand) {
  if (body.input_size() != 1 || body.output_size() != 1) {
    complain(makeError("expected a graph of one operand and one result, but "
                       "got {} and {}",
                       body.input_size(), body.output_size()));
    return std::nullopt;
  }
  require(
      checkNewerFields("the graph", body.unknown_fields(), {metadataOfGraph}));
  Scope inner = scope;
  inner.prefix = node.name + "/";
  inner.place = node.place;
  readInitializers(inner, body);
  inner.values[body.input(0).name()] = operand;
  if (body.sparse_initializer_size())
    complain(makeError("sparse tensors are not compiled"));
  for (const onnx::NodeProto &each : body.node())
    if (!firstError)
      readNode(inner, each);
  return firstError ? std::nullopt : use(inner, body.output(0).name());
}

/// FlexAttention is three ops: scores, weights and the values that they pool,
/// with the graphs that modify the first two between them.
void GraphReader::inlineFlexAttention(Scope &scope, const onnx::NodeProto &view,
                                      GraphNode &node,
                                      const Attributes &attributes) {
  if (view.input_size() != 3 || view.output_size() != 1)
    return complain(makeError("expected queries, keys and values, and one "
                              "result, but got {} and {}",
                              view.input_size(), view.output_size()));
  const onnx::AttributeProto *graphs[] = {nullptr, nullptr};
  for (const auto &[name, attribute] : attributes)
    if (name == "score_mod" || name == "prob_mod")
      graphs[name == "prob_mod"] = attribute;
    else
      node.arguments.emplace_back(name, readAttribute(*attribute));
  std::vector<std::optional<ValueId>> operands;
  for (const std::string &input : view.input())
    operands.push_back(use(scope, input));
  if (firstError)
    return;
  auto part = [&](const char *overload,
                  std::vector<std::optional<ValueId>> inputs) {
    GraphNode made = node;
    made.op += overload;
    made.inputs = std::move(inputs);
    return addNode(std::move(made), view.output(0) + overload);
  };
  std::optional<ValueId> modified = part(".scores", {operands[0], operands[1]});
  if (graphs[0])
    modified = inlineGraph(scope, node, graphs[0]->g(), *modified);
  if (firstError)
    return;
  modified = part(".weights", {modified});
  if (graphs[1])
    modified = inlineGraph(scope, node, graphs[1]->g(), *modified);
  if (firstError)
    return;
  ValueId pooled = part(".values", {operands[0], operands[2], modified});
  if (!scope.values.emplace(view.output(0), pooled).second)
    complain(makeError("expected tensor '{}' to be computed once, but got it "
                       "again",
                       view.output(0)));
}
