// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a result may lie from what it should be.
#ifndef MIXATTN_LIB_RUNTIME_ACCURACY_H
#define MIXATTN_LIB_RUNTIME_ACCURACY_H

#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// The largest |actual - expected| over all elements, divided by the largest
/// finite |expected|. Two NaN, or two equal infinities, differ by nothing; one
/// NaN or one infinity differs infinitely, and so does anything from expected
/// values that are all zero or not as many. `leftOut`, where it is not empty,
/// has an element for each row, and rows are equally long: those that it holds
/// true for count neither here nor there.
double relativeError(const Tensor &actual, const std::vector<double> &expected,
                     const std::vector<bool> &leftOut = {});

/// The largest relative error of a result of that dtype, where rounding errors
/// grow with `growth`: 2^-22 (8 + growth), plus the rounding of the result,
/// 2^-10 in f16 and 2^-7 in bf16; 0 for integers. It is the largest magnitude
/// of a score, or the kappa of a quotient.
double errorLimit(DType dtype, double growth);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ACCURACY_H
