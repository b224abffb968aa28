// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The references that exponents are less of when powers of 2 are taken.

#ifndef MIXATTN_PASSES_BODY_REFERENCES_H
#define MIXATTN_PASSES_BODY_REFERENCES_H

#include <limits>

namespace mixattn {

/// Where references start: above no score that is finite.
constexpr double lowest = std::numeric_limits<float>::lowest();

/// By how much an exponent may exceed its reference: sums of powers of 2 to
/// this stay far from infinity.
constexpr double slack = 16.0;
/// The same where the sum of the powers of a key's components is kept in f16.
constexpr double slackOfHalves = 8.0;

} // namespace mixattn

#endif // MIXATTN_PASSES_BODY_REFERENCES_H
