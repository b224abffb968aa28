// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names that users choose for open dims of inputs, for every reader.
#ifndef MIXATTN_LIB_IMPORT_CHOSENNAMES_H
#define MIXATTN_LIB_IMPORT_CHOSENNAMES_H

#include "lib/Import/Graph.h"
#include "lib/Import/SizeText.h"

#include <set>

namespace mixattn {

/// Names of dims in place of a file's symbols.
using DimNaming = std::map<std::string, std::string>;

/// Enters the name that the user gave dim `dim` of `input`, if any, for the
/// symbol in its `size`: B for `s0`, or for `4 s0` where the user says 4*B. An
/// error where the size is of another form, or the symbol has another name.
Status chooseName(const InputDimNames &given, const std::string &input,
                  int64_t dim, const SizePolynomial &size, DimNaming &chosen);

/// The symbols that are no size of an input, but that one tells: that of `4
/// s0`, or of `s0 + 1`.
std::set<std::string> findToldSymbols(const SizeList &sizesOfInputs);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_CHOSENNAMES_H
