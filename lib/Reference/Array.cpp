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
