// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random streams and the tensors drawn from them.
#include "lib/Runtime/Random.h"
#include "lib/Runtime/Binding.h"
#include <algorithm>
#include <cmath>
#include <set>

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

/// Draws `count` different integers below `limit`, in increasing order (Floyd's
/// method); an error where there are not as many.
static Result<std::set<int64_t>> drawSubset(int64_t count, int64_t limit,
                                            RandomStream &stream) {
  if (count > limit)
    return makeError("expected at most {} rows, but got {}", limit, count);
  std::set<int64_t> chosen;
  for (int64_t last = limit - count; last < limit; ++last)
    if (!chosen.insert(stream.integer(0, last)).second)
      chosen.insert(last);
  return chosen;
}

/// Strictly increasing rows, even over all coordinates.
static Status drawCoordinates(Tensor &tensor, const Shape &extents,
                              RandomStream &stream) {
  int64_t places = 1;
  for (int64_t extent : extents)
    if (__builtin_mul_overflow(places, std::max<int64_t>(extent, 0), &places))
      places = INT64_MAX;
  auto chosen = drawSubset(tensor.shape()[0], places, stream);
  if (!chosen)
    return chosen.error();
  int64_t next = 0;
  for (int64_t place : *chosen) {
    next += static_cast<int64_t>(extents.size());
    for (size_t c = 0; c < extents.size(); ++c) {
      // The last column changes fastest.
      int64_t extent = extents[extents.size() - 1 - c];
      tensor.setInteger(next - 1 - static_cast<int64_t>(c), place % extent);
      place /= extent;
    }
  }
  return Success();
}

/// Disjoint windows, in any order.
static Status drawWindows(Tensor &tensor, int64_t extent,
                          RandomStream &stream) {
  auto firsts = drawSubset(tensor.shape()[0], extent, stream);
  if (!firsts)
    return firsts.error();
  std::vector<Shape> windows;
  for (auto first = firsts->begin(); first != firsts->end(); ++first) {
    int64_t end =
        std::next(first) == firsts->end() ? extent : *std::next(first);
    windows.push_back({stream.integer(0, extent - 1), *first,
                       stream.integer(1, end - *first)});
  }
  for (size_t n = windows.size(); n > 1; --n)
    std::swap(windows[n - 1],
              windows[stream.integer(0, static_cast<int64_t>(n) - 1)]);
  for (size_t row = 0; row < windows.size(); ++row)
    for (size_t c = 0; c < 3; ++c)
      tensor.setInteger(static_cast<int64_t>(3 * row + c), windows[row][c]);
  return Success();
}

static void drawFloats(const Parameter &argument, Tensor &tensor,
                       RandomStream &stream) {
  bool isPrior = argument.holds && argument.holds->kind == Holds::Kind::Prior;
  for (int64_t n = 0; n < tensor.elements(); ++n)
    tensor.setNumber(n, isPrior ? stream.uniform() : stream.normal());
}

/// Integers even over the range.
static Status drawIntegers(const Parameter &argument, Tensor &tensor,
                           const DimSizes &sizes, RandomStream &stream) {
  int64_t low = 0, high = argument.dtype == DType::I1 ? 1 : 9;
  if (argument.range) {
    // The part of the range that the dtype can hold.
    int64_t limit = INT64_MAX >> (64 - 8 * bytesOf(argument.dtype));
    low = std::max(argument.range->low.in(sizes), -limit - 1);
    high = std::min(argument.range->high.in(sizes), limit);
  }
  if (low > high && tensor.elements() != 0)
    return makeError("expected a range that has values, but got {} to {}", low,
                     high);
  for (int64_t n = 0; n < tensor.elements(); ++n)
    tensor.setInteger(n, stream.integer(low, high));
  return Success();
}

/// Draws all elements so that what must hold of them does.
static Status drawElements(const Parameter &argument, Tensor &tensor,
                           const DimSizes &sizes, RandomStream &stream) {
  if (isFloat(argument.dtype)) {
    drawFloats(argument, tensor, stream);
    return Success();
  }
  if (!argument.holds || argument.holds->extents.empty())
    return drawIntegers(argument, tensor, sizes, stream);
  Shape extents;
  for (const Dim &extent : argument.holds->extents)
    extents.push_back(extent.in(sizes));
  return argument.holds->kind == Holds::Kind::Windows
             ? drawWindows(tensor, extents.front(), stream)
             : drawCoordinates(tensor, extents, stream);
}

Result<Tensor> mixattn::drawTensor(const Parameter &argument,
                                   const DimSizes &sizes, uint64_t seed) {
  Result<Tensor> tensor =
      Tensor::allocate(argument.dtype, shapeOf(argument, sizes));
  if (!tensor)
    return inArgument(argument, tensor.error());
  RandomStream stream(seed, argument.name);
  if (Status drawn = drawElements(argument, *tensor, sizes, stream); !drawn)
    return inArgument(argument, drawn.error());
  return tensor;
}
