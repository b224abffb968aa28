// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One op of an imported graph while it is written as linalg.
#ifndef MIXATTN_LIB_IMPORT_OPCALL_H
#define MIXATTN_LIB_IMPORT_OPCALL_H

#include "lib/Import/GraphBuilder.h"

#include <set>

namespace mixattn {

/// The largest count, step or distance that ops without need for more take.
constexpr int64_t mostCounted = 1 << 20;

/// Gives an op's arguments by name and takes its results. An argument that
/// nobody asked for fails the op: it may change what the op computes.
class OpCall {
public:
  OpCall(GraphBuilder &build, const Graph &graph, const GraphNode &node,
         std::vector<Built> &values)
      : build(build), graph(graph), node(node), values(values),
        arguments(node.arguments) {}

  GraphBuilder &build;

  /// Gives the arguments that have places alone these names in order, or all of
  /// them one where `isList`.
  void nameInputs(llvm::ArrayRef<const char *> names, bool isList);
  /// Calls an argument `ours` from now on; where it is missing, it is
  /// `otherwise`.
  void rename(llvm::StringRef theirs, llvm::StringRef ours,
              std::optional<int64_t> otherwise);

  /// Whether an argument is there and is no None.
  bool has(llvm::StringRef name) const;
  /// A tensor that must be there.
  Built tensor(llvm::StringRef name);
  /// A tensor, or a number as one without dims.
  Built operand(llvm::StringRef name);
  /// Whether an argument is a tensor of complex numbers.
  bool isComplex(llvm::StringRef name) const;
  /// Tensors, of which some may be missing.
  std::vector<Built> tensors(llvm::StringRef name);
  /// Integers may be tensors that follow from sizes and constants alone.
  SizePolynomial size(llvm::StringRef name, const SizePolynomial &otherwise);
  int64_t integer(llvm::StringRef name, int64_t otherwise);
  double number(llvm::StringRef name, double otherwise);
  std::vector<double> numbers(llvm::StringRef name);
  bool flag(llvm::StringRef name, bool otherwise);
  std::string text(llvm::StringRef name, llvm::StringRef otherwise);
  SizeList sizes(llvm::StringRef name);
  /// A dim of a tensor of that rank; those below 0 count from the end.
  int64_t dim(llvm::StringRef name, int64_t rank, int64_t otherwise);
  /// Dims in ascending order; all where none is given.
  llvm::SmallVector<int64_t> dims(llvm::StringRef name, int64_t rank);
  /// Dims in the order given.
  llvm::SmallVector<int64_t> orderedDims(llvm::StringRef name, int64_t rank);

  /// The type that the file gives a result.
  const GraphValue &result(size_t index = 0) const {
    return graph.values[node.results[index]];
  }
  /// The result's type, which must be one of floats; f32 where it is not.
  DType floatType();
  /// The op in the file, for what it says besides arguments.
  const GraphNode &source() const { return node; }
  size_t numResults() const { return node.results.size(); }
  /// `int` of `aten.softmax.int`; empty where the name has none.
  llvm::StringRef overload() const;
  /// Takes a result, which must have the sizes and the type that the file says.
  void give(const Built &value, size_t index = 0);
  /// Fails if an argument has not been asked for, or no result given.
  void finish();

private:
  const Argument *find(llvm::StringRef name);
  int64_t checkedDim(llvm::StringRef name, int64_t dim, int64_t rank);
  /// Fails where a result that the file says nothing of has odd sizes.
  void checkSizes(const Built &value);
  std::string shown(llvm::StringRef name) const;
  Built failOf(llvm::StringRef name, const char *expected);
  /// The integers that a tensor given for an argument is, or null.
  const SizeList *integersOf(const Argument &argument) const;

  const Graph &graph;
  const GraphNode &node;
  std::vector<Built> &values;
  std::vector<std::pair<std::string, Argument>> arguments;
  /// The exporter's names of arguments that have ours.
  std::map<std::string, std::string, std::less<>> theirNames;
  std::set<std::string> asked;
};

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPCALL_H
