// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fields that are newer than the schema with which ONNX files are read.
#ifndef MIXATTN_LIB_IMPORT_ONNXFIELDS_H
#define MIXATTN_LIB_IMPORT_ONNXFIELDS_H

#include "lib/Runtime/Result.h"

#include <string>
#include <vector>

namespace mixattn {

/// A field of a message that the schema does not know.
struct NewerField {
  int number = 0;
  /// The bytes of a text or a message; empty for numbers.
  std::string_view bytes;
};

/// The fields in what protobuf keeps of a message beyond its schema, in order.
std::vector<NewerField> readNewerFields(std::string_view kept);

/// Fails where a message has a newer field that is not one of `known`: nobody
/// here knows what it changes.
Status checkNewerFields(const std::string &message, std::string_view kept,
                        std::initializer_list<int> known);

// The newer fields that are read or change nothing.
// NodeProto
constexpr int overloadOfNode = 8, metadataOfNode = 9, devicesOfNode = 10;
// FunctionProto
constexpr int attributesOfFunction = 11, typesOfFunction = 12,
              overloadOfFunction = 13, metadataOfFunction = 14;
// GraphProto, TensorProto
constexpr int metadataOfGraph = 16, metadataOfTensor = 16;
// ValueInfoProto
constexpr int metadataOfValue = 4;
// ModelProto
constexpr int devicesOfModel = 26;

} // namespace mixattn

#endif // MIXATTN_LIB_IMPORT_ONNXFIELDS_H
