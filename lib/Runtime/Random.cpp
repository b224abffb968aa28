// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random streams and the tensors drawn from them.
#include "lib/Runtime/Random.h"
#include "lib/Runtime/Binding.h"
#include <algorithm>
#include <cmath>

using namespace mixattn;

static uint64_t splitmix64(uint64_t &state) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

static uint64_t rotateLeft(uint64_t value, int count) {
  return value << count | value >> (64 - count);
}

RandomStream::RandomStream(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xcbf29ce484222325;
  for (unsigned char c : name)
    hash = (hash ^ c) * 0x100000001b3;
  uint64_t start = seed ^ hash;
  for (uint64_t &word : state)
    word = splitmix64(start);
}

uint64_t RandomStream::bits() {
  uint64_t result = rotateLeft(state[0] + state[3], 23) + state[0];
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotateLeft(state[3], 45);
  return result;
}

double RandomStream::uniform() {
  return std::ldexp(static_cast<double>((bits() >> 11) + 1), -53);
}

double RandomStream::normal() {
  if (hasSpare) {
    hasSpare = false;
    return spare;
  }
  double radius = std::sqrt(-2 * std::log(uniform()));
  double angle = 2 * M_PI * uniform();
  spare = radius * std::sin(angle);
  hasSpare = true;
  return radius * std::cos(angle);
}

int64_t RandomStream::integer(int64_t low, int64_t high) {
  // How many integers there are; 0 stands for all 2^64.
  uint64_t count = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  uint64_t drawn = bits();
  if (count != 0)
    drawn = static_cast<uint64_t>(
        static_cast<unsigned __int128>(drawn) * count >> 64);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + drawn);
}

Result<Tensor> mixattn::drawTensor(const Parameter &argument,
                                   const DimSizes &sizes, uint64_t seed) {
  Result<Tensor> tensor =
      Tensor::allocate(argument.dtype, shapeOf(argument, sizes));
  if (!tensor)
    return inArgument(argument, tensor.error());
  RandomStream stream(seed, argument.name);
  if (isFloat(argument.dtype)) {
    for (int64_t i = 0; i < tensor->elements(); ++i)
      tensor->setNumber(i, stream.normal());
    return tensor;
  }
  int64_t low = 0, high = argument.dtype == DType::I1 ? 1 : 9;
  if (argument.range) {
    // What the dtype can hold of the range.
    int64_t limit = INT64_MAX >> (64 - 8 * bytesOf(argument.dtype));
    low = std::max(argument.range->low.in(sizes), -limit - 1);
    high = std::min(argument.range->high.in(sizes), limit);
  }
  if (low > high && tensor->elements() != 0)
    return inArgument(argument, makeError("expected a range that has values, "
                                          "but got {} to {}",
                                          low, high));
  for (int64_t i = 0; i < tensor->elements(); ++i)
    tensor->setInteger(i, stream.integer(low, high));
  return tensor;
}
