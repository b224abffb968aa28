// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing of .npy: magic, version, a Python dictionary, elements.
#include "lib/Runtime/Npy.h"
#include <set>

using namespace mixattn;

static constexpr std::string_view magic = "\x93NUMPY";
/// NumPy's own limits.
static constexpr size_t maximumHeader = 10000, maximumDims = 64;

namespace {
struct Header {
  std::string descr;
  bool fortranOrder = false;
  Shape shape;
};

/// Reads the dictionary literal of a header.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : rest(text) {}
  /// False at the first thing that it does not know.
  bool parse(Header &header);

private:
  void skipSpace() {
    while (!rest.empty() && (rest[0] == ' ' || rest[0] == '\n'))
      rest.remove_prefix(1);
  }
  bool accept(std::string_view token) {
    skipSpace();
    if (rest.substr(0, token.size()) != token)
      return false;
    rest.remove_prefix(token.size());
    return true;
  }
  bool parseMember(Header &header);
  bool parseText(std::string &text);
  bool parseBool(bool &value);
  bool parseShape(Shape &shape);
  bool parseSize(int64_t &size);

  std::string_view rest;
  std::set<std::string> keys;
};
} // namespace

bool HeaderParser::parseText(std::string &text) {
  if (!accept("'"))
    return false;
  size_t end = rest.find('\'');
  if (end == std::string_view::npos)
    return false;
  text = rest.substr(0, end);
  rest.remove_prefix(end + 1);
  return true;
}

bool HeaderParser::parseBool(bool &value) {
  value = accept("True");
  return value || accept("False");
}

bool HeaderParser::parseSize(int64_t &size) {
  skipSpace();
  size_t digits = 0;
  size = 0;
  for (; digits < rest.size() && rest[digits] >= '0' && rest[digits] <= '9';
       ++digits)
    if (__builtin_mul_overflow(size, 10, &size) ||
        __builtin_add_overflow(size, rest[digits] - '0', &size))
      return false;
  rest.remove_prefix(digits);
  return digits != 0;
}

bool HeaderParser::parseShape(Shape &shape) {
  if (!accept("("))
    return false;
  while (!accept(")")) {
    int64_t size;
    if (!parseSize(size))
      return false;
    shape.push_back(size);
    if (!accept(","))
      return shape.size() > 1 && accept(")");
  }
  return true;
}

bool HeaderParser::parseMember(Header &header) {
  std::string key;
  if (!parseText(key) || !accept(":"))
    return false;
  bool isNew = keys.insert(key).second;
  if (key == "descr")
    return isNew && parseText(header.descr);
  if (key == "fortran_order")
    return isNew && parseBool(header.fortranOrder);
  return key == "shape" && isNew && parseShape(header.shape);
}

bool HeaderParser::parse(Header &header) {
  if (!accept("{"))
    return false;
  while (parseMember(header) && accept(","))
    continue;
  bool closed = accept("}");
  skipSpace();
  return closed && rest.empty() && keys.size() == 3 && !header.descr.empty();
}

/// Takes the header's text off the front of the file.
static Result<std::string_view> takeHeader(std::string_view &file) {
  constexpr size_t fixed = magic.size() + 2;
  if (file.size() < fixed || file.substr(0, magic.size()) != magic)
    return makeError("expected an .npy file, but got something else");
  int version = static_cast<unsigned char>(file[magic.size()]);
  if (version < 1 || version > 3)
    return makeError("expected .npy version 1, 2 or 3, but got {}", version);
  size_t width = version == 1 ? 2 : 4;
  size_t length = 0;
  for (size_t i = 0; i < width && fixed + i < file.size(); ++i)
    length |= size_t(static_cast<unsigned char>(file[fixed + i])) << (8 * i);
  if (length > maximumHeader)
    return makeError("expected a header of at most {} bytes, but got {}",
                     maximumHeader, length);
  if (file.size() < fixed + width + length)
    return makeError("expected a header of {} bytes, but the file ends in it",
                     length);
  std::string_view header = file.substr(fixed + width, length);
  file.remove_prefix(fixed + width + length);
  return header;
}

/// The type that NumPy's name stands for.
static Result<DType> dtypeOf(std::string_view descr) {
  if (descr[0] == '>')
    return makeError("expected little-endian elements, but got '{}'", descr);
  std::string_view kind = descr.substr(1);
  if (kind == "O")
    return makeError("expected numbers, but got Python objects");
  static constexpr std::pair<std::string_view, DType> kinds[] = {
      {"f2", DType::F16}, {"V2", DType::BF16}, {"f4", DType::F32},
      {"f8", DType::F64}, {"b1", DType::I1},   {"i1", DType::I8},
      {"i2", DType::I16}, {"i4", DType::I32},  {"i8", DType::I64}};
  if (descr[0] == '<' || descr[0] == '|')
    for (auto &[name, dtype] : kinds)
      if (kind == name)
        return dtype;
  return makeError("expected one of the dtypes f2 V2 f4 f8 b1 i1 i2 i4 i8, but "
                   "got '{}'",
                   descr);
}

Result<Tensor> mixattn::readNpy(std::string_view file) {
  Result<std::string_view> text = takeHeader(file);
  if (!text)
    return text.error();
  Header header;
  if (!HeaderParser(*text).parse(header))
    return makeError("expected a header with descr, fortran_order and shape, "
                     "but got something else");
  if (header.shape.size() > maximumDims)
    return makeError("expected at most {} dims, but got {}", maximumDims,
                     header.shape.size());
  Result<DType> dtype = dtypeOf(header.descr);
  if (!dtype)
    return dtype.error();
  if (header.fortranOrder)
    return makeError("expected elements in C order, but got Fortran order");
  Result<size_t> bytes = byteCount(*dtype, header.shape);
  if (!bytes)
    return bytes.error();
  if (file.size() != *bytes)
    return makeError("expected {} bytes of elements, but got {}", *bytes,
                     file.size());
  return Tensor::fromBytes(*dtype, std::move(header.shape), file);
}

static const char *descrOf(DType dtype) {
  static constexpr const char *names[] = {"<f2", "|V2", "<f4", "<f8", "|b1",
                                          "|i1", "<i2", "<i4", "<i8"};
  return names[static_cast<int>(dtype)];
}

std::string mixattn::writeNpy(const Tensor &tensor) {
  std::string shape;
  for (int64_t size : tensor.shape())
    shape += std::to_string(size) + ", ";
  if (tensor.shape().size() > 1)
    shape.resize(shape.size() - 2);
  else if (!shape.empty())
    shape.pop_back();
  std::string header = std::string("{'descr': '") + descrOf(tensor.dtype()) +
                       "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // The elements start at a multiple of 64; a line feed ends the header.
  size_t before = magic.size() + 4;
  header.resize((before + header.size() + 64) / 64 * 64 - before - 1, ' ');
  header += '\n';
  std::string file(magic);
  file += {1, 0, static_cast<char>(header.size() & 0xff),
           static_cast<char>(header.size() >> 8)};
  file += header;
  return file.append(tensor.data(), tensor.bytes());
}
