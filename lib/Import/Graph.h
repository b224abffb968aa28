// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A model as exporters write it: ops on tensors whose sizes are polynomials in
// named dims. Every reader fills it, and one builder makes MLIR of it.
#ifndef MIXATTN_LIB_IMPORT_GRAPH_H
#define MIXATTN_LIB_IMPORT_GRAPH_H

#include "lib/Runtime/Tensor.h"
#include "passes/entry/SizePolynomial.h"

#include <memory>
#include <variant>

namespace mixattn {

/// SizeList of a tensor, outermost first.
using SizeList = std::vector<SizePolynomial>;

/// `[B, 8, N]`.
std::string toText(const SizeList &sizes);

/// An error where no tensor of these sizes that is not empty fits into memory,
/// a size is below 0 whatever the dims are, or longer than sums may be of.
Status checkBytes(DType dtype, const SizeList &sizes);

/// A tensor that flows through the graph.
struct GraphValue {
  std::string name;
  DType dtype = DType::F32;
  SizeList sizes;
  /// Whether the file says both; else the op that computes it does.
  bool isTyped = true;
  /// Whether the last dim, of size 2, is the real and the imaginary part of
  /// complex numbers, which the file has no dim for.
  bool isComplex = false;
};

/// The place of a value in Graph::values.
using ValueId = size_t;

/// An argument that an exporter gives an op and no op of ours uses: its kind.
struct OtherArgument {
  std::string kind;
};

/// One argument of an op: nothing, a tensor, tensors of which some are missing,
/// an integer or a size, several of them, a number, several of them, a truth
/// value, a text, an element type, or something else.
using Argument =
    std::variant<std::monostate, ValueId, std::vector<std::optional<ValueId>>,
                 SizePolynomial, SizeList, double, std::vector<double>, bool,
                 std::string, DType, OtherArgument>;

/// Where a person wrote an op; line 0 where nobody knows.
struct SourcePlace {
  std::string file;
  int64_t line = 0;
};

/// One op. Its arguments have the names of the op's schema.
struct GraphNode {
  /// `aten.softmax.int`.
  std::string op;
  std::string name;
  SourcePlace place;
  std::vector<std::pair<std::string, Argument>> arguments;
  /// Arguments that have a place alone, not a name.
  std::vector<std::optional<ValueId>> inputs;
  std::vector<ValueId> results;
  /// The name that sizes have for the integer that the op takes out of a
  /// tensor, if it does, and the values of it that the model was made for.
  std::string integer;
  std::optional<int64_t> least, most;
};

/// An argument of the model.
struct GraphInput {
  ValueId value = 0;
  /// As people call it: `x`, or a parameter's name in the state dict.
  std::string name;
  /// The elements; none of what comes with each call.
  std::optional<Tensor> weight;
  /// Whether `weight` is a constant of the model's text, of no name to users.
  bool isConstant = false;
};

/// The sizes of an open dim that a model was made for; `most` may be open.
struct DimRange {
  int64_t least = 0;
  std::optional<int64_t> most;

  /// Leaves the sizes that `other` has, too.
  void narrow(const DimRange &other);
};

/// An open dim of inputs that is `factor` times `part`, the dim in which sizes
/// are said in its place.
struct MultipleDim {
  std::string part;
  int64_t factor;
};

/// A model.
struct Graph {
  std::vector<GraphValue> values;
  std::vector<GraphInput> inputs;
  /// In an order in which they can run.
  std::vector<GraphNode> nodes;
  /// Results with their names.
  std::vector<std::pair<std::string, ValueId>> outputs;
  /// Places of inputs that the model writes to, and what they are afterwards.
  std::vector<std::pair<size_t, ValueId>> updates;
  /// Ranges of open dims, which calls check; dims without one may have any
  /// size.
  std::map<std::string, DimRange> ranges;
  /// The dims by name of which calls give multiples.
  std::map<std::string, MultipleDim> multiples;
  /// Checks of calls that the file does not ask for, one sentence each.
  std::vector<std::string> remarks;
  /// The owner of elements of weights that are not in the file's bytes.
  std::shared_ptr<const void> memory;
  /// Paths of the other files that the model reads.
  std::vector<std::string> files;
};

/// Names that a user gives to dims of inputs: ("x", 0) is called "B".
using InputDimNames = std::map<std::pair<std::string, int64_t>, std::string>;

/// The innermost place of a Python stack that is not PyTorch's own.
SourcePlace findPlace(llvm::StringRef stack);

/// `op 'aten.mm.default' of node 'mm' (model.py:12)`.
std::string describe(const GraphNode &node);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_GRAPH_H
