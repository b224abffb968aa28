// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Floating-point numbers of 16 bits, and subnormal numbers as zero.
#ifndef MIXATTN_TEST_EMULATOR_HALF_H
#define MIXATTN_TEST_EMULATOR_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

namespace mixattn::emulator {

template <class To, class From> To bitCast(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof to);
  return to;
}

/// f16, which IEEE 754 calls binary16.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  /// Rounded to the nearest, ties to even.
  explicit Half(double value) {
    bits = bitCast<uint16_t>(static_cast<_Float16>(value));
    // NVIDIA's canonical NaN (PTX ISA, cvt).
    if (std::isnan(value))
      bits = 0x7fff;
  }
  explicit Half(float value) : Half(static_cast<double>(value)) {}
  operator double() const { return bitCast<_Float16>(bits); }
  static Half ofBits(uint16_t bits) {
    Half result;
    result.bits = bits;
    return result;
  }
};

/// bf16, the upper half of an f32.
struct Brain {
  uint16_t bits = 0;

  Brain() = default;
  explicit Brain(float value) {
    uint32_t wide = bitCast<uint32_t>(value);
    bits =
        std::isnan(value) ? 0x7fff : (wide + 0x7fff + ((wide >> 16) & 1)) >> 16;
  }
  explicit Brain(double value) : Brain(roundedToOdd(value)) {}
  operator double() const { return bitCast<float>(uint32_t(bits) << 16); }
  static Brain ofBits(uint16_t bits) {
    Brain result;
    result.bits = bits;
    return result;
  }

private:
  /// The f32 towards zero, with the last bit set if that is not exact: rounding
  /// it again is as good as rounding once.
  static float roundedToOdd(double value) {
    float nearest = static_cast<float>(value);
    if (static_cast<double>(nearest) == value || !std::isfinite(nearest))
      return nearest;
    if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
      nearest = std::nextafter(nearest, 0.0f);
    return bitCast<float>(bitCast<uint32_t>(nearest) | 1);
  }
};

/// Two numbers in one register; the low half comes first.
template <class T> struct Pair {
  T low, high;
};

/// `.ftz`: subnormal numbers become zero of the same sign.
inline float flushed(float value) {
  return std::fabs(value) < std::numeric_limits<float>::min()
             ? std::copysign(0.0f, value)
             : value;
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_HALF_H
