// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of schedules.

#include "passes/plan/Schedule.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

Schedule::~Schedule() = default;

bool mixattn::hasEmptyOperand(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && llvm::is_contained(tensor.getShape(), 0);
  });
}

PlanCase Schedule::makePlan(MLIRContext *context,
                            const PlanNumbers &chosen) const {
  PlanCase plan;
  plan.algorithm = StringAttr::get(context, name);
  for (auto [kind, number] : llvm::zip(numbers, chosen))
    plan.set(StringAttr::get(context, kind.name), number);
  return plan;
}

const Schedule *mixattn::findSchedule(const Schedules &schedules,
                                      StringRef name) {
  for (const std::unique_ptr<Schedule> &each : schedules)
    if (each->name == name)
      return each.get();
  return nullptr;
}

std::string mixattn::listNames(const Schedules &schedules) {
  SmallVector<StringRef> names;
  for (const std::unique_ptr<Schedule> &each : schedules)
    if (each->isPlanned())
      names.push_back(each->name);
  std::string text;
  for (auto [i, name] : llvm::enumerate(names)) {
    if (i)
      text += i + 1 == names.size() ? " or " : ", ";
    text += name;
  }
  return text;
}

std::string mixattn::whyNoPlan(StringRef algorithm, ArrayRef<StringRef> numbers,
                               const Schedules &schedules) {
  const Schedule *schedule = findSchedule(schedules, algorithm);
  if (!schedule)
    return llvm::formatv("expected {0} as plan, but got '{1}'",
                         listNames(schedules), algorithm);
  for (StringRef name : numbers) {
    if (llvm::any_of(schedule->numbers, [&](const PlanNumberKind &kind) {
          return kind.name == name;
        }))
      continue;
    std::string names;
    for (const PlanNumberKind &kind : schedule->numbers)
      names += (names.empty() ? "" : ", ") + kind.name.str();
    return llvm::formatv("expected {0} as numbers of {1}, but got '{2}'",
                         names.empty() ? "nothing" : names, algorithm, name);
  }
  return "";
}

std::string mixattn::whyNoPlan(const PlanCase &plan,
                               const Schedules &schedules) {
  SmallVector<StringRef> numbers;
  for (const PlanNumber &each : plan.getNumbers())
    numbers.push_back(each.name);
  return whyNoPlan(plan.algorithm, numbers, schedules);
}

std::string mixattn::whyNotBy(const PlanCase &plan, Operation *op,
                              const Schedules &schedules) {
  std::string why = whyNoPlan(plan, schedules);
  return why.empty() ? findSchedule(schedules, plan.algorithm)->whyNot(op)
                     : why;
}

const Schedule *mixattn::findFirst(Operation *op, const Schedules &schedules) {
  for (const std::unique_ptr<Schedule> &each : schedules)
    if (each->formsKernels() && each->isFor(op) && each->whyNot(op).empty())
      return each.get();
  return nullptr;
}

std::string mixattn::whyNone(Operation *op, const Schedules &schedules) {
  std::string text;
  for (const std::unique_ptr<Schedule> &each : schedules)
    if (std::string why = each->isFor(op) ? each->whyNot(op) : ""; !why.empty())
      text += llvm::formatv("{0}{1}: {2}", text.empty() ? ": " : "; ",
                            each->name, why);
  return text;
}

ScheduleTable &ScheduleTable::of(AttnDialect *dialect) {
  if (!dialect->getRegisteredInterface<ScheduleTable>())
    dialect->addInterfaces<ScheduleTable>();
  return *dialect->getRegisteredInterface<ScheduleTable>();
}

void ScheduleTable::add(TargetFamily family, Factory factory) {
  factories.emplace_back(family, std::move(factory));
}

Schedules ScheduleTable::schedulesFor(TargetAttr target) const {
  Schedules result;
  for (const auto &[family, factory] : factories)
    if (family == target.getFamily())
      result.push_back(factory(target));
  return result;
}

Schedules mixattn::schedulesFor(TargetAttr target) {
  auto *dialect = target.getContext()->getLoadedDialect<AttnDialect>();
  // Passes run on several threads: the table is only read here.
  auto *table = dialect->getRegisteredInterface<ScheduleTable>();
  return table ? table->schedulesFor(target) : Schedules();
}

/// Prints `text` in lines of at most 80 columns, the later ones `indent` in.
static void printWrapped(llvm::raw_ostream &out, StringRef text,
                         unsigned indent) {
  constexpr size_t columns = 80;
  size_t room = columns;
  while (text.size() > room) {
    size_t end = text.rfind(' ', room + 1);
    out << text.take_front(end) << "\n";
    out.indent(indent);
    text = text.drop_front(end + 1);
    room = columns - indent;
  }
  out << text << "\n";
}

std::string mixattn::listAlgorithms(MLIRContext *context) {
  context->getOrLoadDialect<AttnDialect>();
  std::string text;
  llvm::raw_string_ostream out(text);
  for (uint64_t number = 0; number <= getMaxEnumValForTargetFamily();
       ++number) {
    auto family = TargetFamily(number);
    out << "algorithms on " << stringifyTargetFamily(family) << ":\n";
    auto target =
        TargetAttr::get(context, family, "any", ArrayAttr(),
                        /*threads=*/0, DictionaryAttr(), DictionaryAttr());
    llvm::MapVector<StringRef, StringRef> numbers;
    for (const std::unique_ptr<Schedule> &each : schedulesFor(target)) {
      if (!each->isPlanned())
        continue;
      std::string line =
          llvm::formatv("  {0,-14}  {1}", each->name, each->summary);
      if (!each->numbers.empty())
        line += "; numbers:";
      for (const PlanNumberKind &kind : each->numbers) {
        line += " " + kind.name.str();
        numbers.insert({kind.name, kind.meaning});
      }
      printWrapped(out, line, /*indent=*/18);
    }
    for (auto [name, meaning] : numbers)
      printWrapped(out, llvm::formatv("  {0} = N: {1}", name, meaning).str(),
                   /*indent=*/4);
  }
  return text;
}
