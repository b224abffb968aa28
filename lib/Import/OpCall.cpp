// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arguments and results of one op.
#include "lib/Import/OpCall.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace mixattn;

/// Arguments that change nothing of what is computed: where elements lie, which
/// code of PyTorch's runs, and the element type of the result, which the file
/// says once more.
static constexpr StringLiteral idle[] = {
    "device",       "dtype",         "layout", "pin_memory", "non_blocking",
    "cudnn_enable", "memory_format", "copy",   "implicit",   "half_to_float"};

/// As many dims as PyTorch's own kernels take, at most.
static constexpr int64_t mostRank = 16;

void OpCall::nameInputs(ArrayRef<const char *> names, bool isList) {
  if (isList) {
    arguments.emplace_back(names[0], node.inputs);
    return;
  }
  for (auto [place, input] : enumerate(node.inputs)) {
    std::string name =
        place < names.size() ? names[place] : std::to_string(place);
    arguments.emplace_back(name, input ? mixattn::Argument(*input)
                                       : mixattn::Argument());
  }
}

void OpCall::rename(StringRef theirs, StringRef ours,
                    std::optional<int64_t> otherwise) {
  for (auto &[name, argument] : arguments)
    if (name == theirs) {
      name = ours.str();
      theirNames[name] = theirs.str();
      return;
    }
  if (otherwise && !has(ours))
    arguments.emplace_back(ours.str(), SizePolynomial(*otherwise));
}

std::string OpCall::shown(StringRef name) const {
  auto found = theirNames.find(name);
  return found == theirNames.end() ? name.str() : found->second;
}

const SizeList *OpCall::integersOf(const mixattn::Argument &argument) const {
  const auto *id = std::get_if<ValueId>(&argument);
  return id && values[*id].integers ? &*values[*id].integers : nullptr;
}

const mixattn::Argument *OpCall::find(StringRef name) {
  asked.insert(name.str());
  for (const auto &[key, argument] : arguments)
    if (key == name && !std::holds_alternative<std::monostate>(argument))
      return &argument;
  return nullptr;
}

bool OpCall::has(StringRef name) const {
  return any_of(arguments, [&](const auto &each) {
    return each.first == name &&
           !std::holds_alternative<std::monostate>(each.second);
  });
}

Built OpCall::failOf(StringRef name, const char *expected) {
  return build.fail(
      makeError("expected argument '{}' to be {}", shown(name), expected));
}

Built OpCall::tensor(StringRef name) {
  const mixattn::Argument *found = find(name);
  if (const auto *id = found ? std::get_if<ValueId>(found) : nullptr)
    return values[*id];
  return failOf(name, "a tensor");
}

Built OpCall::operand(StringRef name) {
  const mixattn::Argument *found = find(name);
  if (!found)
    return failOf(name, "a tensor or a number");
  if (const auto *id = std::get_if<ValueId>(found))
    return values[*id];
  if (const auto *size = std::get_if<SizePolynomial>(found))
    return build.number(*size);
  Built result;
  if (const auto *number = std::get_if<double>(found))
    result = build.filled(DType::F64, {}, *number);
  else if (const auto *flag = std::get_if<bool>(found))
    result = build.filled(DType::I1, {}, *flag);
  else
    return failOf(name, "a tensor or a number");
  result.isNumber = true;
  return result;
}

bool OpCall::isComplex(StringRef name) const {
  return any_of(arguments, [&](const auto &each) {
    const auto *id = std::get_if<ValueId>(&each.second);
    return each.first == name && id && graph.values[*id].isComplex;
  });
}

std::vector<Built> OpCall::tensors(StringRef name) {
  const mixattn::Argument *found = find(name);
  const auto *ids =
      found ? std::get_if<std::vector<std::optional<ValueId>>>(found) : nullptr;
  if (!ids) {
    failOf(name, "tensors");
    return {};
  }
  std::vector<Built> result;
  for (const std::optional<ValueId> &id : *ids)
    result.push_back(id ? values[*id] : Built());
  return result;
}

SizePolynomial OpCall::size(StringRef name, const SizePolynomial &otherwise) {
  const mixattn::Argument *found = find(name);
  if (!found)
    return otherwise;
  if (const auto *size = std::get_if<SizePolynomial>(found))
    return *size;
  const SizeList *integers = integersOf(*found);
  if (integers && integers->size() == 1)
    return integers->front();
  failOf(name, std::holds_alternative<ValueId>(*found)
                   ? "an integer that follows from sizes and constants"
                   : "an integer");
  return otherwise;
}

int64_t OpCall::integer(StringRef name, int64_t otherwise) {
  std::optional<int64_t> number = size(name, otherwise).asNumber();
  if (!number)
    failOf(name, "an integer that does not depend on sizes");
  return number.value_or(otherwise);
}

double OpCall::number(StringRef name, double otherwise) {
  const mixattn::Argument *found = find(name);
  if (!found)
    return otherwise;
  if (const auto *number = std::get_if<double>(found))
    return *number;
  if (const auto *size = std::get_if<SizePolynomial>(found))
    if (std::optional<int64_t> whole = size->asNumber())
      return static_cast<double>(*whole);
  if (const auto *flag = std::get_if<bool>(found))
    return *flag;
  if (const auto *id = std::get_if<ValueId>(found))
    if (values[*id].constant)
      return *values[*id].constant;
  failOf(name, "a number that does not depend on sizes");
  return otherwise;
}

std::vector<double> OpCall::numbers(StringRef name) {
  const mixattn::Argument *found = find(name);
  if (const auto *list =
          found ? std::get_if<std::vector<double>>(found) : nullptr)
    return *list;
  failOf(name, "numbers");
  return {};
}

bool OpCall::flag(StringRef name, bool otherwise) {
  return number(name, otherwise) != 0;
}

std::string OpCall::text(StringRef name, StringRef otherwise) {
  const mixattn::Argument *found = find(name);
  if (!found)
    return otherwise.str();
  if (const auto *text = std::get_if<std::string>(found))
    return *text;
  failOf(name, "a text");
  return otherwise.str();
}

SizeList OpCall::sizes(StringRef name) {
  const mixattn::Argument *found = find(name);
  if (!found)
    return {};
  if (const auto *sizes = std::get_if<SizeList>(found))
    return *sizes;
  if (const auto *size = std::get_if<SizePolynomial>(found))
    return {*size};
  if (const SizeList *integers = integersOf(*found))
    return *integers;
  failOf(name, std::holds_alternative<ValueId>(*found)
                   ? "integers that follow from sizes and constants"
                   : "sizes");
  return {};
}

int64_t OpCall::checkedDim(StringRef name, int64_t dim, int64_t rank) {
  // A tensor without dims has one for this purpose.
  int64_t most = std::max<int64_t>(rank, 1);
  if (dim < -most || dim >= most) {
    build.fail(makeError("expected argument '{}' to be a dim of a tensor of "
                         "rank {}, but got {}",
                         shown(name), rank, dim));
    return 0;
  }
  return dim < 0 ? dim + most : dim;
}

int64_t OpCall::dim(StringRef name, int64_t rank, int64_t otherwise) {
  return checkedDim(name, integer(name, otherwise), rank);
}

SmallVector<int64_t> OpCall::orderedDims(StringRef name, int64_t rank) {
  SmallVector<int64_t> result;
  for (const SizePolynomial &size : sizes(name)) {
    int64_t dim = checkedDim(name, size.asNumber().value_or(rank), rank);
    if (is_contained(result, dim))
      build.fail(makeError("expected each dim of argument '{}' once, but got "
                           "{} again",
                           shown(name), dim));
    result.push_back(dim);
  }
  return result;
}

SmallVector<int64_t> OpCall::dims(StringRef name, int64_t rank) {
  SmallVector<int64_t> result = orderedDims(name, rank);
  if (result.empty())
    result = to_vector(seq<int64_t>(0, rank));
  // The one dim of what has none.
  if (rank == 0)
    result.clear();
  sort(result);
  return result;
}

StringRef OpCall::overload() const {
  return StringRef(node.op).split('.').second.split('.').second;
}

DType OpCall::floatType() {
  DType dtype = result().dtype;
  if (isFloat(dtype))
    return dtype;
  build.fail(
      makeError("expected a result of floats, but got {}", nameOf(dtype)));
  return DType::F32;
}

void OpCall::checkSizes(const Built &value) {
  if (value.rank() > mostRank)
    build.fail(makeError("expected a tensor of at most {} dims, but got {}",
                         mostRank, value.rank()));
  for (const SizePolynomial &size : value.sizes)
    if (!size.isKnown() || size.asNumber().value_or(0) < 0)
      build.fail(makeError("expected sizes of at least 0 that are polynomials "
                           "of dims, but got {}",
                           toText(value.sizes)));
}

void OpCall::give(const Built &value, size_t index) {
  if (!value || build.failure() || index >= node.results.size())
    return;
  const GraphValue &expected = result(index);
  if (!expected.isTyped)
    checkSizes(value);
  else if (value.sizes != expected.sizes || value.dtype != expected.dtype)
    build.failSizes(makeError("expected result {} to be {} of shape {}, as the "
                              "file says, but the op makes {} of shape {}",
                              index, nameOf(expected.dtype),
                              toText(expected.sizes), nameOf(value.dtype),
                              toText(value.sizes)),
                    expected.sizes, value.sizes);
  if (Status fits = checkBytes(value.dtype, value.sizes); !fits)
    build.fail(fits.error());
  Built &place = values[node.results[index]];
  place = value;
  place.isNumber = false;
}

void OpCall::finish() {
  for (const auto &[name, argument] : arguments)
    if (!std::holds_alternative<std::monostate>(argument) &&
        !asked.count(name) && !is_contained(idle, name))
      build.fail(makeError("argument '{}' is not compiled", shown(name)));
}
