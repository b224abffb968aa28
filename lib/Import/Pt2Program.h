// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program in a .pt2 file.
#ifndef MIXATTN_LIB_IMPORT_PT2PROGRAM_H
#define MIXATTN_LIB_IMPORT_PT2PROGRAM_H

#include "lib/Import/Pt2.h"

#include <functional>

namespace mixattn {

/// PyTorch's number of an element type as ours.
Result<DType> dtypeOfTorch(int64_t number);
/// Whether that is complex64, whose parts are of type float32.
bool isComplexOfTorch(int64_t number);

/// Gives the elements of a parameter, a buffer or a constant by its name.
using FindWeight = std::function<Result<Tensor>(const std::string &name)>;

/// The model that models/NAME.json describes.
Result<Graph> readProgram(std::string_view text, const InputDimNames &names,
                          const FindWeight &findWeight);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_PT2PROGRAM_H
