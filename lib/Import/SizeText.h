// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SizeList as PyTorch writes them: expressions of SymPy in its own notation.
#ifndef MIXATTN_LIB_IMPORT_SIZETEXT_H
#define MIXATTN_LIB_IMPORT_SIZETEXT_H

#include "lib/Runtime/Result.h"
#include "passes/entry/SizePolynomial.h"

namespace mixattn {

/// Names of dims in place of an exporter's symbols.
using DimNaming = std::map<std::string, std::string>;

/// The quotient by a product of dims; unknown where that is not whole.
SizePolynomial exactQuotient(const SizePolynomial &a, const SizePolynomial &b);

/// The polynomial that `text` is, for instance `Mul(Integer(4), Symbol('s77',
/// positive=True, integer=True))`, with symbols renamed. A quotient rounded
/// down is one where it is whole for all sizes.
Result<SizePolynomial> parseSize(std::string_view text,
                                 const DimNaming &naming);

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_SIZETEXT_H
