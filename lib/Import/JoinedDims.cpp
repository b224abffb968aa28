// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One name for sizes that must be equal.
#include "lib/Import/JoinedDims.h"
#include "lib/Import/SizeText.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <numeric>

using namespace mixattn;
using llvm::StringRef;

/// The two dims of a difference `c (x - y)` times other dims.
static std::optional<std::pair<std::string, std::string>>
findPair(const SizePolynomial &difference) {
  const auto &terms = difference.getTerms();
  if (!difference.isKnown() || terms.size() != 2)
    return std::nullopt;
  const auto &[x, ofX] = *terms.begin();
  const auto &[y, ofY] = *terms.rbegin();
  std::vector<std::string> onlyX, onlyY;
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(),
                      std::back_inserter(onlyX));
  std::set_difference(y.begin(), y.end(), x.begin(), x.end(),
                      std::back_inserter(onlyY));
  int64_t sum;
  if (llvm::AddOverflow(ofX, ofY, sum) || sum != 0 || onlyX.size() != 1 ||
      onlyY.size() != 1)
    return std::nullopt;
  return std::pair(onlyX[0], onlyY[0]);
}

/// Whether `size` is a sum of dims of inputs without `dim`.
static bool isSumWithout(const SizePolynomial &size, const std::string &dim,
                         const std::map<std::string, size_t> &places) {
  if (size.asNumber() || !size.isKnown())
    return false;
  return llvm::all_of(size.getTerms(), [&](const auto &term) {
    return term.second > 0 &&
           llvm::all_of(term.first, [&](const std::string &each) {
             return each != dim && places.count(each);
           });
  });
}

std::optional<JoinedDim>
mixattn::findJoinedDim(const SizePolynomial &a, const SizePolynomial &b,
                       const std::map<std::string, size_t> &places) {
  if (auto pair = findPair(a - b)) {
    auto x = places.find(pair->first), y = places.find(pair->second);
    if (x == places.end() || y == places.end())
      return std::nullopt;
    if (x->second < y->second)
      std::swap(x, y);
    return JoinedDim{x->first, SizePolynomial::named(y->first)};
  }
  for (const auto &[own, other] : {std::pair(&a, &b), {&b, &a}})
    if (std::string dim = own->asDim();
        places.count(dim) && isSumWithout(*other, dim, places))
      return JoinedDim{dim, *other};
  return std::nullopt;
}

std::optional<JoinedDim>
mixattn::findJoinedQuotient(const SizePolynomial &a, const SizePolynomial &b,
                            const std::map<std::string, size_t> &places) {
  std::map<std::string, size_t> own;
  for (const SizePolynomial *size : {&a, &b})
    for (const auto &[product, coefficient] : size->getTerms())
      for (const std::string &dim : product)
        if (auto known = places.find(dim); known != places.end())
          own.insert(*known);
  std::optional<JoinedDim> found;
  for (const auto &[dim, place] : own)
    for (const auto &[other, before] : own) {
      JoinedDim joined = {dim, SizePolynomial::named(other)};
      if (before >= place ||
          !exactQuotient(replaced(a, joined), replaced(b, joined)).isKnown())
        continue;
      if (found)
        return std::nullopt;
      found = joined;
    }
  return found;
}

/// Nobody gives multiples of more than this.
static constexpr int64_t mostFactor = 1 << 20;

/// `4 N_over_4` of N and 4, or `2 N_over_8` of `N_over_4` and 2: a dim of
/// another name than all others. Unknown of too large a multiple.
static SizePolynomial partOf(const std::string &dim, int64_t factor,
                             const std::map<std::string, size_t> &places) {
  StringRef root = dim;
  auto [whole, digits] = root.rsplit("_over_");
  int64_t all = factor, before;
  if (!digits.getAsInteger(10, before) && before > 1 && before <= mostFactor) {
    root = whole;
    all *= before;
  }
  if (all > mostFactor)
    return SizePolynomial::unknown();
  std::string name = root.str() + "_over_" + std::to_string(all);
  while (places.count(name))
    name += '_';
  return SizePolynomial::named(name) * factor;
}

std::optional<JoinedDim>
mixattn::findMultiple(const SizePolynomial &a, const SizePolynomial &b,
                      const std::map<std::string, size_t> &places) {
  if (!a.isKnown() || b.getTerms().size() != 1)
    return std::nullopt;
  const auto &[dims, divisor] = *b.getTerms().begin();
  if (divisor < 2 || divisor > mostFactor)
    return std::nullopt;
  std::optional<JoinedDim> found;
  for (const auto &[product, coefficient] : a.getTerms()) {
    std::vector<std::string> left;
    std::set_difference(product.begin(), product.end(), dims.begin(),
                        dims.end(), std::back_inserter(left));
    if (left.size() + dims.size() != product.size())
      return std::nullopt;
    if (product.empty() || coefficient % divisor == 0)
      continue;
    if (found || left.size() != 1 || !places.count(left[0]))
      return std::nullopt;
    int64_t factor = divisor / std::gcd(coefficient % divisor, divisor);
    found = {left[0], partOf(left[0], factor, places), /*isMultiple=*/true};
  }
  return found && found->size.isKnown() ? found : std::nullopt;
}

void mixattn::noteMultiple(std::map<std::string, MultipleDim> &multiples,
                           const JoinedDim &joined) {
  if (!joined.isMultiple)
    return;
  auto form = joined.size.asAffine();
  for (auto &[name, multiple] : multiples)
    if (multiple.part == joined.dim) {
      multiple = {form->dim, multiple.factor * form->factor};
      return;
    }
  multiples[joined.dim] = {form->dim, form->factor};
}

DimRange mixattn::rangeOfPart(const DimRange &range,
                              const SizePolynomial::Affine &size) {
  DimRange part;
  int64_t least, most;
  if (!llvm::SubOverflow(range.least, size.offset, least))
    part.least =
        std::max<int64_t>(llvm::divideCeilSigned(least, size.factor), 0);
  if (range.most && !llvm::SubOverflow(*range.most, size.offset, most))
    part.most = llvm::divideFloorSigned(most, size.factor);
  return part;
}

SizePolynomial mixattn::replaced(const SizePolynomial &size,
                                 const JoinedDim &joined) {
  return size.with([&](const std::string &dim) {
    return dim == joined.dim ? std::optional(joined.size) : std::nullopt;
  });
}

bool mixattn::joinDim(Graph &graph, const JoinedDim &joined) {
  if (auto own = graph.ranges.find(joined.dim); own != graph.ranges.end()) {
    DimRange range = own->second;
    auto form = joined.size.asAffine();
    if (!form && (range.least > 0 || range.most))
      return false;
    graph.ranges.erase(own);
    if (form)
      graph.ranges[form->dim].narrow(rangeOfPart(range, *form));
  }
  noteMultiple(graph.multiples, joined);
  for (GraphValue &value : graph.values)
    for (SizePolynomial &size : value.sizes)
      size = replaced(size, joined);
  for (GraphNode &node : graph.nodes)
    for (auto &[name, argument] : node.arguments)
      if (auto *size = std::get_if<SizePolynomial>(&argument))
        *size = replaced(*size, joined);
      else if (auto *sizes = std::get_if<SizeList>(&argument))
        for (SizePolynomial &each : *sizes)
          each = replaced(each, joined);
  return true;
}
