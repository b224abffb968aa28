// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Protobuf's wire format, as far as fields are told apart.
#include "lib/Import/OnnxFields.h"

#include <google/protobuf/wire_format_lite.h>

#include <algorithm>

using namespace mixattn;
using google::protobuf::internal::WireFormatLite;

std::vector<NewerField> mixattn::readNewerFields(std::string_view kept) {
  std::vector<NewerField> fields;
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t *>(kept.data()), int(kept.size()));
  while (uint32_t tag = stream.ReadTag()) {
    NewerField field;
    field.number = WireFormatLite::GetTagFieldNumber(tag);
    uint32_t size;
    if (WireFormatLite::GetTagWireType(tag) ==
        WireFormatLite::WIRETYPE_LENGTH_DELIMITED) {
      if (!stream.ReadVarint32(&size))
        break;
      size_t begin = size_t(stream.CurrentPosition());
      if (!stream.Skip(int(size)))
        break;
      field.bytes = kept.substr(begin, size);
    } else if (!WireFormatLite::SkipField(&stream, tag)) {
      break;
    }
    fields.push_back(field);
  }
  return fields;
}

Status mixattn::checkNewerFields(const std::string &message,
                                 std::string_view kept,
                                 std::initializer_list<int> known) {
  for (const NewerField &field : readNewerFields(kept))
    if (std::find(known.begin(), known.end(), field.number) == known.end())
      return makeError("expected fields whose meaning is known, but {} has "
                       "field {}",
                       message, field.number);
  return Success{};
}
