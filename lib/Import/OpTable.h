// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All ops that are compiled. To add one, add a row to the table of its family.
#ifndef MIXATTN_LIB_IMPORT_OPTABLE_H
#define MIXATTN_LIB_IMPORT_OPTABLE_H

#include "lib/Import/OpCall.h"

namespace mixattn {

/// Writes one op.
using OpWriter = std::function<void(OpCall &)>;

/// Writers by names of ops: `aten.softmax` for all its overloads.
using OpTable = std::map<std::string, OpWriter, std::less<>>;

/// An attribute of an ONNX op: our name, ONNX's, and its number where a node
/// has none.
struct OnnxAttribute {
  const char *ours;
  const char *theirs;
  std::optional<int64_t> otherwise = {};
};

/// Writes an ONNX op, whose operands have these names in order.
OpWriter fromOnnx(std::vector<const char *> inputs,
                  std::vector<OnnxAttribute> attributes, OpWriter writer);
/// Writes an ONNX op of any number of operands, which are one argument.
OpWriter fromOnnxList(const char *inputs, std::vector<OnnxAttribute> attributes,
                      OpWriter writer);

/// The writer of an op of any overload, or null; of PyTorch's ops on complex
/// numbers those whose names begin with `complex.` in place of `aten.`.
const OpWriter *findWriter(const std::string &op, bool isComplex);

// The families, each in its file under ops/.
void addPointwise(OpTable &table);
void addDivisions(OpTable &table);
void addFunctions(OpTable &table);
void addActivations(OpTable &table);
void addComparisons(OpTable &table);
void addConstants(OpTable &table);
void addViews(OpTable &table);
void addParts(OpTable &table);
void addBorders(OpTable &table);
void addProducts(OpTable &table);
void addReductions(OpTable &table);
void addNorms(OpTable &table);
void addAttention(OpTable &table);
void addOnnxAttention(OpTable &table);
void addFlexAttention(OpTable &table);
void addAttnOps(OpTable &table);
void addGathers(OpTable &table);
void addConvolutions(OpTable &table);
void addPools(OpTable &table);
void addCaches(OpTable &table);
void addReplacements(OpTable &table);
void addScatters(OpTable &table);
void addScattered(OpTable &table);
void addSizes(OpTable &table);
void addPlaced(OpTable &table);
void addRepeats(OpTable &table);
void addVectorNorms(OpTable &table);
void addPlaces(OpTable &table);
void addResizes(OpTable &table);
void addComplex(OpTable &table);
/// Second names, once all others are there.
void addAliases(OpTable &table);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPTABLE_H
