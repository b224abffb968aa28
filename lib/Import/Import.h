// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model files as MLIR and weights.
#ifndef MIXATTN_LIB_IMPORT_IMPORT_H
#define MIXATTN_LIB_IMPORT_IMPORT_H

#include "lib/Import/Onnx.h"
#include "lib/Import/Pt2.h"

namespace mixattn {

/// A model as the compiler takes it.
struct ImportedModel {
  /// MLIR at level graph, with the places of the user's text.
  std::string text;
  /// The parameters as a safetensors file; empty where there are none.
  std::string weights;
};

/// The model in the file of that path as one function of that name: a .pt2
/// archive, or else an ONNX model, which may have weights in other files of its
/// folder.
Result<ImportedModel> importModel(std::string_view file,
                                  const std::string &path,
                                  const std::string &entry,
                                  const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_IMPORT_H
