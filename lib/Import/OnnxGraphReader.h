// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reader of an ONNX model's graph.
#ifndef MIXATTN_LIB_IMPORT_ONNXGRAPHREADER_H
#define MIXATTN_LIB_IMPORT_ONNXGRAPHREADER_H

#include "lib/Import/OnnxFunctions.h"
#include "lib/Import/OnnxGraph.h"

#include <onnx/onnx.pb.h>

#include <set>

namespace mixattn {

/// A node's attributes by name.
using Attributes = std::map<std::string, const onnx::AttributeProto *>;

/// The values and attributes that nodes of the graph, or of one call of a
/// function, know by name.
struct Scope {
  /// In front of the names of nodes.
  std::string prefix;
  std::map<std::string, ValueId> values;
  /// Those of the call; null in the graph itself.
  const Attributes *attributes = nullptr;
  SourcePlace place;
};

/// Reads a model's graph, and in place of calls the bodies that they have.
class GraphReader {
public:
  GraphReader(const onnx::ModelProto &model, ExternalFiles &files)
      : model(model), files(files) {}

  Result<Graph> read(const InputDimNames &names);

private:
  void readInitializers(Scope &scope, const onnx::GraphProto &graph);
  void readInputs(Scope &scope, const InputDimNames &names);
  void readNode(Scope &scope, const onnx::NodeProto &view);
  void readConstant(Scope &scope, const onnx::NodeProto &view,
                    const Attributes &attributes);
  void inlineCall(Scope &scope, const onnx::NodeProto &view, GraphNode &node,
                  Attributes attributes, const OnnxFunction &function);
  void inlineFlexAttention(Scope &scope, const onnx::NodeProto &view,
                           GraphNode &node, const Attributes &attributes);
  std::optional<ValueId> inlineGraph(Scope &scope, const GraphNode &node,
                                     const onnx::GraphProto &body,
                                     ValueId operand);
  ValueId addNode(GraphNode node, const std::string &name);
  Attributes attributesOf(const Scope &scope, const onnx::NodeProto &view);
  Argument readAttribute(const onnx::AttributeProto &attribute);
  SourcePlace readMetadata(const onnx::NodeProto &view);
  std::optional<ValueId> use(const Scope &scope, const std::string &name);
  ValueId define(Scope &scope, const std::string &name, GraphValue value);
  ValueId addConstant(const std::string &name, Tensor tensor, bool isConstant);
  void keepFactors(const GraphNode &node);
  void dropUnused();
  void complain(const Error &error) {
    if (!firstError)
      firstError = error;
  }
  bool require(const Status &status) {
    if (!status)
      complain(status.error());
    return bool(status);
  }

  const onnx::ModelProto &model;
  ExternalFiles &files;
  std::optional<Error> firstError;
  Graph result;
  OnnxFunctions functions;
  /// Functions whose bodies are being read.
  std::set<const OnnxFunction *> open;
  std::set<ValueId> used;
  size_t numNodes = 0;
};

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXGRAPHREADER_H
