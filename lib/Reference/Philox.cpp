// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ten rounds of multiplications and exclusive ors.
#include "lib/Reference/Philox.h"
#include <cmath>

using namespace mixattn;

PhiloxCounter mixattn::philox(PhiloxCounter counter, PhiloxKey key) {
  for (int round = 0; round < 10; ++round) {
    uint64_t even = uint64_t(0xd2511f53) * counter[0];
    uint64_t odd = uint64_t(0xcd9e8d57) * counter[2];
    counter = {static_cast<uint32_t>(odd >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(odd),
               static_cast<uint32_t>(even >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(even)};
    key = {key[0] + 0x9e3779b9, key[1] + 0xbb67ae85};
  }
  return counter;
}

/// Between 0 and 1, neither included.
static double uniform(uint32_t word) {
  return std::ldexp((word >> 9) + 0.5, -23);
}

double mixattn::philoxNormal(const PhiloxCounter &counter, const PhiloxKey &key,
                             int element) {
  PhiloxCounter words = philox(counter, key);
  int pair = element / 2 * 2;
  double radius = std::sqrt(-2 * std::log(uniform(words[pair])));
  double angle = 2 * M_PI * uniform(words[pair + 1]);
  return radius * (element % 2 == 0 ? std::cos(angle) : std::sin(angle));
}
