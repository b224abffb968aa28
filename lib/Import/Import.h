// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Model files as MLIR and weights.
#ifndef MIXATTN_LIB_IMPORT_IMPORT_H
#define MIXATTN_LIB_IMPORT_IMPORT_H

#include "lib/Import/Onnx.h"
#include "lib/Import/Pt2.h"

#include "llvm/Support/MemoryBuffer.h"

namespace mixattn {

/// A model as the compiler takes it.
struct ImportedModel {
  /// MLIR at level graph, with the places of the user's text.
  std::string text;
  /// The parameters, by names of arguments. They may lie in the file's bytes,
  /// or in what `memory` holds.
  std::vector<std::pair<std::string, Tensor>> weights;
  std::shared_ptr<const void> memory;
  /// Paths of the other files that the model reads.
  std::vector<std::string> files;
  /// Checks of calls that the file does not ask for, one sentence each.
  std::vector<std::string> remarks;
};

/// The model in the file of that path as one function of that name: a .pt2
/// archive, or else an ONNX model, which may have weights in other files of its
/// folder.
Result<ImportedModel> importModel(const llvm::MemoryBuffer &source,
                                  const std::string &path,
                                  const std::string &entry,
                                  const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_IMPORT_H
