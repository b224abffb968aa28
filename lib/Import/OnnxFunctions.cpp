// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes with values of their own are newer than the schema.
#include "lib/Import/OnnxFunctions.h"

#include "lib/Import/OnnxFields.h"

#include <onnx/onnx.pb.h>

using namespace mixattn;

static Result<OnnxFunction> readFunction(const onnx::FunctionProto &body) {
  OnnxFunction function;
  function.body = &body;
  std::string_view kept = body.unknown_fields();
  if (Status known = checkNewerFields("it", kept,
                                      {attributesOfFunction, typesOfFunction,
                                       overloadOfFunction, metadataOfFunction});
      !known)
    return known.error();
  for (const NewerField &field : readNewerFields(kept)) {
    if (field.number == overloadOfFunction && !field.bytes.empty())
      return makeError("expected a function without overloads, but got '{}'",
                       field.bytes);
    if (field.number != attributesOfFunction)
      continue;
    auto attribute = std::make_shared<onnx::AttributeProto>();
    if (!attribute->ParseFromArray(field.bytes.data(), int(field.bytes.size())))
      return makeError("expected attributes, but got something else");
    function.attributes.push_back(std::move(attribute));
  }
  return function;
}

Status OnnxFunctions::read(const onnx::ModelProto &model) {
  for (const onnx::FunctionProto &body : model.functions()) {
    if (body.domain() == outrightDomain)
      continue;
    Result<OnnxFunction> function = readFunction(body);
    if (function &&
        !functions.emplace(std::pair(body.domain(), body.name()), *function)
             .second)
      function = makeError("expected it once, but got it again");
    if (!function)
      return inPlace("function '" + withoutControls(body.name()) + "'",
                     function.error());
  }
  return Success{};
}

const OnnxFunction *OnnxFunctions::find(const std::string &domain,
                                        const std::string &name) const {
  auto found = functions.find({domain, name});
  return found == functions.end() ? nullptr : &found->second;
}
