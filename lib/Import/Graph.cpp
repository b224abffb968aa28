// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Texts for messages about graphs.
#include "lib/Import/Graph.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace mixattn;
using llvm::StringRef;

std::string mixattn::toText(const SizeList &sizes) {
  std::string text;
  for (const SizePolynomial &size : sizes)
    text += (text.empty() ? "" : ", ") + size.toText();
  return "[" + text + "]";
}

/// The longest dim. Ops add windows, borders and steps to sizes: sums of such
/// numbers have 64 bits.
static constexpr int64_t longestDim = int64_t(1) << 48;

Status mixattn::checkBytes(DType dtype, const SizeList &sizes) {
  // Open dims are 1 at least where there are elements.
  Shape least;
  for (const SizePolynomial &size : sizes) {
    const auto &terms = size.getTerms();
    least.push_back(terms.size() == 1 ? terms.begin()->second : !terms.empty());
    auto isBelow = [](const auto &term) { return term.second < 0; };
    if (!terms.empty() && llvm::all_of(terms, isBelow))
      return makeError("expected sizes of at least 0, but got shape {}",
                       toText(sizes));
    auto isLong = [](const auto &term) { return term.second > longestDim; };
    if (llvm::any_of(terms, isLong))
      return makeError("expected sizes of at most 2^48, but got shape {}",
                       toText(sizes));
  }
  if (!byteCount(dtype, least))
    return makeError("expected a tensor of less than 2^63 bytes, but got {} of "
                     "shape {}",
                     nameOf(dtype), toText(sizes));
  return Success{};
}

void DimRange::narrow(const DimRange &other) {
  least = std::max(least, other.least);
  if (other.most)
    most = std::min(most.value_or(*other.most), *other.most);
}

SourcePlace mixattn::findPlace(StringRef stack) {
  SourcePlace place;
  while (!stack.empty()) {
    auto [line, rest] = stack.split('\n');
    stack = rest;
    line = line.ltrim();
    if (!line.consume_front("File \""))
      continue;
    auto [file, after] = line.split("\", line ");
    int64_t number;
    if (after.consumeInteger(10, number) || number < 1 ||
        (file.starts_with("torch/") && place.line))
      continue;
    place = {withoutControls(file.str()), number};
  }
  return place;
}

std::string mixattn::describe(const GraphNode &node) {
  std::string text = "op '" + node.op + "' of node '" + node.name + "'";
  if (node.place.line)
    text +=
        " (" + node.place.file + ":" + std::to_string(node.place.line) + ")";
  return text;
}
