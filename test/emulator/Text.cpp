// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splits PTX text into statements (PTX ISA, Syntax).
#include "Text.h"

#include "Failure.h"

#include <cstdlib>
#include <cstring>

using namespace mixattn::emulator;

std::string mixattn::emulator::trimmed(const std::string &text) {
  size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string mixattn::emulator::squeezed(const std::string &text) {
  std::string result;
  for (char each : trimmed(text)) {
    bool isSpace = std::isspace(static_cast<unsigned char>(each));
    if (!isSpace)
      result += each;
    else if (result.back() != ' ')
      result += ' ';
  }
  return result;
}

std::string mixattn::emulator::withoutComments(const std::string &text) {
  std::string result;
  result.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (text.compare(i, 2, "//") == 0) {
      while (i < text.size() && text[i] != '\n')
        ++i;
    } else if (text.compare(i, 2, "/*") == 0) {
      size_t close = text.find("*/", i + 2);
      size_t stop = close == std::string::npos ? text.size() : close + 2;
      for (; i < stop; ++i)
        if (text[i] == '\n')
          result += '\n';
    } else {
      result += text[i++];
    }
  }
  // Lines of debug information end without a semicolon (PTX ISA, Debugging
  // Directives).
  std::string kept;
  for (size_t begin = 0; begin < result.size();) {
    size_t end = result.find('\n', begin);
    end = end == std::string::npos ? result.size() : end + 1;
    std::string line = trimmed(result.substr(begin, end - begin));
    std::string word = line.substr(0, line.find_first_of(" \t"));
    bool isDebug = word == ".loc" || word == ".file";
    kept += isDebug ? "\n" : result.substr(begin, end - begin);
    begin = end;
  }
  return kept;
}

std::vector<std::string>
mixattn::emulator::splitAtCommas(const std::string &text) {
  std::vector<std::string> parts;
  std::string part;
  int depth = 0;
  for (char each : text) {
    if (std::strchr("([{", each))
      ++depth;
    if (std::strchr(")]}", each))
      --depth;
    if (each == ',' && depth == 0) {
      parts.push_back(trimmed(part));
      part.clear();
    } else {
      part += each;
    }
  }
  if (!parts.empty() || !trimmed(part).empty())
    parts.push_back(trimmed(part));
  return parts;
}

static Expression readNumber(const std::string &text) {
  Expression result;
  result.kind = Expression::Number;
  char *end = nullptr;
  if (text.size() == 10 &&
      (text.rfind("0f", 0) == 0 || text.rfind("0F", 0) == 0)) {
    result.isSingle = true;
    result.number = std::strtoull(text.c_str() + 2, &end, 16);
  } else if (text.size() == 18 &&
             (text.rfind("0d", 0) == 0 || text.rfind("0D", 0) == 0)) {
    result.isDouble = true;
    result.number = std::strtoull(text.c_str() + 2, &end, 16);
  } else if (text.find('.') != std::string::npos) {
    result.isDouble = true;
    double value = std::strtod(text.c_str(), &end);
    std::memcpy(&result.number, &value, sizeof value);
  } else if (text[0] == '-') {
    result.number = std::strtoll(text.c_str(), &end, 0);
  } else {
    result.number = std::strtoull(text.c_str(), &end, 0);
    if (*end == 'U')
      ++end;
  }
  if (*end != 0)
    fail("'" + text + "' is no number");
  return result;
}

static Expression readAddress(const std::string &text) {
  Expression result;
  result.kind = Expression::Address;
  std::vector<std::string> parts = splitAtCommas(text);
  if (parts.empty())
    fail("an address is empty");
  std::string base = parts[0];
  size_t sign = base.find_first_of("+-", 1);
  if (sign != std::string::npos) {
    std::string offset = trimmed(base.substr(sign + 1));
    uint64_t value = readNumber(offset).number;
    result.number = base[sign] == '-' ? 0 - value : value;
    base = trimmed(base.substr(0, sign));
  }
  result.parts.push_back(readExpression(base));
  for (size_t i = 1; i < parts.size(); ++i)
    result.parts.push_back(readExpression(parts[i]));
  return result;
}

Expression mixattn::emulator::readExpression(const std::string &text) {
  Expression result;
  if (text.empty())
    fail("an operand is empty");
  if (text == "_") {
    result.kind = Expression::Sink;
    return result;
  }
  if (text[0] == '{' && text.back() == '}') {
    result.kind = Expression::Vector;
    for (const std::string &part :
         splitAtCommas(text.substr(1, text.size() - 2)))
      result.parts.push_back(readExpression(part));
    return result;
  }
  if (text[0] == '[' && text.back() == ']')
    return readAddress(trimmed(text.substr(1, text.size() - 2)));
  if (text[0] == '!') {
    result = readExpression(trimmed(text.substr(1)));
    result.isNegated = true;
    return result;
  }
  size_t bar = text.find('|');
  if (bar != std::string::npos) {
    result.kind = Expression::Both;
    result.parts.push_back(readExpression(trimmed(text.substr(0, bar))));
    result.parts.push_back(readExpression(trimmed(text.substr(bar + 1))));
    return result;
  }
  if (std::isdigit(static_cast<unsigned char>(text[0])) || text[0] == '-')
    return readNumber(text);
  for (char each : text)
    if (!std::isalnum(static_cast<unsigned char>(each)) &&
        !std::strchr("%_$.", each))
      fail("'" + text + "' is no operand");
  result.name = text;
  return result;
}

static Statement readStatement(const std::string &source, unsigned line,
                               unsigned scope) {
  Statement result;
  result.line = line;
  result.scope = scope;
  result.text = squeezed(source);
  std::string rest = result.text;
  if (rest[0] == '.') {
    result.kind = Statement::Directive;
    return result;
  }
  if (rest[0] == '@') {
    size_t space = rest.find(' ');
    if (space == std::string::npos)
      fail(place(line, result.text) + ": expected an instruction after '@'");
    result.guard = rest.substr(1, space - 1);
    if (result.guard[0] == '!') {
      result.guardNegated = true;
      result.guard.erase(0, 1);
    }
    rest = trimmed(rest.substr(space));
  }
  size_t end = rest.find_first_of(" {[");
  std::string opcode = rest.substr(0, end);
  for (size_t begin = 0; begin <= opcode.size();) {
    size_t dot = std::min(opcode.find('.', begin), opcode.size());
    result.opcode.push_back(opcode.substr(begin, dot - begin));
    begin = dot + 1;
  }
  try {
    if (end != std::string::npos)
      for (const std::string &operand : splitAtCommas(rest.substr(end)))
        result.operands.push_back(readExpression(operand));
  } catch (const Failure &failure) {
    fail(place(line, result.text) + ": " + failure.what());
  }
  return result;
}

namespace {
/// Walks over the characters of a body.
class BodyReader {
public:
  BodyReader(const std::string &text, size_t begin, unsigned line)
      : text(text), at(begin), line(line) {}

  Body read(size_t &end);

private:
  void finish(unsigned scope);
  bool isLabel() const;

  const std::string &text;
  size_t at;
  unsigned line;
  std::string part;
  unsigned partLine = 0;
  Body body;
};
} // namespace

void BodyReader::finish(unsigned scope) {
  if (!trimmed(part).empty())
    body.statements.push_back(readStatement(part, partLine, scope));
  part.clear();
}

bool BodyReader::isLabel() const {
  std::string name = trimmed(part);
  if (name.empty() || text.compare(at, 2, "::") == 0 ||
      (at > 0 && text[at - 1] == ':'))
    return false;
  for (char each : name)
    if (!std::isalnum(static_cast<unsigned char>(each)) &&
        !std::strchr("%_$", each))
      return false;
  return true;
}

Body BodyReader::read(size_t &end) {
  std::vector<unsigned> scopes;
  int braces = 0;
  for (; at < text.size(); ++at) {
    char each = text[at];
    if (each == '\n')
      ++line;
    if (each == '{' && trimmed(part).empty()) {
      if (!scopes.empty())
        body.parents.push_back(scopes.back());
      scopes.push_back(body.parents.size() - 1);
      part.clear();
      continue;
    }
    if (each == '{')
      ++braces;
    if (each == '}' && braces-- == 0) {
      braces = 0;
      finish(scopes.back());
      scopes.pop_back();
      if (scopes.empty()) {
        end = at + 1;
        return std::move(body);
      }
      continue;
    }
    if (each == ';') {
      finish(scopes.back());
      continue;
    }
    if (each == ':' && braces == 0 && isLabel()) {
      Statement label;
      label.kind = Statement::Label;
      label.line = line;
      label.scope = scopes.back();
      label.label = label.text = trimmed(part);
      body.statements.push_back(label);
      part.clear();
      continue;
    }
    if (trimmed(part).empty())
      partLine = line;
    part += each;
  }
  fail(place(line, trimmed(part)) + ": the text ends inside a body");
}

Body mixattn::emulator::readBody(const std::string &text, size_t begin,
                                 unsigned line, size_t &end) {
  return BodyReader(text, begin, line).read(end);
}
