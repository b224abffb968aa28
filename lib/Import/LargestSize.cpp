// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Differences of sizes whose terms all have one sign.
#include "lib/Import/LargestSize.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <set>

using namespace mixattn;

bool mixattn::isNeverNegative(const SizePolynomial &size) {
  return size.isKnown() && llvm::all_of(size.getTerms(), [](const auto &term) {
           return term.second > 0;
         });
}

/// Whether that is so for all sizes that there are; from 1 on, if need be.
static bool isNeverBelow(const SizePolynomial &a, const SizePolynomial &b,
                         DimBounds &bounds) {
  // With dims counted from their ends, every term has to add something.
  using FromEnd =
      llvm::function_ref<SizePolynomial(const std::string &, SizePolynomial)>;
  auto holds = [above = a - b](FromEnd fromEnd) {
    return isNeverNegative(above.with([&](const std::string &dim) {
      return std::optional(fromEnd(dim, SizePolynomial::named(dim)));
    }));
  };
  if (holds([](const std::string &, SizePolynomial size) { return size; }))
    return true;
  std::set<std::string> filled;
  auto fromOne = [&](const std::string &dim, SizePolynomial size) {
    filled.insert(dim);
    return size + 1;
  };
  auto fromMost = [&](const std::string &dim, SizePolynomial size) {
    auto most = bounds.most.find(dim);
    return most == bounds.most.end() ? fromOne(dim, size) : most->second - size;
  };
  bool isSo = holds(fromOne);
  if (!isSo) {
    filled.clear();
    isSo = holds(fromMost);
  }
  if (isSo)
    for (const std::string &dim : filled)
      bounds.needed[dim].narrow({1, std::nullopt});
  return isSo;
}

/// Of a number k and a size k + c - N that size, where N is at most c.
static SizePolynomial whatIsLeft(const std::vector<SizePolynomial> &sizes,
                                 DimBounds &bounds) {
  for (size_t i = 0; i < sizes.size() && sizes.size() == 2; ++i) {
    const SizePolynomial &left = sizes[1 - i];
    if (!sizes[i].asNumber())
      continue;
    SizePolynomial above = left - sizes[i];
    auto most = above.getTerms().find({});
    std::string dim =
        most == above.getTerms().end() ? "" : (most->second - above).asDim();
    if (dim.empty() || most->second < 1)
      continue;
    bounds.needed[dim].narrow({0, most->second});
    return left;
  }
  return SizePolynomial::unknown();
}

SizePolynomial mixattn::largestSize(std::vector<SizePolynomial> sizes,
                                    DimBounds &bounds) {
  for (const SizePolynomial &each : sizes) {
    std::map<std::string, DimRange> before = bounds.needed;
    if (llvm::all_of(sizes, [&](const SizePolynomial &other) {
          return isNeverBelow(each, other, bounds);
        }))
      return each;
    bounds.needed = std::move(before);
  }
  return whatIsLeft(sizes, bounds);
}

SizePolynomial mixattn::smallestSize(std::vector<SizePolynomial> sizes,
                                     DimBounds &bounds) {
  for (SizePolynomial &each : sizes)
    each = -each;
  return -largestSize(std::move(sizes), bounds);
}

std::string mixattn::remarkOnLimit(const std::string &dim, int64_t most) {
  return "calls check that dim '" + dim + "' is at most " +
         std::to_string(most) + ": sizes or parts of tensors end there";
}
