// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names first, then types.
#include "lib/Import/OnnxInputs.h"

#include "dialect/attn/AttnOps.h"
#include "lib/Import/ChosenNames.h"
#include "lib/Import/OnnxFields.h"
#include "lib/Import/OnnxTensor.h"

#include <onnx/onnx.pb.h>

#include <set>

using namespace mixattn;

/// As many dims as PyTorch's own kernels take, at most.
static constexpr int mostRank = 16;

/// How an open dim is called in the file; dims of one name are equal.
static std::string symbolOf(const std::string &input, int64_t dim,
                            const onnx::TensorShapeProto::Dimension &size) {
  // No dim_param has a control character in front.
  return size.dim_param().empty() ? "\x01" + input + "_" + std::to_string(dim)
                                  : size.dim_param();
}

/// The shape of an input, or why it has none.
static Result<const onnx::TensorShapeProto *>
shapeOf(const onnx::ValueInfoProto &input) {
  const onnx::TypeProto &type = input.type();
  for (auto [message, kept, known] :
       {std::tuple("its description", &input.unknown_fields(), metadataOfValue),
        {"its type", &type.unknown_fields(), 0},
        {"its type", &type.tensor_type().unknown_fields(), 0},
        {"its shape", &type.tensor_type().shape().unknown_fields(), 0}})
    if (Status isKnown = checkNewerFields(message, *kept, {known}); !isKnown)
      return isKnown.error();
  if (!type.has_tensor_type() || !type.tensor_type().has_shape())
    return makeError("expected a tensor with a shape");
  const onnx::TensorShapeProto &shape = type.tensor_type().shape();
  if (shape.dim_size() > mostRank)
    return makeError("expected a tensor of at most {} dims, but got {}",
                     mostRank, shape.dim_size());
  return &shape;
}

/// The size that `symbol` writes: itself, or `2*n + 1` of others.
static SizePolynomial readSize(const std::string &symbol) {
  std::optional<SizePolynomial> size = SizePolynomial::parse(symbol);
  bool isName = isIdentifier(symbol) || !size || size->asNumber();
  return isName ? SizePolynomial::named(symbol) : *size;
}

namespace {

/// Names in place of symbols.
class SymbolNames {
public:
  Status add(const std::string &input, const onnx::TensorShapeProto &shape,
             const InputDimNames &names);
  Status choose();
  SizePolynomial sizeOf(const std::string &input, int64_t dim,
                        const onnx::TensorShapeProto::Dimension &size) const {
    if (size.has_dim_value())
      return size.dim_value();
    return sizes.at(symbolOf(input, dim, size))
        .with([&](const std::string &symbol) {
          return SizePolynomial::named(chosen.at(symbol));
        });
  }

private:
  void findSymbols();

  /// Each symbol with its first place.
  std::map<std::string, std::pair<std::string, int64_t>> symbols;
  /// The sizes of symbols that these write, in the file's names.
  std::map<std::string, SizePolynomial> sizes;
  DimNaming chosen;
};

} // namespace

Status SymbolNames::add(const std::string &input,
                        const onnx::TensorShapeProto &shape,
                        const InputDimNames &names) {
  for (int64_t dim = 0; dim < shape.dim_size(); ++dim) {
    const auto &size = shape.dim(int(dim));
    if (size.has_dim_value()) {
      if (size.dim_value() < 1)
        return makeError("expected a size of at least 1, but got {}",
                         size.dim_value());
      if (Status open = chooseName(names, input, dim, size.dim_value(), chosen);
          !open)
        return open;
      continue;
    }
    std::string symbol = symbolOf(input, dim, size);
    symbols.try_emplace(symbol, input, dim);
    // A dim to which the user gives a plain name is computed from no other.
    auto name = names.find({input, dim});
    bool isWhole = name != names.end() && isIdentifier(name->second);
    SizePolynomial written =
        isWhole ? SizePolynomial::named(symbol) : readSize(symbol);
    if (auto known = sizes.emplace(symbol, written).first; isWhole)
      known->second = written;
    if (Status named = chooseName(names, input, dim, written, chosen); !named)
      return named;
  }
  return Success{};
}

/// An identifier like `wanted`.
static std::string identifierLike(const std::string &wanted) {
  std::string made;
  for (char c : wanted)
    made += llvm::isAlnum(c) ? c : '_';
  return isIdentifier(made) ? made : "_" + made;
}

/// Leaves the symbols that are to get a name: those of dims themselves, and
/// those that dims tell. A text of others is one symbol.
void SymbolNames::findSymbols() {
  SizeList all;
  for (const auto &[text, size] : sizes)
    all.push_back(size);
  std::set<std::string> told = findToldSymbols(all);
  auto isKnown = [&](const std::string &symbol) {
    auto own = sizes.find(symbol);
    return told.count(symbol) ||
           (own != sizes.end() && own->second.asDim() == symbol);
  };
  for (auto &[text, size] : sizes) {
    bool isOfKnown = true;
    for (const auto &[product, coefficient] : size.getTerms())
      isOfKnown &= llvm::all_of(product, isKnown);
    if (!isOfKnown)
      size = SizePolynomial::named(text);
    if (size.asDim() == text)
      continue;
    auto place = symbols.extract(text).mapped();
    if (auto form = size.asAffine(); form && told.count(form->dim))
      symbols.emplace(form->dim, place);
  }
}

Status SymbolNames::choose() {
  findSymbols();
  std::set<std::string> taken;
  for (const auto &[symbol, name] : chosen)
    if (!taken.insert(name).second)
      return makeError("expected a name of its own for each open dim, but got "
                       "'{}' twice",
                       name);
  for (const auto &[symbol, place] : symbols) {
    if (chosen.count(symbol))
      continue;
    bool isNameless = symbol[0] == '\x01';
    if (!isNameless && !isIdentifier(symbol))
      return makeError("expected an identifier as the name of dim {} of input "
                       "'{}', but got '{}'; '--name-dim={}.{}=NAME' gives one",
                       place.second, place.first, symbol, place.first,
                       place.second);
    std::string name = isNameless ? identifierLike(symbol.substr(1)) : symbol;
    while (!taken.insert(name).second) {
      if (!isNameless)
        return makeError("expected a name of its own for each open dim, but "
                         "got '{}' twice",
                         name);
      name += '_';
    }
    chosen[symbol] = name;
  }
  return Success{};
}

Result<std::vector<GraphValue>>
mixattn::readOnnxInputs(const std::vector<const onnx::ValueInfoProto *> &inputs,
                        const InputDimNames &names) {
  SymbolNames dims;
  InputDimNames unused = names;
  std::vector<const onnx::TensorShapeProto *> shapes;
  for (const onnx::ValueInfoProto *input : inputs) {
    auto shape = shapeOf(*input);
    Status added =
        shape ? dims.add(input->name(), **shape, names) : Status(shape.error());
    if (!added)
      return inPlace("input '" + withoutControls(input->name()) + "'",
                     added.error());
    shapes.push_back(*shape);
    for (int64_t dim = 0; dim < (*shape)->dim_size(); ++dim)
      unused.erase({input->name(), dim});
  }
  if (!unused.empty())
    return makeError("expected '--name-dim' to name a dim of an input, but got "
                     "'{}.{}'",
                     unused.begin()->first.first, unused.begin()->first.second);
  if (Status chosen = dims.choose(); !chosen)
    return chosen.error();
  std::vector<GraphValue> result;
  for (size_t i = 0; i < inputs.size(); ++i) {
    GraphValue value;
    value.name = inputs[i]->name();
    Result<DType> dtype =
        dtypeOfOnnx(inputs[i]->type().tensor_type().elem_type());
    if (!dtype)
      return inPlace("input '" + withoutControls(value.name) + "'",
                     dtype.error());
    value.dtype = *dtype;
    for (int64_t dim = 0; dim < shapes[i]->dim_size(); ++dim)
      value.sizes.push_back(
          dims.sizeOf(value.name, dim, shapes[i]->dim(int(dim))));
    result.push_back(std::move(value));
  }
  return result;
}
