// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and text of polynomials in named dims.

#include "passes/entry/SizePolynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <limits>

using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

SizePolynomial::SizePolynomial(int64_t number) { add({}, number); }

SizePolynomial SizePolynomial::unknown() {
  SizePolynomial result;
  result.known = false;
  return result;
}

SizePolynomial SizePolynomial::named(llvm::StringRef name) {
  SizePolynomial result;
  result.add({name.str()}, 1);
  return result;
}

std::optional<int64_t> SizePolynomial::asNumber() const {
  if (isZero())
    return 0;
  if (!known || terms.size() != 1 || !terms.begin()->first.empty())
    return std::nullopt;
  return terms.begin()->second;
}

std::string SizePolynomial::asDim() const {
  bool isDim = known && terms.size() == 1 && terms.begin()->first.size() == 1 &&
               terms.begin()->second == 1;
  return isDim ? terms.begin()->first[0] : "";
}

std::optional<SizePolynomial::Affine> SizePolynomial::asAffine() const {
  Affine result{"", 0, 0};
  for (const auto &[dims, coefficient] : terms) {
    if (dims.empty()) {
      result.offset = coefficient;
      continue;
    }
    if (dims.size() > 1 || !result.dim.empty() || coefficient < 1)
      return std::nullopt;
    result.dim = dims[0];
    result.factor = coefficient;
  }
  return known && !result.dim.empty() ? std::optional(result) : std::nullopt;
}

void SizePolynomial::add(const std::vector<std::string> &dims,
                         int64_t coefficient) {
  int64_t &term = terms[dims];
  known &= !llvm::AddOverflow(term, coefficient, term);
  if (term == 0)
    terms.erase(dims);
}

SizePolynomial &SizePolynomial::operator+=(const SizePolynomial &other) {
  known &= other.known;
  for (const auto &[dims, coefficient] : other.terms)
    add(dims, coefficient);
  return *this;
}

/// Beyond these a polynomial says nothing to anyone, and takes long.
static constexpr size_t mostTerms = 256, mostFactors = 32;

SizePolynomial &SizePolynomial::operator*=(const SizePolynomial &other) {
  SizePolynomial product;
  // Nothing is nothing, however often.
  if (isZero() || other.isZero())
    return *this = product;
  if (terms.size() * other.terms.size() > mostTerms)
    return *this = unknown();
  product.known = known && other.known;
  for (const auto &[dims, coefficient] : terms)
    for (const auto &[otherDims, otherCoefficient] : other.terms) {
      std::vector<std::string> all = dims;
      all.insert(all.end(), otherDims.begin(), otherDims.end());
      if (all.size() > mostFactors)
        return *this = unknown();
      llvm::sort(all);
      int64_t both;
      product.known &= !llvm::MulOverflow(coefficient, otherCoefficient, both);
      product.add(all, both);
    }
  return *this = product;
}

SizePolynomial SizePolynomial::dividedBy(int64_t divisor) const {
  if (divisor <= 0)
    return unknown();
  SizePolynomial result = *this;
  for (auto &[dims, coefficient] : result.terms) {
    result.known &= coefficient % divisor == 0;
    coefficient /= divisor;
  }
  return result.known ? result : unknown();
}

SizePolynomial SizePolynomial::with(
    llvm::function_ref<std::optional<SizePolynomial>(const std::string &dim)>
        sizeOf) const {
  if (!known)
    return *this;
  SizePolynomial result;
  for (const auto &[dims, coefficient] : terms) {
    SizePolynomial term = coefficient;
    for (const std::string &dim : dims)
      term *= sizeOf(dim).value_or(named(dim));
    result += term;
  }
  return result;
}

SizePolynomial SizePolynomial::at(const GivenSizes &sizes) const {
  return with([&](const std::string &dim) -> std::optional<SizePolynomial> {
    auto given = sizes.find(dim);
    if (given == sizes.end())
      return std::nullopt;
    return given->second;
  });
}

llvm::json::Value SizePolynomial::toTerms() const {
  if (!known)
    return nullptr;
  Array result;
  for (const auto &[dims, coefficient] : terms)
    result.push_back(
        Object{{"coefficient", coefficient}, {"dims", Array(dims)}});
  return result;
}

llvm::json::Value SizePolynomial::toJson() const {
  if (std::optional<int64_t> number = asNumber())
    return *number;
  return toTerms();
}

/// `N^2 S` of N, N and S.
static std::string productText(const std::vector<std::string> &dims) {
  std::string text;
  for (size_t i = 0; i < dims.size();) {
    size_t power = 1;
    while (i + power < dims.size() && dims[i + power] == dims[i])
      ++power;
    text += (text.empty() ? "" : " ") + dims[i];
    if (power > 1)
      text += "^" + std::to_string(power);
    i += power;
  }
  return text;
}

std::vector<std::pair<std::vector<std::string>, int64_t>>
SizePolynomial::inOrder() const {
  std::vector<std::pair<std::vector<std::string>, int64_t>> ordered(
      terms.begin(), terms.end());
  llvm::sort(ordered, [](const auto &a, const auto &b) {
    return std::pair(b.first.size(), a.first) <
           std::pair(a.first.size(), b.first);
  });
  return ordered;
}

std::string SizePolynomial::toText() const {
  if (!known)
    return "?";
  if (terms.empty())
    return "0";
  std::string text;
  for (const auto &[dims, coefficient] : inOrder()) {
    bool isNegative = coefficient < 0;
    text += text.empty() ? (isNegative ? "-" : "") : isNegative ? " - " : " + ";
    std::string number = std::to_string(coefficient);
    number.erase(0, isNegative ? 1 : 0);
    std::string product = productText(dims);
    if (product.empty())
      text += number;
    else
      text += (number == "1" ? "" : number + " ") + product;
  }
  return text;
}

/// The product that a term of toText is, without its sign; none of other text.
static std::optional<SizePolynomial> parseTerm(llvm::StringRef text) {
  SizePolynomial result = 1;
  llvm::SmallVector<llvm::StringRef> parts, factors;
  text.split(parts, '*');
  for (llvm::StringRef part : parts) {
    size_t before = factors.size();
    part.split(factors, ' ', /*MaxSplit=*/-1, /*KeepEmpty=*/false);
    if (factors.size() == before)
      return std::nullopt;
  }
  for (llvm::StringRef factor : factors) {
    int64_t number;
    if (!factor.getAsInteger(10, number)) {
      result *= number;
      continue;
    }
    auto [name, exponent] = factor.split('^');
    unsigned power = 1;
    bool isName =
        !name.empty() && !llvm::isDigit(name.front()) &&
        llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
    if (!isName || (factor.contains('^') &&
                    (exponent.getAsInteger(10, power) || power > mostFactors)))
      return std::nullopt;
    for (; power > 0; --power)
      result *= SizePolynomial::named(name);
  }
  return result;
}

std::optional<SizePolynomial> SizePolynomial::parse(llvm::StringRef text) {
  SizePolynomial result;
  int64_t sign = text.ltrim().consume_front("-") ? -1 : 1;
  text = text.ltrim();
  if (sign < 0)
    text = text.drop_front();
  while (true) {
    size_t end = text.find_first_of("+-");
    std::optional<SizePolynomial> term = parseTerm(text.take_front(end));
    if (!term)
      return std::nullopt;
    result += *term * sign;
    if (end == llvm::StringRef::npos)
      break;
    sign = text[end] == '-' ? -1 : 1;
    text = text.drop_front(end + 1);
  }
  return result.known ? std::optional(result) : std::nullopt;
}

std::string SizePolynomial::toIdentifier() const {
  std::string text;
  for (const auto &[dims, coefficient] : inOrder()) {
    if (coefficient < 0)
      text += "minus_";
    else if (!text.empty())
      text += "plus_";
    std::vector<std::string> factors = dims;
    // Not by abs: the least integer has none.
    std::string number = std::to_string(coefficient);
    number.erase(0, coefficient < 0 ? 1 : 0);
    if (number != "1" || factors.empty())
      factors.push_back(number);
    text += llvm::join(factors, "_times_") + "_";
  }
  if (text.empty())
    return "_0";
  text.pop_back();
  return llvm::isDigit(text.front()) ? "_" + text : text;
}

/// An operation of manifests on all of `parts`, or the only one.
static llvm::json::Value combineSizes(const char *operation, Array parts) {
  if (parts.size() == 1)
    return std::move(parts.front());
  parts.insert(parts.begin(), operation);
  return parts;
}

llvm::json::Value SizePolynomial::toSize() const {
  if (!known)
    return nullptr;
  Array added, subtracted;
  for (const auto &[dims, coefficient] : inOrder()) {
    Array factors(dims);
    bool isNegative = coefficient < 0;
    int64_t factor = coefficient;
    if (factor == std::numeric_limits<int64_t>::min()) {
      // -2^63 is -(2^62 * 2): 2^63 itself has no 64 bits.
      factors.insert(factors.begin(), 2);
      factor /= 2;
    }
    if (factor != 1 && factor != -1)
      factors.insert(factors.begin(), isNegative ? -factor : factor);
    if (factors.empty())
      factors.push_back(1);
    (isNegative ? subtracted : added)
        .push_back(combineSizes("multiply", std::move(factors)));
  }
  if (added.empty())
    added.push_back(0);
  llvm::json::Value sum = combineSizes("add", std::move(added));
  if (subtracted.empty())
    return sum;
  return Array{"subtract", std::move(sum),
               combineSizes("add", std::move(subtracted))};
}
