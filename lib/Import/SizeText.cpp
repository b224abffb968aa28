// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A parser by descent.
#include "lib/Import/SizeText.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>
#include <utility>

using namespace mixattn;
using llvm::StringRef;

/// Calls within calls, and the highest power; beyond these nobody wrote it.
static constexpr int mostDepth = 32;
static constexpr int64_t mostPower = 8;
/// Nor sizes that are divided by more than this.
static constexpr int64_t mostDivisor = 1 << 20;

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

SizePolynomial mixattn::floorQuotient(const SizePolynomial &a,
                                      int64_t divisor) {
  auto own = a.getTerms().find({});
  int64_t number = own == a.getTerms().end() ? 0 : own->second;
  if (divisor <= 0)
    return SizePolynomial::unknown();
  return (a - number).dividedBy(divisor) +
         llvm::divideFloorSigned(number, divisor);
}

namespace {

class SizeParser {
public:
  SizeParser(StringRef text, const SymbolSizes &symbols, DimBounds bounds = {})
      : bounds(std::move(bounds)), rest(text), symbols(symbols) {}

  /// Unknown where the text is no polynomial.
  SizePolynomial parseAll() {
    SizePolynomial result = parse(0);
    return rest.trim().empty() ? result : SizePolynomial::unknown();
  }
  /// The first quotient that is none.
  std::optional<std::pair<SizePolynomial, SizePolynomial>> quotient;
  DimBounds bounds;

private:
  SizePolynomial parse(int depth);
  SizePolynomial parseInteger();
  SizePolynomial parseFloat();
  SizePolynomial parseSymbol();
  SizePolynomial combine(StringRef function,
                         const std::vector<SizePolynomial> &operands);
  SizePolynomial noted(const SizePolynomial &result, const SizePolynomial &a,
                       const SizePolynomial &b);
  bool take(StringRef token) {
    rest = rest.ltrim();
    return rest.consume_front(token);
  }

  StringRef rest;
  const SymbolSizes &symbols;
  /// The divisor of the product that is parsed.
  int64_t divisor = 1;
};

} // namespace

SizePolynomial SizeParser::parseInteger() {
  int64_t number;
  rest = rest.ltrim();
  if (rest.consumeInteger(10, number) || !take(")"))
    return SizePolynomial::unknown();
  return number;
}

/// A whole number in quotes, or one that divides 1, then its precision.
SizePolynomial SizeParser::parseFloat() {
  constexpr double most = int64_t(1) << 53;
  double number;
  if (!take("'"))
    return SizePolynomial::unknown();
  auto [text, precision] = rest.split('\'');
  size_t end = precision.find(')');
  if (end == StringRef::npos || text.getAsDouble(number) ||
      !(std::abs(number) <= most))
    return SizePolynomial::unknown();
  rest = precision.drop_front(end + 1);
  if (std::trunc(number) == number)
    return int64_t(number);
  // 0.5 is a divisor of the product that it stands in.
  double whole = 1 / number;
  if (divisor != 1 || !(whole > 1 && whole <= mostDivisor) ||
      std::trunc(whole) != whole)
    return SizePolynomial::unknown();
  divisor = int64_t(whole);
  return 1;
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
  auto given = symbols.find(name.str());
  return given == symbols.end() ? SizePolynomial::named(name) : given->second;
}

/// `result`, which is of the quotient of `a` by `b`; where there is none that
/// is the quotient which is looked for.
SizePolynomial SizeParser::noted(const SizePolynomial &result,
                                 const SizePolynomial &a,
                                 const SizePolynomial &b) {
  if (!result.isKnown() && !quotient)
    quotient = {a, b};
  return result;
}

SizePolynomial
SizeParser::combine(StringRef function,
                    const std::vector<SizePolynomial> &operands) {
  if (function == "Mul") {
    SizePolynomial product = 1;
    for (const SizePolynomial &each : operands)
      product *= each;
    int64_t by = std::exchange(divisor, 1);
    return noted(product.dividedBy(by), product, by);
  }
  // A part of a number stands nowhere else.
  if (divisor != 1)
    return SizePolynomial::unknown();
  if (function == "Add") {
    SizePolynomial sum;
    for (const SizePolynomial &each : operands)
      sum += each;
    return sum;
  }
  if (function == "Max")
    return largestSize(operands, bounds);
  if (function == "Min")
    return smallestSize(operands, bounds);
  // Of whole numbers, which floats have to be.
  if (function == "ToFloat" || function == "CeilToInt" ||
      function == "FloorToInt" || function == "TruncToInt")
    return operands.size() == 1 ? operands[0] : SizePolynomial::unknown();
  if (operands.size() != 2)
    return SizePolynomial::unknown();
  if (function == "FloatTrueDiv") {
    int64_t by = operands[1].asNumber().value_or(0);
    SizePolynomial whole = by < 0 ? -operands[0] : operands[0];
    by = by == INT64_MIN ? 0 : std::abs(by);
    return noted(whole.dividedBy(by), whole, by);
  }
  if (function == "FloorDiv" || function == "CleanDiv") {
    std::optional<int64_t> by = operands[1].asNumber();
    return noted(by && function == "FloorDiv"
                     ? floorQuotient(operands[0], *by)
                     : exactQuotient(operands[0], operands[1]),
                 operands[0], operands[1]);
  }
  if (function == "Mod" || function == "PythonMod") {
    // The rest of a quotient rounded down, of either sign.
    int64_t by = operands[1].asNumber().value_or(0);
    return noted(operands[0] - floorQuotient(operands[0], by) * by, operands[0],
                 operands[1]);
  }
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
  if (function == "Float")
    return parseFloat();
  if (function == "Symbol")
    return parseSymbol();
  std::vector<SizePolynomial> operands;
  int64_t around = std::exchange(divisor, 1);
  do {
    operands.push_back(parse(depth + 1));
    if (!operands.back().isKnown())
      return SizePolynomial::unknown();
  } while (take(","));
  if (!take(")"))
    return SizePolynomial::unknown();
  SizePolynomial result = combine(function, operands);
  divisor = around;
  return result;
}

std::optional<std::pair<SizePolynomial, SizePolynomial>>
mixattn::findQuotient(std::string_view text, const SymbolSizes &symbols) {
  SizeParser parser(text, symbols);
  (void)parser.parseAll();
  return parser.quotient;
}

Result<SizePolynomial> mixattn::parseSize(std::string_view text,
                                          const SymbolSizes &symbols,
                                          DimBounds &bounds) {
  SizeParser parser(text, symbols, bounds);
  SizePolynomial result = parser.parseAll();
  if (!result.isKnown())
    return makeError("expected a size that is a polynomial of dims, but got "
                     "'{}'",
                     text);
  bounds.needed = std::move(parser.bounds.needed);
  return result;
}
