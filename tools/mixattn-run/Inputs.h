// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gathers the arguments of an entry from files and random streams.
#ifndef MIXATTN_TOOLS_MIXATTN_RUN_INPUTS_H
#define MIXATTN_TOOLS_MIXATTN_RUN_INPUTS_H

#include "lib/Runtime/Tensor.h"
#include "tools/mixattn-run/Options.h"

namespace mixattn {

/// All arguments of an entry, in the order of the manifest.
struct Arguments {
  std::vector<Tensor> tensors;
  DimSizes dims;
  /// Whether no memory is given for parameters that are packed once.
  bool packsEachCall = false;

  /// The tensors by name, as the reference wants them.
  std::map<std::string, const Tensor *> byName(const Entry &entry) const;
};

/// Reads, draws and checks the arguments. Surplus weights are warnings.
Result<Arguments> gatherArguments(const Entry &entry, const Options &options);

} // namespace mixattn

#endif // MIXATTN_TOOLS_MIXATTN_RUN_INPUTS_H
