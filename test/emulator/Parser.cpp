// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads the directives of a module (PTX ISA, Directives).
#include "Decoder.h"
#include "Failure.h"

#include <algorithm>

using namespace mixattn::emulator;

namespace {
class ModuleReader {
public:
  ModuleReader(const std::string &source,
               uint64_t (*place)(void *, const Variable &), void *context)
      : text(withoutComments(source)), place(place), context(context) {}

  Module read();

private:
  void readDirective();
  void readEntry(size_t name);
  void skipSection();
  void readVariable(const std::string &declaration, unsigned line);
  void readParameters(Kernel &kernel, const std::string &list);
  void readTuning(Kernel &kernel, const std::string &directives);
  unsigned lineOf(size_t position) const {
    return 1 + std::count(text.begin(), text.begin() + position, '\n');
  }
  [[noreturn]] void failAt(size_t position, const std::string &message) const {
    size_t end = text.find_first_of("\n;", position);
    fail(::place(lineOf(position),
                 squeezed(text.substr(position, end - position))) +
         ": " + message);
  }

  std::string text;
  uint64_t (*place)(void *, const Variable &);
  void *context;
  size_t at = 0;
  Module module;
  SymbolTable symbols;
};
} // namespace

static std::vector<std::string> words(const std::string &text) {
  std::vector<std::string> result;
  std::string squeezedText = squeezed(text);
  for (size_t begin = 0; begin < squeezedText.size();) {
    size_t end = std::min(squeezedText.find(' ', begin), squeezedText.size());
    result.push_back(squeezedText.substr(begin, end - begin));
    begin = end + 1;
  }
  return result;
}

/// `name[8][2]` as the name and the count 16; -1 for `name[]`, 1 without.
static std::pair<std::string, long> nameAndCount(const std::string &text) {
  size_t bracket = text.find('[');
  std::string name = trimmed(text.substr(0, bracket));
  long count = 1;
  while (bracket != std::string::npos) {
    size_t close = text.find(']', bracket);
    std::string number = trimmed(text.substr(bracket + 1, close - bracket - 1));
    count = number.empty() ? -1 : count * std::stol(number);
    bracket = text.find('[', close);
  }
  return {name, count};
}

Declaration mixattn::emulator::readDeclaration(const std::string &text) {
  Declaration result;
  size_t equals = text.find('=');
  std::vector<std::string> parts = words(text.substr(0, equals));
  std::string rest;
  for (size_t i = 0; i < parts.size(); ++i) {
    const std::string &word = parts[i];
    if (word == ".align" && i + 1 < parts.size()) {
      result.alignment = std::stoul(parts[++i]);
    } else if (word == ".extern") {
      result.isExtern = true;
    } else if (word == ".visible" || word == ".weak" || word == ".common" ||
               word == ".ptr") {
    } else if (word == ".shared" || word == ".global" || word == ".const" ||
               word == ".param" || word == ".local") {
      // `.ptr .global` of a parameter says what it points to.
      if (result.space.empty())
        result.space = word.substr(1);
    } else if (word[0] == '.') {
      std::optional<Type> type = typeNamed(word.substr(1));
      if (!type)
        fail("'" + word + "' is not known here");
      result.type = *type;
    } else {
      rest += word;
    }
  }
  std::tie(result.name, result.count) = nameAndCount(rest);
  if (!result.alignment)
    result.alignment = std::max(1u, result.type.bytes());
  if (equals != std::string::npos)
    result.initial = trimmed(text.substr(equals + 1));
  return result;
}

void ModuleReader::readVariable(const std::string &text, unsigned line) {
  Declaration declaration = readDeclaration(text);
  if (declaration.space == "shared") {
    symbols.addShared(declaration);
    return;
  }
  if (declaration.space != "global" && declaration.space != "const")
    fail(::place(line, squeezed(text)) + ": expected a state space");
  Variable variable{declaration.name, {}, 0};
  unsigned width = declaration.type.bytes();
  std::string initial = declaration.initial;
  if (!initial.empty() && initial[0] == '{')
    initial = initial.substr(1, initial.size() - 2);
  for (const std::string &part : splitAtCommas(initial)) {
    uint64_t bits = readExpression(part).number;
    for (unsigned i = 0; i < width; ++i)
      variable.bytes.push_back(bits >> (8 * i));
  }
  variable.bytes.resize(std::max<size_t>(variable.bytes.size(),
                                         size_t(declaration.count) * width));
  variable.address = place(context, variable);
  symbols.values[variable.name] = variable.address;
  module.variables.push_back(variable);
}

void ModuleReader::readParameters(Kernel &kernel, const std::string &list) {
  unsigned end = 0;
  for (const std::string &part : splitAtCommas(list)) {
    Declaration declaration = readDeclaration(part);
    // `.ptr .align n` is the alignment of what the parameter points to.
    unsigned size = declaration.type.bytes() * declaration.count;
    unsigned alignment = part.find(".ptr") != std::string::npos
                             ? declaration.type.bytes()
                             : declaration.alignment;
    end = (end + alignment - 1) / alignment * alignment;
    kernel.parameters.push_back({declaration.name, end, size, alignment});
    end += size;
  }
  kernel.parameterBytes = end;
}

void ModuleReader::readTuning(Kernel &kernel, const std::string &directives) {
  // PTX ISA, Performance-Tuning Directives, Cluster Dimension Directives.
  std::vector<std::string> parts = words(directives);
  for (size_t i = 0; i < parts.size(); ++i) {
    std::string name = parts[i], numbers;
    while (i + 1 < parts.size() && parts[i + 1][0] != '.')
      numbers += parts[++i];
    std::vector<std::string> values = splitAtCommas(numbers);
    if (name == ".maxntid" || name == ".reqntid") {
      auto &limits =
          name == ".maxntid" ? kernel.maxThreads : kernel.requiredThreads;
      limits = {1, 1, 1};
      for (size_t k = 0; k < values.size() && k < 3; ++k)
        limits[k] = std::stoul(values[k]);
    } else if (name == ".reqnctapercluster") {
      for (const std::string &value : values)
        if (value != "1")
          fail("clusters of several blocks are not emulated");
    } else if (name != ".minnctapersm" && name != ".maxnreg" &&
               name != ".noreturn" && name != ".explicitcluster" &&
               name != ".maxclusterrank") {
      fail("'" + name + "' is not known here");
    }
  }
}

void ModuleReader::readEntry(size_t nameBegin) {
  size_t open = text.find_first_of("({", nameBegin);
  Kernel kernel;
  kernel.name = trimmed(text.substr(nameBegin, open - nameBegin));
  kernel.target = module.target;
  size_t close = open;
  if (text[open] == '(') {
    close = text.find(')', open);
    readParameters(kernel, text.substr(open + 1, close - open - 1));
    ++close;
  }
  size_t brace = text.find('{', close);
  readTuning(kernel, text.substr(close, brace - close));
  Body body = readBody(text, brace, lineOf(brace), at);
  decodeBody(kernel, body, symbols);
  module.kernels.emplace(kernel.name, std::move(kernel));
}

void ModuleReader::skipSection() {
  at = text.find('{', at);
  int depth = 0;
  do {
    depth += text[at] == '{' ? 1 : text[at] == '}' ? -1 : 0;
    ++at;
  } while (depth && at < text.size());
}

void ModuleReader::readDirective() {
  size_t begin = at;
  size_t end = text.find_first_of(" \t\r\n", begin);
  std::string word = text.substr(begin, end - begin);
  size_t lineEnd = std::min(text.find('\n', begin), text.size());
  if (word == ".version" || word == ".target" || word == ".address_size") {
    std::string value = trimmed(text.substr(end, lineEnd - end));
    if (word == ".target")
      module.target = splitAtCommas(value)[0];
    if (word == ".version")
      module.version = value;
    if (word == ".address_size" && value != "64")
      failAt(begin, "expected addresses of 64 bits");
    at = lineEnd;
    return;
  }
  if (word == ".section")
    return skipSection();
  size_t stop = text.find_first_of("({;=", begin);
  std::string head = text.substr(begin, stop - begin);
  size_t entry = head.find(".entry");
  if (entry != std::string::npos)
    return readEntry(begin + entry + 6);
  if (head.find(".func") != std::string::npos)
    failAt(begin, "functions are not emulated");
  size_t semicolon = text.find(';', begin);
  if (word[0] != '.' || semicolon == std::string::npos)
    failAt(begin, "expected a directive");
  readVariable(text.substr(begin, semicolon - begin), lineOf(begin));
  at = semicolon + 1;
}

Module ModuleReader::read() {
  while (true) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos)
      return std::move(module);
    size_t begin = at;
    try {
      readDirective();
    } catch (const Failure &failure) {
      if (std::string(failure.what()).rfind("line ", 0) == 0)
        throw;
      failAt(begin, failure.what());
    } catch (const std::logic_error &) {
      // A number or a part of the text is missing.
      failAt(begin, "the directive is incomplete");
    }
  }
}

Module mixattn::emulator::parseModule(const std::string &text,
                                      uint64_t (*place)(void *,
                                                        const Variable &),
                                      void *context) {
  return ModuleReader(text, place, context).read();
}
