// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks, lengths, causal order and bands as conditions on b, h, i and j.
#include "lib/Reference/Visibility.h"

using namespace mixattn;

bool Sight::isInside(const Band &band, int64_t b, int64_t i, int64_t j) const {
  int64_t before = placeOf(b, i) - j;
  return before <= band.lower && -before <= band.upper;
}

Shape mixattn::broadcastShape(const Shape &shape, const Shape &full) {
  Shape result(full.end() - shape.size(), full.end());
  for (size_t dim = 0; dim < shape.size(); ++dim)
    if (shape[dim] == 1)
      result[dim] = 1;
  return result;
}

Status Sight::bind(const Visibility &visibility, const Shape &full,
                   const Arguments &arguments) {
  op = &visibility;
  queries = full[2];
  keys = full[3];
  if (Status read = readAll(
          {{op->mask, mask}, {op->lengths, lengths}, {op->start, start}},
          arguments);
      !read)
    return read;
  if (Status fits =
          expectShape({op->mask, mask}, broadcastShape(mask.shape, full));
      !fits)
    return fits;
  if (Status fits = expectShape({op->lengths, lengths}, {full[0]}); !fits)
    return fits;
  return expectShape({op->start, start}, {full[0]});
}

int64_t Sight::placeOf(int64_t b, int64_t i) const {
  return i +
         (start.isPresent() ? static_cast<int64_t>(start(b)) : keys - queries);
}

bool Sight::isVisible(int64_t b, int64_t h, int64_t i, int64_t j) const {
  if (op->causal && j > placeOf(b, i))
    return false;
  if (op->band && !isInside(*op->band, b, i, j))
    return false;
  if (lengths.isPresent() && j >= lengths(b))
    return false;
  return !mask.isPresent() || mask.broadcast(b, h, i, j) != 0;
}
