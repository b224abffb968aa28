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

/// The writer of an op of any overload, or null.
const OpWriter *findWriter(const std::string &op);

// The families, each in its file under ops/.
void addPointwise(OpTable &table);
void addComparisons(OpTable &table);
void addConstants(OpTable &table);
void addViews(OpTable &table);
void addParts(OpTable &table);
void addProducts(OpTable &table);
void addReductions(OpTable &table);
void addNorms(OpTable &table);
void addAttention(OpTable &table);
void addGathers(OpTable &table);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_OPTABLE_H
