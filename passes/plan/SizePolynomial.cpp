// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arithmetic and text of polynomials in named dims.

#include "passes/plan/SizePolynomial.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

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

SizePolynomial SizePolynomial::at(const GivenSizes &sizes) const {
  if (!known)
    return *this;
  SizePolynomial result;
  for (const auto &[dims, coefficient] : terms) {
    SizePolynomial term = coefficient;
    for (const std::string &dim : dims) {
      auto given = sizes.find(dim);
      term *= given == sizes.end() ? named(dim) : given->second;
    }
    result += term;
  }
  return result;
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

std::string SizePolynomial::toText() const {
  if (!known)
    return "?";
  if (terms.empty())
    return "0";
  // By degree, and by name within one.
  std::vector<const decltype(terms)::value_type *> ordered;
  size_t degree = 0;
  for (const auto &term : terms)
    degree = std::max(degree, term.first.size());
  for (size_t left = degree + 1; left-- > 0;)
    for (const auto &term : terms)
      if (term.first.size() == left)
        ordered.push_back(&term);
  std::string text;
  for (const auto *term : ordered) {
    const auto &[dims, coefficient] = *term;
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
