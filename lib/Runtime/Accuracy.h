// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How far a result may lie from what it should be.
#ifndef MIXATTN_LIB_RUNTIME_ACCURACY_H
#define MIXATTN_LIB_RUNTIME_ACCURACY_H

#include "lib/Runtime/Tensor.h"

namespace mixattn {

/// The largest finite |expected|; 0 where there is none. `leftOut`, where it is
/// not empty, has an element for each row, and rows are equally long: those
/// that it holds true for count neither here nor below.
double largestMagnitude(const std::vector<double> &expected,
                        const std::vector<bool> &leftOut = {});

/// The largest |actual - expected| over all elements, divided by `scale`. Two
/// NaN, or two equal infinities, differ by nothing; one NaN or one infinity
/// differs infinitely, and so does anything where the scale is 0 or expected
/// values are not as many.
double relativeError(const Tensor &actual, const std::vector<double> &expected,
                     double scale, const std::vector<bool> &leftOut = {});

/// The largest relative error of a result of that dtype, where rounding errors
/// grow with `growth`: the largest magnitude of a score, or the kappa of a
/// quotient. It is 2^-22 (8 + growth), plus the rounding of the result, 2^-10
/// in f16 and 2^-7 in bf16, plus what underflows, 2^-24 / scale in f16, 2^-110
/// / scale in bf16 and 2^-133 / scale in f32; 0 for integers. A scale of 0
/// admits no error anyway.
///
/// 2^-24 is the smallest number of f16. Each of 2^16 terms of a sum may lose
/// that of f32, 2^-149, and in bf16 as much as 2^-126, below which instructions
/// for dot products take numbers to be 0.
double errorLimit(DType dtype, double growth, double scale);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_ACCURACY_H
