// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decodes the statements of a kernel's body, and resolves its labels.
#include "Decoder.h"
#include "Failure.h"

using namespace mixattn::emulator;

static const RuleTable &allRules() {
  static const RuleTable rules = [] {
    RuleTable table;
    for (auto add :
         {addIntegerRules, addBitRules, addFloatRules, addCompareRules,
          addConvertRules, addMoveRules, addApproximateRules, addMemoryRules,
          addAtomicRules, addControlRules, addBarrierRules, addFenceRules,
          addMbarrierRules, addCopyRules, addShuffleRules, addMatrixMoveRules,
          addMmaRules, addTensorMapRules, addWgmmaRules})
      add(table);
    return table;
  }();
  return rules;
}

namespace {
class BodyDecoder {
public:
  BodyDecoder(Kernel &kernel, const Body &body, SymbolTable symbols)
      : kernel(kernel), body(body), symbols(std::move(symbols)),
        registers(kernel, body) {}

  void decode();

private:
  void declare(const Statement &statement);
  void layOutShared();
  void decode(const Statement &statement);
  uint32_t find(const std::string &label, unsigned scope) const;

  Kernel &kernel;
  const Body &body;
  SymbolTable symbols;
  Registers registers;
  /// By scope and name.
  std::map<std::pair<unsigned, std::string>, uint32_t> labels;
  std::map<std::string, std::vector<std::string>> tables;
  struct Jump {
    uint32_t instruction;
    const Statement *statement;
  };
  std::vector<Jump> jumps;
};
} // namespace

void BodyDecoder::declare(const Statement &statement) {
  const std::string &text = statement.text;
  if (text.rfind(".reg ", 0) == 0)
    return registers.declare(text, statement.scope);
  if (text.rfind(".shared", 0) == 0)
    return symbols.addShared(readDeclaration(text));
  if (text.rfind(".pragma", 0) == 0)
    return;
  // PTX ISA, .branchtargets: the label before it names the table.
  if (text.rfind(".branchtargets ", 0) == 0) {
    const Statement &label = *(&statement - 1);
    if (&statement == body.statements.data() || label.kind != Statement::Label)
      fail("expected a label in front");
    tables[label.label] = splitAtCommas(text.substr(15));
    return;
  }
  fail("this directive is not emulated");
}

void BodyDecoder::layOutShared() {
  for (const KernelParameter &parameter : kernel.parameters)
    symbols.values[parameter.name] = parameter.offset;
  unsigned alignment = std::max(16u, symbols.dynamicAlignment);
  kernel.sharedBytes = symbols.sharedEnd;
  kernel.dynamicBegin =
      (symbols.sharedEnd + alignment - 1) / alignment * alignment;
  for (const std::string &name : symbols.dynamic)
    symbols.values[name] = kernel.dynamicBegin;
}

uint32_t BodyDecoder::find(const std::string &label, unsigned scope) const {
  while (true) {
    auto found = labels.find({scope, label});
    if (found != labels.end())
      return found->second;
    if (scope == body.parents[scope])
      fail("no label '" + label + "'");
    scope = body.parents[scope];
  }
}

void BodyDecoder::decode(const Statement &statement) {
  auto rule = allRules().find(statement.opcode[0]);
  if (rule == allRules().end())
    fail("the instruction '" + statement.opcode[0] + "' is not known");
  Instruction result;
  result.line = statement.line;
  constexpr size_t shown = 160;
  result.text = statement.text.substr(0, shown);
  if (statement.text.size() > shown)
    result.text += "…";
  for (const std::string &part : statement.opcode)
    result.opcode += (result.opcode.empty() ? "" : ".") + part;
  Decoder decoder(statement, registers, symbols, result);
  if (!statement.guard.empty()) {
    Expression guard;
    guard.name = statement.guard;
    result.guard = decoder.source(guard, {Type::Predicate, 1});
    result.guardNegated = statement.guardNegated;
    // The guard is read by all lanes, not only by those where it holds.
    result.reads.clear();
  }
  rule->second(decoder);
  decoder.finish();
  if (statement.opcode[0] == "bra" || statement.opcode[0] == "brx")
    jumps.push_back({static_cast<uint32_t>(kernel.code.size()), &statement});
  kernel.code.push_back(std::move(result));
}

void BodyDecoder::decode() {
  auto each = [&](auto visit) {
    for (const Statement &statement : body.statements) {
      try {
        visit(statement);
      } catch (const Failure &failure) {
        fail(place(statement.line, statement.text) + ": " + failure.what());
      } catch (const std::logic_error &) {
        fail(place(statement.line, statement.text) +
             ": the statement is incomplete");
      }
    }
  };
  each([&](const Statement &statement) {
    if (statement.kind == Statement::Directive)
      declare(statement);
  });
  layOutShared();
  each([&](const Statement &statement) {
    if (statement.kind == Statement::Label &&
        !labels
             .emplace(std::make_pair(statement.scope, statement.label),
                      kernel.code.size())
             .second)
      fail("the label is there twice");
    if (statement.kind == Statement::Instruction)
      decode(statement);
  });
  for (const Jump &jump : jumps) {
    const Statement &statement = *jump.statement;
    try {
      const std::string &name = statement.operands.back().name;
      std::vector<std::string> targets = {name};
      if (statement.opcode[0] == "brx") {
        if (!tables.count(name))
          fail("no branch targets '" + name + "'");
        targets = tables[name];
      }
      for (const std::string &target : targets)
        kernel.code[jump.instruction].targets.push_back(
            find(target, statement.scope));
    } catch (const Failure &failure) {
      fail(place(statement.line, statement.text) + ": " + failure.what());
    }
  }
}

void mixattn::emulator::decodeBody(Kernel &kernel, const Body &body,
                                   SymbolTable symbols) {
  BodyDecoder(kernel, body, std::move(symbols)).decode();
}
