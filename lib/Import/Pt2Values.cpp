// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, sizes and names of dims.
#include "lib/Import/Pt2Values.h"

#include "lib/Import/JoinedDims.h"
#include "lib/Import/Pt2Program.h"

#include <algorithm>

using namespace mixattn;

/// As many dims as PyTorch's own kernels take, at most.
static constexpr size_t mostRank = 16;

Result<DType> mixattn::dtypeOfTorch(int64_t number) {
  // The numbers of torch._export.serde.schema.ScalarType.
  switch (number) {
  case 2:
    return DType::I8;
  case 3:
    return DType::I16;
  case 4:
    return DType::I32;
  case 5:
    return DType::I64;
  case 6:
    return DType::F16;
  case 7:
    return DType::F32;
  case 8:
    return DType::F64;
  case 10:
    // Both parts of complex64.
    return DType::F32;
  case 12:
    return DType::I1;
  case 13:
    return DType::BF16;
  }
  return makeError("expected elements of type bool, int8 to int64, float16, "
                   "bfloat16, float32, float64 or complex64, but got PyTorch's "
                   "type {}",
                   number);
}

bool mixattn::isComplexOfTorch(int64_t number) { return number == 10; }

ProgramValues::ProgramValues(const JsonView &program,
                             std::vector<GraphValue> &values,
                             std::optional<Error> &firstError)
    : program(program), values(values), firstError(firstError) {
  JsonView graph = program["graph_module"]["graph"];
  for (auto &[name, view] : graph["tensor_values"].members())
    types.emplace(name, view);
  for (auto &[name, view] : graph["sym_int_values"].members())
    integers.emplace(name, view);
}

SizePolynomial ProgramValues::readSize(const JsonView &size) {
  if (size.has("as_int"))
    return size["as_int"].integer();
  std::string text = size["as_expr"]["expr_str"].text();
  Result<SizePolynomial> parsed = parseSize(text, symbols, bounds);
  if (!parsed)
    size.complain(parsed.error());
  // Calls check dims of inputs alone.
  for (const auto &[name, range] : bounds.needed)
    if (!dims.count(name))
      size.complain(makeError("expected the largest or the smallest of sizes, "
                              "but got '{}', which depends on values",
                              text));
  return parsed ? *parsed : SizePolynomial(0);
}

/// An integer, or the name of one that was computed.
SizePolynomial ProgramValues::readInteger(const JsonView &integer) {
  if (integer.has("as_int"))
    return integer["as_int"].integer();
  std::string name = integer["as_name"].text();
  auto found = integers.find(name);
  if (found != integers.end())
    return readSize(found->second);
  integer.complain(makeError("expected the expression of integer '{}', but got "
                             "none",
                             name));
  return 0;
}

std::optional<SizePolynomial::Affine>
ProgramValues::dimOf(const std::string &symbol) const {
  auto given = symbols.find(symbol);
  auto form = given == symbols.end() ? SizePolynomial::Affine{symbol, 1, 0}
                                     : given->second.asAffine();
  return form && dims.count(form->dim) ? form : std::nullopt;
}

ValueId ProgramValues::define(const JsonView &view, bool mayBeEmpty) {
  GraphValue value;
  value.name = view.text();
  auto type = types.find(value.name);
  if (type == types.end()) {
    view.complain(makeError("expected the type of tensor '{}', but got none",
                            value.name));
    return 0;
  }
  Result<DType> dtype = dtypeOfTorch(type->second["dtype"].integer());
  if (dtype)
    value.dtype = *dtype;
  else
    type->second.complain(dtype.error());
  for (const JsonView &size : type->second["sizes"].elements()) {
    value.sizes.push_back(readSize(size));
    std::optional<int64_t> number = value.sizes.back().asNumber();
    int64_t least = mayBeEmpty ? 0 : 1;
    if (number && *number < least)
      size.complain(makeError("expected a size of at least {}, but got {}",
                              least, *number));
  }
  value.isComplex = isComplexOfTorch(type->second["dtype"].integer());
  if (value.isComplex)
    value.sizes.push_back(2);
  if (value.sizes.size() > mostRank)
    view.complain(makeError("expected a tensor of at most {} dims, but got {}",
                            mostRank, value.sizes.size()));
  if (!ids.emplace(value.name, values.size()).second)
    view.complain(makeError("expected tensor '{}' to be computed once, but got "
                            "it again",
                            value.name));
  values.push_back(std::move(value));
  return values.size() - 1;
}

/// The tensor of that name.
ValueId ProgramValues::use(const JsonView &view) {
  std::string name = view.text();
  auto found = ids.find(name);
  if (found != ids.end())
    return found->second;
  view.complain(makeError("expected tensor '{}' to be computed before it is "
                          "used, but got none",
                          name));
  return 0;
}

/// The size of an input's dim, which gets the name that the user gives it.
SizePolynomial ProgramValues::nameDim(const JsonView &view,
                                      const std::string &input, int64_t dim,
                                      const InputDimNames &names) {
  SizePolynomial size = readSize(view);
  std::string symbol = size.asDim();
  if (!symbol.empty() && dims.insert(symbol).second)
    places.emplace(symbol, places.size());
  if (Status named = chooseName(names, input, dim, size, chosen); !named)
    view.complain(named.error());
  return size;
}

/// The dims of inputs get their names before any other size is read.
void ProgramValues::nameDims(const JsonView &specs,
                             const InputDimNames &names) {
  SizeList sizes;
  for (const JsonView &spec : specs.elements()) {
    if (!spec.has("user_input"))
      continue;
    JsonView argument = spec["user_input"]["arg"];
    if (!argument.has("as_tensor"))
      continue;
    std::string input = argument["as_tensor"]["name"].text();
    auto type = types.find(input);
    if (type == types.end())
      continue;
    int64_t dim = 0;
    for (const JsonView &size : type->second["sizes"].elements())
      sizes.push_back(nameDim(size, input, dim++, names));
  }
  for (const std::string &symbol : findToldSymbols(sizes)) {
    dims.insert(symbol);
    places.emplace(symbol, places.size());
  }
  std::set<std::string> named;
  for (const std::string &symbol : dims) {
    auto given = chosen.find(symbol);
    const std::string &name = given == chosen.end() ? symbol : given->second;
    if (!named.insert(name).second)
      specs.complain(makeError("expected a name of its own for each open dim, "
                               "but got '{}' twice",
                               name));
  }
  std::map<std::string, size_t> order;
  for (const auto &[symbol, place] : places) {
    auto given = chosen.find(symbol);
    order.emplace(given == chosen.end() ? symbol : given->second, place);
  }
  places = std::move(order);
  dims = std::move(named);
  for (const auto &[symbol, name] : chosen)
    symbols.emplace(symbol, SizePolynomial::named(name));
  joinDims();
  readBounds();
}

/// The largest sizes for which PyTorch exported, where it says any.
void ProgramValues::readBounds() {
  if (!program.has("range_constraints"))
    return;
  for (const auto &[symbol, range] : program["range_constraints"].members())
    if (auto dim = dimOf(symbol);
        dim && range.has("max_val") && range["max_val"].isInteger()) {
      DimRange own = rangeOfPart({0, range["max_val"].integer()}, *dim);
      int64_t most = own.most.value_or(INT64_MAX);
      auto known = bounds.most.emplace(dim->dim, most).first;
      known->second = std::min(known->second, most);
    }
}

/// Whether a quotient in a size is whole once one dim is another, or a
/// multiple, which it is from then on.
bool ProgramValues::joinDimsOf(const JsonView &size) {
  if (!size.has("as_expr") || !size["as_expr"].has("expr_str") ||
      !size["as_expr"]["expr_str"].isText())
    return false;
  std::string text = size["as_expr"]["expr_str"].text();
  auto quotient = findQuotient(text, symbols);
  if (!quotient)
    return false;
  auto &[whole, divisor] = *quotient;
  auto joined = findJoinedQuotient(whole, divisor, places);
  if (joined)
    remarks.push_back("calls check that dim '" + joined->dim + "' is " +
                      joined->size.toText() + ": a size is (" + whole.toText() +
                      ") / (" + divisor.toText() + ")");
  else
    joined = findMultiple(whole, divisor, places);
  if (!joined)
    return false;
  noteMultiple(multiples, *joined);
  for (auto &[symbol, size] : symbols)
    size = replaced(size, *joined);
  symbols.emplace(joined->dim, joined->size);
  std::string other = joined->size.asAffine()->dim;
  dims.erase(joined->dim);
  dims.insert(other);
  places.emplace(other, places.extract(joined->dim).mapped());
  return true;
}

void ProgramValues::joinDims() {
  std::vector<JsonView> sizes;
  for (const auto &[name, type] : types)
    if (type.has("sizes"))
      for (const JsonView &size : type["sizes"].elements())
        sizes.push_back(size);
  // One size may have several such quotients.
  for (const JsonView &size : sizes)
    while (joinDimsOf(size))
      ;
}

std::string ProgramValues::defineInteger(const JsonView &integer) {
  std::string symbol = readInteger(integer).asDim();
  std::string name = integer["as_name"].text();
  if (symbol.empty() || dims.count(symbol) || !taken.insert(symbol).second)
    integer.complain(makeError("expected a symbol of its own for integer '{}', "
                               "but got '{}'",
                               name, symbol));
  return symbol;
}

void ProgramValues::checkSymbols(const SizeList &sizes, const GraphNode &node,
                                 bool mayBeTaken) {
  for (const SizePolynomial &size : sizes)
    for (const auto &[product, coefficient] : size.getTerms())
      for (const std::string &dim : product)
        if (!dims.count(dim) && !(mayBeTaken && taken.count(dim)) &&
            !firstError)
          firstError = makeError("{}: expected sizes that follow from those of "
                                 "inputs, but '{}' depends on values",
                                 describe(node), dim);
}

void ProgramValues::checkInput(const JsonView &spec, const GraphInput &input) {
  for (const SizePolynomial &size : values[input.value].sizes)
    for (const auto &[product, coefficient] : size.getTerms())
      for (const std::string &dim : product)
        if (!dims.count(dim))
          return spec.complain(
              makeError("expected '{}', from which size {} of input '{}' is "
                        "computed, to be a size of an input, too",
                        dim, size.toText(), input.name));
}

void ProgramValues::checkDims(const SizeList &sizes, const GraphNode &node) {
  checkSymbols(sizes, node, /*mayBeTaken=*/false);
}

void ProgramValues::checkArgument(const Argument &argument,
                                  const GraphNode &node) {
  if (const auto *size = std::get_if<SizePolynomial>(&argument))
    checkSymbols({*size}, node, /*mayBeTaken=*/true);
  else if (const auto *sizes = std::get_if<SizeList>(&argument))
    checkSymbols(*sizes, node, /*mayBeTaken=*/true);
}
