// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Executors that apply a function to each lane.
#ifndef MIXATTN_TEST_EMULATOR_LANES_H
#define MIXATTN_TEST_EMULATOR_LANES_H

#include "Block.h"
#include "Decoder.h"

#include <type_traits>
#include <utility>

namespace mixattn::emulator {

template <class R, class A, class F>
Outcome unary(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    warp.write<R>(slot[0], lane, F()(warp.read<A>(slot[1], lane)));
  });
  return Outcome::Next;
}

template <class R, class A, class B, class F>
Outcome binary(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    warp.write<R>(
        slot[0], lane,
        F()(warp.read<A>(slot[1], lane), warp.read<B>(slot[2], lane)));
  });
  return Outcome::Next;
}

template <class R, class A, class B, class C, class F>
Outcome ternary(Warp &warp, const Instruction &instruction, uint32_t lanes) {
  const auto &slot = instruction.slot;
  forLanes(lanes, [&](unsigned lane) {
    warp.write<R>(slot[0], lane,
                  F()(warp.read<A>(slot[1], lane), warp.read<B>(slot[2], lane),
                      warp.read<C>(slot[3], lane)));
  });
  return Outcome::Next;
}

/// F for the integer type, which decides whether numbers have a sign.
template <template <class> class F> Executor unaryOf(Type type) {
  switch (type.bits) {
  case 16:
    return type.isSigned() ? unary<int16_t, int16_t, F<int16_t>>
                           : unary<uint16_t, uint16_t, F<uint16_t>>;
  case 32:
    return type.isSigned() ? unary<int32_t, int32_t, F<int32_t>>
                           : unary<uint32_t, uint32_t, F<uint32_t>>;
  case 64:
    return type.isSigned() ? unary<int64_t, int64_t, F<int64_t>>
                           : unary<uint64_t, uint64_t, F<uint64_t>>;
  default:
    fail("this type is not known here");
  }
}

template <template <class> class F> Executor binaryOf(Type type) {
  switch (type.bits) {
  case 16:
    return type.isSigned() ? binary<int16_t, int16_t, int16_t, F<int16_t>>
                           : binary<uint16_t, uint16_t, uint16_t, F<uint16_t>>;
  case 32:
    return type.isSigned() ? binary<int32_t, int32_t, int32_t, F<int32_t>>
                           : binary<uint32_t, uint32_t, uint32_t, F<uint32_t>>;
  case 64:
    return type.isSigned() ? binary<int64_t, int64_t, int64_t, F<int64_t>>
                           : binary<uint64_t, uint64_t, uint64_t, F<uint64_t>>;
  default:
    fail("this type is not known here");
  }
}

template <template <class> class F> Executor ternaryOf(Type type) {
  switch (type.bits) {
  case 16:
    return type.isSigned()
               ? ternary<int16_t, int16_t, int16_t, int16_t, F<int16_t>>
               : ternary<uint16_t, uint16_t, uint16_t, uint16_t, F<uint16_t>>;
  case 32:
    return type.isSigned()
               ? ternary<int32_t, int32_t, int32_t, int32_t, F<int32_t>>
               : ternary<uint32_t, uint32_t, uint32_t, uint32_t, F<uint32_t>>;
  case 64:
    return type.isSigned()
               ? ternary<int64_t, int64_t, int64_t, int64_t, F<int64_t>>
               : ternary<uint64_t, uint64_t, uint64_t, uint64_t, F<uint64_t>>;
  default:
    fail("this type is not known here");
  }
}

/// Takes a destination and `count` sources of one type.
inline void takeOperands(Decoder &decoder, Type result, Type sources,
                         size_t count) {
  decoder.expectOperands(count + 1, count + 1);
  for (size_t i = 1; i <= count; ++i)
    decoder.result.slot[i] = decoder.source(decoder.operand(i), sources);
  decoder.result.slot[0] = decoder.destination(decoder.operand(0), result);
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_LANES_H
