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
    return SizePolynomial::named(chosen.at(symbolOf(input, dim, size)));
  }

private:
  /// Each symbol with its first place.
  std::map<std::string, std::pair<std::string, int64_t>> symbols;
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
      if (Status open =
              refuseName(names, input, dim, std::to_string(size.dim_value()));
          !open)
        return open;
      continue;
    }
    std::string symbol = symbolOf(input, dim, size);
    symbols.try_emplace(symbol, input, dim);
    if (Status named = chooseName(names, input, dim, symbol, chosen); !named)
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

Status SymbolNames::choose() {
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
