// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Models as torch.export.save writes them: a zip archive of JSON and raw
// weights, schema version 8.
#ifndef MIXATTN_LIB_IMPORT_PT2_H
#define MIXATTN_LIB_IMPORT_PT2_H

#include "lib/Import/Graph.h"

namespace mixattn {

/// Whether a file begins as .pt2 files do.
bool isPt2(std::string_view file);

/// The model in an archive, in whose bytes weights may lie.
Result<Graph> readPt2(std::string_view file, const InputDimNames &names);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_PT2_H
