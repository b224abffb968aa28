// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX text as statements: directives, labels, instructions and their operands.
#ifndef MIXATTN_TEST_EMULATOR_TEXT_H
#define MIXATTN_TEST_EMULATOR_TEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace mixattn::emulator {

/// An operand as it is written.
struct Expression {
  enum Kind {
    /// A register, a special register, a symbol or a label.
    Name,
    /// Its bits are in `number`, a 64-bit value unless isSingle.
    Number,
    /// [base + offset, parts…]; the base is in parts[0], its offset in
    /// `number`.
    Address,
    /// {parts…}
    Vector,
    /// d|p: parts[0] and parts[1].
    Both,
    /// The destination `_`.
    Sink
  };
  Kind kind = Name;
  std::string name;
  uint64_t number = 0;
  /// A number that was written as 0f…, with 32 bits.
  bool isSingle = false;
  /// A number that was written as a decimal fraction or as 0d….
  bool isDouble = false;
  /// !p
  bool isNegated = false;
  std::vector<Expression> parts;
};

struct Statement {
  enum Kind { Instruction, Directive, Label };
  Kind kind = Instruction;
  unsigned line = 0;
  /// With one space between words.
  std::string text;
  /// The index of the scope that it stands in.
  unsigned scope = 0;
  /// Of an instruction: @p or @!p; the opcode; its modifiers.
  std::string guard;
  bool guardNegated = false;
  std::vector<std::string> opcode;
  std::vector<Expression> operands;
  /// Of a label.
  std::string label;
};

/// Scopes of a body; `parent` of the outermost one is itself.
struct Body {
  std::vector<Statement> statements;
  std::vector<unsigned> parents = {0};
};

/// The text without comments and without lines that only debuggers need; line
/// numbers stay.
std::string withoutComments(const std::string &text);

/// The statements between the brace at `begin` and the one that closes it;
/// `end` becomes the place after that. `line` is that of `begin`.
Body readBody(const std::string &text, size_t begin, unsigned line,
              size_t &end);

/// An operand's meaning; fails on what is none.
Expression readExpression(const std::string &text);

/// `text` at the commas outside of any brackets.
std::vector<std::string> splitAtCommas(const std::string &text);

std::string trimmed(const std::string &text);
/// With one space where there were several characters of white space.
std::string squeezed(const std::string &text);

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_TEXT_H
