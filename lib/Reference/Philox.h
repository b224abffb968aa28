// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random numbers that are a function of where they are used.
#ifndef MIXATTN_LIB_REFERENCE_PHILOX_H
#define MIXATTN_LIB_REFERENCE_PHILOX_H

#include <array>
#include <cstdint>

namespace mixattn {

using PhiloxCounter = std::array<uint32_t, 4>;
using PhiloxKey = std::array<uint32_t, 2>;

/// The four words of Philox4x32-10 (Salmon, Moraes, Dror and Shaw, 2011).
PhiloxCounter philox(PhiloxCounter counter, PhiloxKey key);

/// Element 0 to 3 of the standard normals that a counter gives, by Box and
/// Muller: words 0 and 1 make elements 0 and 1, words 2 and 3 the others. A
/// word w counts as ((w >> 9) + 0.5) / 2^23.
double philoxNormal(const PhiloxCounter &counter, const PhiloxKey &key,
                    int element);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_PHILOX_H
