// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names and sizes of the element types; 16-bit floats from and to double.
#include "lib/Runtime/DType.h"
#include <cmath>
#include <cstring>
#include <limits>

using namespace mixattn;

namespace {
struct Description {
  DType dtype;
  std::string_view name;
  uint8_t bytes;
  uint8_t code;
};

/// The differences of the two 16-bit formats: bits of the fraction, and the
/// exponent of the smallest normal number.
struct Format {
  int fractionBits;
  int minimumExponent;
};
constexpr Format half = {10, -14};
constexpr Format bfloat = {7, -126};
} // namespace

static constexpr Description descriptions[] = {
    {DType::F16, "f16", 2, kDLFloat},      {DType::BF16, "bf16", 2, kDLBfloat},
    {DType::F32, "f32", 4, kDLFloat},      {DType::F64, "f64", 8, kDLFloat},
    {DType::I1, "i1", 1, MIXATTN_DL_BOOL}, {DType::I8, "i8", 1, kDLInt},
    {DType::I16, "i16", 2, kDLInt},        {DType::I32, "i32", 4, kDLInt},
    {DType::I64, "i64", 8, kDLInt},
};

static const Description &describe(DType dtype) {
  return descriptions[static_cast<int>(dtype)];
}

std::string_view mixattn::nameOf(DType dtype) { return describe(dtype).name; }

std::optional<DType> mixattn::dtypeNamed(std::string_view name) {
  for (const Description &entry : descriptions)
    if (entry.name == name)
      return entry.dtype;
  return std::nullopt;
}

size_t mixattn::bytesOf(DType dtype) { return describe(dtype).bytes; }

bool mixattn::isFloat(DType dtype) { return dtype <= DType::F64; }

DLDataType mixattn::dlpackType(DType dtype) {
  const Description &entry = describe(dtype);
  return {entry.code, static_cast<uint8_t>(8 * entry.bytes), 1};
}

static double toDouble(uint16_t bits, Format format) {
  int exponentMask = (1 << (15 - format.fractionBits)) - 1;
  int fraction = bits & ((1 << format.fractionBits) - 1);
  int exponent = (bits >> format.fractionBits) & exponentMask;
  double magnitude;
  if (exponent == exponentMask)
    magnitude = fraction ? std::numeric_limits<double>::quiet_NaN()
                         : std::numeric_limits<double>::infinity();
  else if (exponent == 0)
    magnitude =
        std::ldexp(fraction, format.minimumExponent - format.fractionBits);
  else
    magnitude =
        std::ldexp(fraction + (1 << format.fractionBits),
                   format.minimumExponent - format.fractionBits + exponent - 1);
  return std::copysign(magnitude, (bits & 0x8000) ? -1.0 : 1.0);
}

static uint16_t fromDouble(double value, Format format) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  uint16_t infinity = 0x7fff & ~((1 << format.fractionBits) - 1);
  if (std::isnan(value))
    return sign | infinity | (1 << (format.fractionBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  double magnitude = std::fabs(value);
  int exponent = format.minimumExponent;
  if (magnitude >= std::ldexp(1.0, format.minimumExponent))
    exponent = std::ilogb(magnitude);
  if (exponent > 1 - format.minimumExponent)
    return sign | infinity;
  // In units of the last place; nearbyint rounds ties to even.
  double units =
      std::nearbyint(std::ldexp(magnitude, format.fractionBits - exponent));
  int biased = exponent - format.minimumExponent;
  // A carry out of the fraction lands in the exponent, as it should, up to
  // the infinity; a normal number's leading bit counts one exponent.
  return sign | static_cast<uint16_t>((biased << format.fractionBits) +
                                      static_cast<int>(units));
}

double mixattn::halfToDouble(uint16_t bits) { return toDouble(bits, half); }
uint16_t mixattn::doubleToHalf(double value) { return fromDouble(value, half); }
double mixattn::bfloatToDouble(uint16_t bits) { return toDouble(bits, bfloat); }
uint16_t mixattn::doubleToBfloat(double value) {
  return fromDouble(value, bfloat);
}
