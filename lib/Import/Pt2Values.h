// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tensors of a .pt2 program by name, and the dims that their sizes have.
#ifndef MIXATTN_LIB_IMPORT_PT2VALUES_H
#define MIXATTN_LIB_IMPORT_PT2VALUES_H

#include "lib/Import/ChosenNames.h"
#include "lib/Import/Pt2.h"
#include "lib/Import/SizeText.h"
#include "lib/Runtime/Json.h"

#include <set>

namespace mixattn {

/// Adds tensors to a graph as they are computed, and finds them again.
class ProgramValues {
public:
  /// The program's tensors go to `values`.
  ProgramValues(const JsonView &program, std::vector<GraphValue> &values,
                std::optional<Error> &firstError);

  /// Names the open dims of inputs by the user's names, or by their symbols:
  /// before any size is read.
  void nameDims(const JsonView &specs, const InputDimNames &names);
  /// The open dim that a symbol is, or of which it is a multiple; or nothing.
  std::optional<SizePolynomial::Affine> dimOf(const std::string &symbol) const;
  /// The dims of inputs of which calls give multiples.
  const std::map<std::string, MultipleDim> &getMultiples() const {
    return multiples;
  }
  /// Ranges of dims without which sizes would be no polynomials.
  const std::map<std::string, DimRange> &getNeeded() const {
    return bounds.needed;
  }
  /// Checks of calls: of dims that quotients take for one, one sentence each.
  const std::vector<std::string> &getRemarks() const { return remarks; }
  /// Fails if a size of an input is computed from what is no size of one.
  void checkInput(const JsonView &spec, const GraphInput &input);
  /// The new tensor whose name stands there. What an op gives may be empty.
  ValueId define(const JsonView &name, bool mayBeEmpty = false);
  /// The tensor whose name stands there.
  ValueId use(const JsonView &name);
  /// An integer, or the expression of one that was computed.
  SizePolynomial readInteger(const JsonView &integer);
  /// The symbol of an integer that an op takes out of a tensor: arguments of
  /// later ops may depend on it, sizes may not.
  std::string defineInteger(const JsonView &integer);
  /// Fails if a dim of `sizes` is none of inputs.
  void checkDims(const SizeList &sizes, const GraphNode &node);
  /// Fails if an argument depends on what is neither a dim of inputs nor an
  /// integer of a tensor.
  void checkArgument(const Argument &argument, const GraphNode &node);

private:
  SizePolynomial nameDim(const JsonView &view, const std::string &input,
                         int64_t dim, const InputDimNames &names);
  SizePolynomial readSize(const JsonView &size);
  void readBounds();
  void joinDims();
  bool joinDimsOf(const JsonView &size);
  void checkSymbols(const SizeList &sizes, const GraphNode &node,
                    bool mayBeTaken);

  const JsonView &program;
  std::vector<GraphValue> &values;
  std::optional<Error> &firstError;
  /// The types of tensors, and the expressions of integers.
  std::map<std::string, JsonView> types, integers;
  /// The names that users chose for symbols, and what all symbols are.
  DimNaming chosen;
  SymbolSizes symbols;
  /// Dims of inputs, and integers of tensors.
  std::set<std::string> dims, taken;
  DimBounds bounds;
  /// Dims of inputs by how many come before.
  std::map<std::string, size_t> places;
  std::map<std::string, MultipleDim> multiples;
  std::vector<std::string> remarks;
  std::map<std::string, ValueId> ids;
};

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_PT2VALUES_H
