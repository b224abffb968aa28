// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fundamental types of PTX (PTX ISA, Types) and state spaces.
#ifndef MIXATTN_TEST_EMULATOR_TYPE_H
#define MIXATTN_TEST_EMULATOR_TYPE_H

#include <optional>
#include <string>

namespace mixattn::emulator {

struct Type {
  enum Kind { None, Bits, Unsigned, Signed, Float, Brain, Tensor32, Predicate };
  Kind kind = None;
  /// Of the whole value: 32 for f16x2.
  unsigned bits = 0;
  /// Whether the value is a pair.
  bool isPair = false;

  bool isFloat() const {
    return kind == Float || kind == Brain || kind == Tensor32;
  }
  bool isSigned() const { return kind == Signed; }
  bool isInteger() const {
    return kind == Bits || kind == Unsigned || kind == Signed;
  }
  unsigned bytes() const { return bits / 8; }
  /// Registers of 32 bits that hold a value.
  unsigned slots() const { return bits <= 32 ? 1 : bits / 32; }
  bool operator==(const Type &other) const {
    return kind == other.kind && bits == other.bits && isPair == other.isPair;
  }
  bool is(Kind wanted, unsigned size, bool pair = false) const {
    return *this == Type{wanted, size, pair};
  }
};

/// The type of that name, without the dot.
inline std::optional<Type> typeNamed(const std::string &name) {
  if (name == "pred")
    return Type{Type::Predicate, 1};
  if (name == "f16x2")
    return Type{Type::Float, 32, true};
  if (name == "f32x2")
    return Type{Type::Float, 64, true};
  if (name == "bf16")
    return Type{Type::Brain, 16};
  if (name == "bf16x2")
    return Type{Type::Brain, 32, true};
  if (name == "tf32")
    return Type{Type::Tensor32, 32};
  if (name.size() < 2 || name.size() > 4)
    return std::nullopt;
  std::string digits = name.substr(1);
  unsigned bits = digits == "8"     ? 8
                  : digits == "16"  ? 16
                  : digits == "32"  ? 32
                  : digits == "64"  ? 64
                  : digits == "128" ? 128
                                    : 0;
  if (!bits)
    return std::nullopt;
  switch (name[0]) {
  case 'b':
    return Type{Type::Bits, bits};
  case 'u':
    return bits <= 64 ? std::optional<Type>({Type::Unsigned, bits})
                      : std::nullopt;
  case 's':
    return bits <= 64 ? std::optional<Type>({Type::Signed, bits})
                      : std::nullopt;
  case 'f':
    return bits >= 16 && bits <= 64 ? std::optional<Type>({Type::Float, bits})
                                    : std::nullopt;
  default:
    return std::nullopt;
  }
}

enum class Space { Generic, Global, Shared, Parameter, Constant };

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_TYPE_H
