// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// NumPy's .npy format, little-endian and in C order.
#ifndef MIXATTN_LIB_RUNTIME_NPY_H
#define MIXATTN_LIB_RUNTIME_NPY_H

#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// Reads the bytes of an .npy file. bf16 is a two-byte void, `V2`; i1 is
/// `|b1`. Anything else than exactly the elements after the header is an
/// error.
Result<Tensor> readNpy(std::string_view file);

/// The bytes of an .npy file, as NumPy writes it.
std::string writeNpy(const Tensor &tensor);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_NPY_H
