// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model files as MLIR and weights.
#ifndef MIXATTN_LIB_IMPORT_IMPORT_H
#define MIXATTN_LIB_IMPORT_IMPORT_H

#include "lib/Import/Pt2.h"

namespace mixattn {

/// A model as the compiler takes it.
struct ImportedModel {
  /// MLIR at level graph, with the places of the user's text.
  std::string text;
  /// The parameters as a safetensors file; empty where there are none.
  std::string weights;
};

/// The model in a file as one function of that name.
Result<ImportedModel> importModel(std::string_view file,
                                  const std::string &entry,
                                  const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_IMPORT_H
