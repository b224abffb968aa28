// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the sizes of named dims.

#include "passes/entry/EntryChecks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mixattn;

void EntryChecks::checkNamedDim(const EntryTensor &expected, StringRef name,
                                Value size) {
  auto [known, isNew] =
      dims.try_emplace(name, ReadDim{size, expected.title, title, code});
  if (!isNew) {
    const ReadDim &first = known->second;
    return require(same(size, first.size),
                   "expected dimension '" + name + "' to be %lld as in " +
                       first.owner + ", but got %lld",
                   {first.size, size});
  }
  auto found = rules.find(name.str());
  DimRule rule = found == rules.end() ? DimRule() : found->second;
  auto compare = [&](arith::CmpIPredicate predicate, int64_t end) -> Value {
    return arith::CmpIOp::create(b, predicate, size, i64(end));
  };
  require(compare(arith::CmpIPredicate::sge, rule.least),
          "expected dimension '" + name + "' to be " + Twine(rule.least) +
              " or more, but got %lld",
          size);
  if (rule.most)
    require(compare(arith::CmpIPredicate::sle, *rule.most),
            "expected dimension '" + name + "' to be at most " +
                Twine(*rule.most) + ", but got %lld",
            size);
  checkToldDims(expected, name, size);
}

void EntryChecks::checkToldDims(const EntryTensor &expected, StringRef name,
                                Value size) {
  for (const auto &[dim, rule] : rules) {
    if (!rule.told || rule.told->by != name)
      continue;
    auto [by, factor, offset] = *rule.told;
    Value multiple = arith::SubIOp::create(b, size, i64(offset));
    Value rest = arith::RemSIOp::create(b, multiple, i64(factor));
    int64_t over = (offset % factor + factor) % factor;
    std::string more = over ? " plus " + std::to_string(over) : "";
    if (factor > 1)
      require(same(rest, i64(0)),
              "expected dimension '" + name + "' to be a multiple of " +
                  Twine(factor) + more + ", but got %lld",
              size);
    checkNamedDim(expected, dim,
                  arith::DivSIOp::create(b, multiple, i64(factor)));
  }
}

/// The value of `polynomial` as an integer, which may wrap, or as a float.
static Value evaluate(ImplicitLocOpBuilder &b, const SizePolynomial &polynomial,
                      llvm::function_ref<Value(StringRef)> sizeOf,
                      bool asFloat) {
  Type type = asFloat ? Type(b.getF64Type()) : Type(b.getI64Type());
  auto constant = [&](int64_t number) -> Value {
    TypedAttr attr = asFloat ? TypedAttr(b.getF64FloatAttr(double(number)))
                             : TypedAttr(b.getI64IntegerAttr(number));
    return arith::ConstantOp::create(b, attr);
  };
  auto combine = [&](Value x, Value y, bool isProduct) -> Value {
    if (asFloat && isProduct)
      return arith::MulFOp::create(b, x, y);
    if (asFloat)
      return arith::AddFOp::create(b, x, y);
    if (isProduct)
      return arith::MulIOp::create(b, x, y);
    return arith::AddIOp::create(b, x, y);
  };
  Value sum = constant(0);
  for (const auto &[dims, coefficient] : polynomial.getTerms()) {
    Value term = constant(coefficient);
    for (const std::string &dim : dims) {
      Value size = sizeOf(dim);
      if (asFloat)
        size = arith::SIToFPOp::create(b, type, size);
      term = combine(term, size, /*isProduct=*/true);
    }
    sum = combine(sum, term, /*isProduct=*/false);
  }
  return sum;
}

void EntryChecks::checkComputedDims() {
  for (const auto &[name, rule] : rules) {
    auto computed = dims.find(name);
    if (!rule.definition || computed == dims.end())
      continue;
    const ReadDim &dim = computed->second;
    title = dim.title;
    code = dim.code;
    auto sizeOf = [&](StringRef each) { return dims.lookup(each).size; };
    Value rounded = evaluate(b, *rule.definition, sizeOf, /*asFloat=*/true);
    Value largest = arith::ConstantOp::create(b, b.getF64FloatAttr(0x1p62));
    require(
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, rounded, largest),
        "expected dimension '" + name +
            "', which other dimensions tell, to be less than 2^62");
    Value exact = evaluate(b, *rule.definition, sizeOf, /*asFloat=*/false);
    require(same(dim.size, exact),
            "expected dimension '" + name +
                "' to be %lld, as other dimensions tell, but got %lld",
            {exact, dim.size});
  }
}
