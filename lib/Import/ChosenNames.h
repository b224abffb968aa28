// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that users choose for open dims of inputs, for every reader.
#ifndef MIXATTN_LIB_IMPORT_CHOSENNAMES_H
#define MIXATTN_LIB_IMPORT_CHOSENNAMES_H

#include "lib/Import/Graph.h"
#include "lib/Import/SizeText.h"

namespace mixattn {

/// Enters the name that the user gave dim `dim` of `input`, if any, for the
/// symbol that the file has for it. An error where the symbol has another name.
Status chooseName(const InputDimNames &given, const std::string &input,
                  int64_t dim, const std::string &symbol, DimNaming &chosen);

/// An error if the user gave a name to dim `dim` of `input`, which is not open:
/// `size` says what it is.
Status refuseName(const InputDimNames &given, const std::string &input,
                  int64_t dim, const std::string &size);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_CHOSENNAMES_H
