// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parser by descent.
#include "lib/Import/SizeText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

using namespace mixattn;
using llvm::StringRef;

/// Calls within calls, and the highest power; beyond these nobody wrote it.
static constexpr int mostDepth = 32;
static constexpr int64_t mostPower = 8;

SizePolynomial mixattn::exactQuotient(const SizePolynomial &a,
                                      const SizePolynomial &b) {
  if (!a.isKnown() || !b.isKnown() || b.getTerms().size() != 1)
    return SizePolynomial::unknown();
  const auto &[divisor, coefficient] = *b.getTerms().begin();
  SizePolynomial result;
  for (const auto &[dims, factor] : a.getTerms()) {
    SizePolynomial term = factor;
    std::vector<std::string> left = divisor;
    for (const std::string &dim : dims) {
      auto same = llvm::find(left, dim);
      if (same == left.end())
        term *= SizePolynomial::named(dim);
      else
        left.erase(same);
    }
    result += left.empty() ? term : SizePolynomial::unknown();
  }
  return result.dividedBy(coefficient);
}

namespace {

class SizeParser {
public:
  SizeParser(StringRef text, const DimNaming &naming)
      : rest(text), naming(naming) {}

  /// Unknown where the text is no polynomial.
  SizePolynomial parseAll() {
    SizePolynomial result = parse(0);
    return rest.trim().empty() ? result : SizePolynomial::unknown();
  }

private:
  SizePolynomial parse(int depth);
  SizePolynomial parseInteger();
  SizePolynomial parseSymbol();
  SizePolynomial combine(StringRef function,
                         const std::vector<SizePolynomial> &operands);
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  StringRef rest;
  const DimNaming &naming;
};

} // namespace

SizePolynomial SizeParser::parseInteger() {
  int64_t number;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number) || !take(")"))
    return SizePolynomial::unknown();
  return number;
}

/// A name in quotes, then what SymPy assumes of it.
SizePolynomial SizeParser::parseSymbol() {
  if (!take("'"))
    return SizePolynomial::unknown();
  auto [name, assumptions] = rest.split('\'');
  size_t end = assumptions.find(')');
  bool isName =
      !name.empty() && !llvm::isDigit(name[0]) &&
      llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
  if (end == StringRef::npos || !isName)
    return SizePolynomial::unknown();
  rest = assumptions.drop_front(end + 1);
  auto given = naming.find(name.str());
  return SizePolynomial::named(
      given == naming.end() ? name : StringRef(given->second));
}

SizePolynomial
SizeParser::combine(StringRef function,
                    const std::vector<SizePolynomial> &operands) {
  if (function == "Add" || function == "Mul") {
    SizePolynomial result = function == "Add" ? 0 : 1;
    for (const SizePolynomial &each : operands)
      function == "Add" ? result += each : result *= each;
    return result;
  }
  if (operands.size() != 2)
    return SizePolynomial::unknown();
  if (function == "FloorDiv" || function == "CleanDiv")
    return exactQuotient(operands[0], operands[1]);
  std::optional<int64_t> power = operands[1].asNumber();
  if (function != "Pow" || !power || *power < 0 || *power > mostPower)
    return SizePolynomial::unknown();
  SizePolynomial result = 1;
  for (; *power > 0; --*power)
    result *= operands[0];
  return result;
}

SizePolynomial SizeParser::parse(int depth) {
  rest = rest.ltrim();
  StringRef function = rest.take_while(llvm::isAlpha);
  rest = rest.drop_front(function.size());
  if (depth > mostDepth || !take("("))
    return SizePolynomial::unknown();
  if (function == "Integer")
    return parseInteger();
  if (function == "Symbol")
    return parseSymbol();
  std::vector<SizePolynomial> operands;
  do {
    operands.push_back(parse(depth + 1));
    if (!operands.back().isKnown())
      return SizePolynomial::unknown();
  } while (take(","));
  return take(")") ? combine(function, operands) : SizePolynomial::unknown();
}

Result<SizePolynomial> mixattn::parseSize(std::string_view text,
                                          const DimNaming &naming) {
  SizePolynomial result = SizeParser(text, naming).parseAll();
  if (!result.isKnown())
    return makeError("expected a size that is a polynomial of dims, but got "
                     "'{}'",
                     text);
  return result;
}
