// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C header of an artifact: one typed function per entry.
#include "lib/Target/CHeader.h"

#include "lib/Runtime/Manifest.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace mixattn;

/// Keywords of C and C++, the names that the header's functions use, and
/// frequent macros of compilers and C's headers; sorted.
// clang-format off
static constexpr llvm::StringLiteral reserved[] = {
    "EOF", "I", "INFINITY", "NAN", "NULL", "alignas", "alignof", "and",
    "and_eq", "asm", "assert", "auto", "bitand", "bitor", "bool", "break",
    "call", "case", "catch", "char", "class", "co_await", "co_return",
    "co_yield", "compl", "complex", "concept", "const", "const_cast",
    "consteval", "constexpr", "constinit", "continue", "decltype", "default",
    "delete", "device", "do", "double", "dynamic_cast", "else", "enum", "errno",
    "explicit", "export", "extern", "false", "float", "for", "friend", "goto",
    "if", "imaginary", "inline", "int", "linux", "long", "mutable", "namespace",
    "new", "noexcept", "not", "not_eq", "nullptr", "operator", "or", "or_eq",
    "pointers", "private", "protected", "public", "register",
    "reinterpret_cast", "requires", "restrict", "return", "shapes", "short",
    "signed", "sizeof", "static", "static_assert", "static_cast", "stderr",
    "stdin", "stdout", "struct", "switch", "template", "tensors", "this",
    "thread_local", "throw", "true", "try", "typedef", "typeid", "typename",
    "typeof", "typeof_unqual", "union", "unix", "unsigned", "using", "virtual",
    "void", "volatile", "while", "xor", "xor_eq"};
// clang-format on

/// Whether C, C++, their headers, DLPack or this header may have another use
/// for `name`.
static bool isReserved(llvm::StringRef name) {
  for (llvm::StringRef prefix : {"mixattn_", "MIXATTN_", "DL", "kDL", "__"})
    if (name.starts_with(prefix))
      return true;
  for (llvm::StringRef suffix : {"_t", "_MAX", "_MIN", "_WIDTH"})
    if (name.ends_with(suffix))
      return true;
  return llvm::is_contained(reserved, name) ||
         (name.size() > 1 && name[0] == '_' && llvm::isUpper(name[1]));
}

namespace {
/// How C and DLPack write an element type.
struct ElementType {
  const char *cType, *code;
  int bits;
};

/// Turns names of the manifest into distinct C and C++ identifiers of one
/// function.
class Identifiers {
public:
  /// An identifier like `name`, not given out before.
  std::string add(const std::string &name) {
    std::string identifier;
    for (char c : name)
      identifier += llvm::isAlnum(c) ? c : '_';
    if (identifier.empty() || llvm::isDigit(identifier[0]))
      identifier.insert(0, "_");
    if (isReserved(identifier))
      identifier += '_';
    while (!taken.insert(identifier).second)
      identifier += '_';
    return identifier;
  }

private:
  std::set<std::string> taken;
};

/// An argument or result, and its name in C.
struct CParameter {
  const Parameter *parameter;
  bool isWritten;
  std::string name;
};

/// An entry with its names in C.
struct CEntry {
  const Entry *entry;
  /// From the manifest's names of dims, in the order of their first use.
  std::vector<std::pair<std::string, std::string>> dims;
  /// Arguments, then results: the order of the entry's tensors.
  std::vector<CParameter> parameters;
};
} // namespace

static ElementType elementTypeOf(DType dtype) {
  switch (dtype) {
  case DType::F16:
    return {"uint16_t", "kDLFloat", 16};
  case DType::BF16:
    return {"uint16_t", "kDLBfloat", 16};
  case DType::F32:
    return {"float", "kDLFloat", 32};
  case DType::F64:
    return {"double", "kDLFloat", 64};
  case DType::I1:
    return {"uint8_t", "MIXATTN_DL_BOOL", 8};
  case DType::I8:
    return {"int8_t", "kDLInt", 8};
  case DType::I16:
    return {"int16_t", "kDLInt", 16};
  case DType::I32:
    return {"int32_t", "kDLInt", 32};
  case DType::I64:
    return {"int64_t", "kDLInt", 64};
  }
  llvm_unreachable("all dtypes are above");
}

/// The expression that a dim is computed by, or null.
static const SizeExpression *definitionOf(const Entry &entry,
                                          const std::string &dim) {
  auto rule = entry.sizes.find(dim);
  bool isComputed = rule != entry.sizes.end() && rule->second.definition;
  return isComputed ? &*rule->second.definition : nullptr;
}

/// Gives every dim and every tensor of `entry` its name in C.
static CEntry nameInC(const Entry &entry) {
  CEntry named{&entry, {}, {}};
  for (const Parameter &argument : entry.arguments)
    named.parameters.push_back(
        {&argument, /*isWritten=*/argument.isUpdated, ""});
  for (const Parameter &result : entry.results)
    named.parameters.push_back({&result, /*isWritten=*/true, ""});
  Identifiers identifiers;
  std::set<std::string> seen;
  for (const CParameter &each : named.parameters)
    for (const Dim &dim : each.parameter->shape)
      if (dim.isDynamic() && !definitionOf(entry, dim.name) &&
          seen.insert(dim.name).second)
        named.dims.emplace_back(dim.name, identifiers.add(dim.name));
  for (const auto &[dim, rule] : entry.sizes)
    if (rule.told && seen.insert(dim).second)
      named.dims.emplace_back(dim, identifiers.add(dim));
  for (CParameter &each : named.parameters)
    each.name = identifiers.add(each.parameter->name);
  return named;
}

static std::string dimInC(const CEntry &entry, const Dim &dim);

/// A polynomial in C, with parentheses where operators meet.
static std::string sizeInC(const CEntry &entry, const SizeExpression &size,
                           bool isInner = false) {
  using Kind = SizeExpression::Kind;
  if (size.kind == Kind::Number)
    return std::to_string(size.number);
  if (size.kind == Kind::Dim)
    return dimInC(entry, {size.dim, 0});
  const char *sign = size.kind == Kind::Add        ? " + "
                     : size.kind == Kind::Subtract ? " - "
                                                   : " * ";
  std::string text;
  for (const SizeExpression &operand : size.operands)
    text +=
        (text.empty() ? "" : sign) + sizeInC(entry, operand, /*isInner=*/true);
  return isInner ? "(" + text + ")" : text;
}

/// `dim` in C: an integer, the name of a parameter or an expression of such.
static std::string dimInC(const CEntry &entry, const Dim &dim) {
  for (const auto &[name, nameInC] : entry.dims)
    if (name == dim.name)
      return nameInC;
  if (const SizeExpression *size = definitionOf(*entry.entry, dim.name))
    return sizeInC(entry, *size);
  return dim.toString();
}

/// `B, 8, N, 64`.
static std::string shapeInC(const CEntry &entry, const Parameter &parameter) {
  std::vector<std::string> dims;
  for (const Dim &dim : parameter.shape)
    dims.push_back(dimInC(entry, dim));
  return llvm::join(dims, ", ");
}

/// Where the tensors of an artifact's calls lie.
enum class Place { Host, Cuda, Either };

static Place placeOf(const Manifest &manifest) {
  if (manifest.gpu)
    return Place::Either;
  return manifest.target.isGpu() ? Place::Cuda : Place::Host;
}

/// Where that is, for a comment.
static std::string nameOf(Place place) {
  switch (place) {
  case Place::Host:
    return "host memory";
  case Place::Cuda:
    return "memory of\n * the CUDA device of number `device`";
  case Place::Either:
    return "memory of\n * `device`: {kDLCPU, 0}, or {kDLCUDA, N} for CUDA "
           "device N";
  }
  llvm_unreachable("all places are above");
}

/// The device of a tensor in C.
static const char *deviceInC(Place place) {
  switch (place) {
  case Place::Host:
    return "{kDLCPU, 0}";
  case Place::Cuda:
    return "{kDLCUDA, device}";
  case Place::Either:
    return "device";
  }
  llvm_unreachable("all places are above");
}

/// The comment above an entry's function: what each tensor is.
static std::string makeComment(const CEntry &entry, Place place) {
  std::string text = "/* Calls the entry '" + entry.entry->name +
                     "' on dense row-major tensors in " + nameOf(place) +
                     ":\n *\n";
  for (const CParameter &each : entry.parameters) {
    const Parameter &parameter = *each.parameter;
    text += " *   " + each.name + ": " + std::string(nameOf(parameter.dtype)) +
            " [" + shapeInC(entry, parameter) + "]";
    if (parameter.range)
      text += ", values from " + dimInC(entry, parameter.range->low) + " to " +
              dimInC(entry, parameter.range->high);
    text += each.parameter->isUpdated ? ", updated in place\n"
            : each.isWritten          ? ", written\n"
                                      : "\n";
  }
  return text +
         " *\n * f16 and bf16 are given by their bits. Returns 0, or 1 + "
         "the index of the\n * tensor at fault in this list, or one of "
         "MIXATTN_ERROR_*. `call` may be NULL. */\n";
}

/// `static inline int32_t attn_NAME(…)`.
static std::string makeSignature(const CEntry &entry, Place place) {
  std::string start = "static inline int32_t attn_" + entry.entry->name + "(";
  std::vector<std::string> declared;
  for (const auto &[name, nameInC] : entry.dims)
    declared.push_back("int64_t " + nameInC);
  for (const CParameter &each : entry.parameters)
    declared.push_back(std::string(each.isWritten ? "" : "const ") +
                       elementTypeOf(each.parameter->dtype).cType + " *" +
                       each.name);
  if (place == Place::Cuda)
    declared.push_back("int32_t device");
  else if (place == Place::Either)
    declared.push_back("DLDevice device");
  declared.push_back("const mixattn_call *call");
  return start + llvm::join(declared, ",\n" + std::string(start.size(), ' ')) +
         ")";
}

/// The function's body: descriptions of the tensors, and the call.
static std::string makeBody(const CEntry &entry, Place place) {
  size_t maxRank = 1;
  std::vector<std::string> shapes, tensors, pointers;
  for (auto [index, each] : llvm::enumerate(entry.parameters)) {
    const Parameter &parameter = *each.parameter;
    ElementType type = elementTypeOf(parameter.dtype);
    size_t rank = parameter.shape.size();
    maxRank = std::max(maxRank, rank);
    // C has no empty braces: a scalar's shape is one number that nobody reads.
    shapes.push_back("{" + (rank ? shapeInC(entry, parameter) : "0") + "}");
    tensors.push_back("{(void *)" + each.name + ", " + deviceInC(place) + ", " +
                      std::to_string(rank) + ", {" + type.code + ", " +
                      std::to_string(type.bits) + ", 1}, shapes[" +
                      std::to_string(index) + "], NULL, 0}");
    pointers.push_back("&tensors[" + std::to_string(index) + "]");
  }
  std::string count = std::to_string(entry.parameters.size());
  return " {\n  int64_t shapes[" + count + "][" + std::to_string(maxRank) +
         "] = {\n      " + llvm::join(shapes, ",\n      ") +
         "};\n  const DLTensor tensors[" + count + "] = {\n      " +
         llvm::join(tensors, ",\n      ") +
         "};\n  const DLTensor *const pointers[" + count + "] = {\n      " +
         llvm::join(pointers, ", ") + "};\n  return " + entry.entry->symbol +
         "(pointers, " + count + ", call);\n}\n";
}

/// The functions of the ABI for `entry`.
static std::string makeDeclarations(const Entry &entry, bool isForSeveralCpus) {
  auto declare = [](const std::string &symbol,
                    std::vector<std::string> parameters) {
    std::string start = "int32_t " + symbol + "(";
    return start +
           llvm::join(parameters, ",\n" + std::string(start.size(), ' ')) +
           ");\n";
  };
  std::string tensors = "const DLTensor *const *tensors, int32_t count";
  std::string call = "const mixattn_call *call";
  std::string version =
      isForSeveralCpus ? declare("mixattn_version_" + entry.name, {call}) : "";
  return declare(entry.symbol, {tensors, call}) +
         declare("mixattn_workspace_" + entry.name,
                 {tensors, "uint64_t *bytes, " + call}) +
         declare("mixattn_prepare_" + entry.name, {"int32_t device", call}) +
         version + "\n";
}

std::string mixattn::makeCHeader(const Manifest &manifest) {
  std::string guard = "MIXATTN_ENTRIES", functions;
  Place place = placeOf(manifest);
  std::string target = manifest.target.cpu;
  if (!manifest.versions.empty())
    target =
        llvm::join(llvm::map_range(manifest.versions,
                                   [](const Target &each) { return each.cpu; }),
                   ",");
  if (manifest.gpu)
    target += "," + manifest.gpu->cpu;
  for (const Entry &entry : manifest.entries) {
    CEntry named = nameInC(entry);
    guard += "_" + entry.name;
    functions += makeDeclarations(entry, !manifest.versions.empty()) +
                 makeComment(named, place) + makeSignature(named, place) +
                 makeBody(named, place) + "\n";
  }
  return "/* Made by " + manifest.producer + " for " + target +
         ". */\n#ifndef " + guard + "\n#define " + guard +
         "\n\n#include <mixattn/abi.h>\n\n#if MIXATTN_ABI_VERSION != " +
         std::to_string(manifest.abi) +
         "\n#error \"<mixattn/abi.h> is of another version than this "
         "file\"\n#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n" +
         functions + "#ifdef __cplusplus\n}\n#endif\n\n#endif /* " + guard +
         " */\n";
}
