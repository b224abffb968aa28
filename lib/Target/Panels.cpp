// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lanes next to each other, term after term.
#include "lib/Target/Panels.h"

#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace mixattn;

/// The places of what these dims of the view number, the last dim fastest.
static std::vector<int64_t> placesOf(const Panels &panels,
                                     const std::vector<int64_t> &dims) {
  std::vector<int64_t> places = {0};
  for (int64_t dim : dims) {
    std::vector<int64_t> inner;
    for (int64_t outer : places)
      for (int64_t i = 0; i < panels.sizes[dim]; ++i)
        inner.push_back(outer + i * panels.strides[dim]);
    places = std::move(inner);
  }
  return places;
}

bool mixattn::fits(const Panels &panels, const Tensor &weight) {
  int64_t rank = int64_t(panels.sizes.size()), first = panels.offset,
          last = panels.offset;
  std::vector<bool> isNumbered(panels.sizes.size());
  for (const auto *dims : {&panels.terms, &panels.lanes, &panels.batches})
    for (int64_t dim : *dims) {
      if (dim < 0 || dim >= rank || isNumbered[dim])
        return false;
      isNumbered[dim] = true;
    }
  for (int64_t dim = 0; dim < rank; ++dim) {
    int64_t step;
    if (!isNumbered[dim] || panels.sizes[dim] < 1 ||
        llvm::MulOverflow(panels.sizes[dim] - 1, panels.strides[dim], step) ||
        llvm::AddOverflow(step < 0 ? first : last, step,
                          step < 0 ? first : last))
      return false;
  }
  return isFloat(weight.dtype()) && panels.width > 0 && first >= 0 &&
         last < weight.elements() &&
         (!panels.arePairs || weight.dtype() == DType::BF16);
}

namespace {
/// Reads and writes elements of a weight.
struct Elements {
  const Tensor &weight;
  bool areCopied;

  /// Writes the element at `place` as number `index` of what is at `to`.
  void set(char *to, int64_t index, int64_t place) const {
    if (weight.dtype() == DType::F32)
      std::memcpy(to + 4 * index, weight.data() + 4 * place, 4);
    else if (areCopied)
      std::memcpy(to + 2 * index, weight.data() + 2 * place, 2);
    else {
      float wide = static_cast<float>(weight.number(place));
      std::memcpy(to + 4 * index, &wide, 4);
    }
  }
};
} // namespace

SizedBytes mixattn::packPanels(Panels panels, const Tensor &weight) {
  std::vector<int64_t> terms = placesOf(panels, panels.terms),
                       lanes = placesOf(panels, panels.lanes),
                       batches = placesOf(panels, panels.batches);
  // Rows of a panel, the terms of one and their bytes.
  int64_t each = panels.arePairs ? 2 : 1;
  int64_t rows = llvm::divideCeil(int64_t(terms.size()), each);
  int64_t width = panels.width, number = panels.arePairs ? 2 : 4;
  int64_t ofBatch = llvm::divideCeil(int64_t(lanes.size()), width);
  size_t bytes = size_t(rows * width * each * number);
  uint64_t all = bytes * uint64_t(ofBatch) * batches.size();
  auto write = [=, &weight, offset = panels.offset](const ByteSink &sink) {
    Elements elements = {weight, number == 2};
    for (int64_t batch : batches)
      for (int64_t panel = 0; panel < ofBatch; ++panel) {
        std::string made(bytes, '\0');
        int64_t first = panel * width;
        int64_t count = std::min(width, int64_t(lanes.size()) - first);
        for (int64_t term = 0; term < int64_t(terms.size()); ++term)
          for (int64_t lane = 0; lane < count; ++lane)
            elements.set(made.data(),
                         (term / each * width + lane) * each + term % each,
                         offset + batch + terms[term] + lanes[first + lane]);
        if (!sink(made))
          return false;
      }
    return true;
  };
  return {all, write};
}
