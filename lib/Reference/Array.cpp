// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading of operands.
#include "lib/Reference/Array.h"

using namespace mixattn;

Status Array::read(const std::string &name, const Arguments &arguments) {
  if (name.empty())
    return Success();
  auto argument = arguments.find(name);
  if (argument == arguments.end())
    return makeError("the attention op reads '{}', which is no argument", name);
  const Tensor &tensor = *argument->second;
  shape = tensor.shape();
  values.resize(tensor.elements());
  for (int64_t n = 0; n < tensor.elements(); ++n)
    values[n] = tensor.number(n);
  return Success();
}

Status mixattn::readAll(const std::vector<Operand> &operands,
                        const Arguments &arguments) {
  for (const Operand &operand : operands)
    if (Status status = operand.array.read(operand.name, arguments); !status)
      return status;
  return Success();
}

Status mixattn::expectShape(const Operand &operand, const Shape &shape) {
  if (!operand.name.empty() && operand.array.shape != shape)
    return makeError("the attention op expected '{}' of shape {}, but got {}",
                     operand.name, toString(shape),
                     toString(operand.array.shape));
  return Success();
}

Status mixattn::project(const Operand &matrix, Array &array) {
  if (matrix.name.empty())
    return Success();
  const Array &weights = matrix.array;
  Shape shape = array.shape;
  int64_t &rows = shape[shape.size() - 2];
  int64_t before = rows, columns = shape.back();
  if (Status fits = expectShape(matrix, {weights.shape[0], before}); !fits)
    return fits;
  rows = weights.shape[0];
  int64_t blocks = 1;
  for (size_t dim = 0; dim + 2 < shape.size(); ++dim)
    blocks *= shape[dim];
  std::vector<double> values(blocks * rows * columns, 0.0);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t c = 0; c < rows; ++c)
      for (int64_t s = 0; s < before; ++s)
        for (int64_t d = 0; d < columns; ++d)
          values[(block * rows + c) * columns + d] +=
              weights(c, s) * array.values[(block * before + s) * columns + d];
  array.shape = shape;
  array.values = std::move(values);
  return Success();
}
