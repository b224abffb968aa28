// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes what entries cost.

#include "passes/plan/CostReport.h"

#include "passes/entry/DimRules.h"
#include "passes/entry/Entries.h"
#include "passes/plan/EntryCost.h"
#include "passes/plan/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

/// Floating-point operations for each byte, where both are numbers.
static std::optional<double> intensity(const Cost &cost) {
  std::optional<int64_t> flops = cost.flops().asNumber(),
                         bytes = cost.bytes.asNumber();
  if (!flops || !bytes || *bytes == 0)
    return std::nullopt;
  return double(*flops) / double(*bytes);
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

/// The fields that ops, stages and entries have in common.
static Object describe(const Cost &cost) {
  Object result{{"multiply_adds", cost.multiplyAdds.toJson()},
                {"other", cost.other.toJson()},
                {"exps", cost.exps.toJson()},
                {"flops", cost.flops().toJson()},
                {"operations", cost.operations.toJson()},
                {"macs", cost.macs.toJson()}};
  if (!cost.misprinted.isZero())
    result["operations_as_printed"] =
        (cost.operations - cost.misprinted).toJson();
  return result;
}

/// The same with bytes, which stages have none of.
static Object describe(const Cost &cost, const SizePolynomial &parameters) {
  Object result = describe(cost);
  result["parameters"] = parameters.toJson();
  result["bytes"] = cost.bytes.toJson();
  std::optional<double> quotient = intensity(cost);
  result["intensity"] = quotient ? llvm::json::Value(*quotient) : nullptr;
  return result;
}

static Object describe(const EntryOpCost &each) {
  Object result = describe(each.cost.cost, each.parameters);
  result["op"] = each.op->getName().getStringRef();
  if (FileLineColLoc place = findPlace(each.op->getLoc()))
    result["location"] = llvm::formatv("{0}:{1}:{2}", place.getFilename(),
                                       place.getLine(), place.getColumn());
  Array stages;
  for (const StageCost &stage : each.cost.stages) {
    Object described = describe(stage.cost);
    described["stage"] = stage.name;
    stages.push_back(std::move(described));
  }
  if (!stages.empty())
    result["stages"] = std::move(stages);
  return result;
}

std::string mixattn::printCostsAsJson(ModuleOp module,
                                      const GivenSizes &given) {
  Object dims;
  for (const auto &[name, size] : given)
    dims[name] = size;
  Array entries;
  for (func::FuncOp entry : getEntries(module)) {
    EntryCost cost = countEntry(entry, given);
    Array ops;
    for (const EntryOpCost &each : cost.ops)
      ops.push_back(describe(each));
    Object total = describe(cost.total, cost.parameters);
    total["transferred"] = cost.transferred.toJson();
    entries.push_back(Object{{"name", entry.getName()},
                             {"total", std::move(total)},
                             {"ops", std::move(ops)}});
  }
  return llvm::formatv(
      "{0:2}\n", llvm::json::Value(Object{{"dims", std::move(dims)},
                                          {"entries", std::move(entries)}}));
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

/// A row of the table; stages have neither parameters nor bytes.
static std::vector<std::string> row(std::string name, const Cost &cost,
                                    const SizePolynomial *parameters) {
  std::optional<double> quotient = intensity(cost);
  return {std::move(name),
          parameters ? parameters->toText() : "",
          cost.multiplyAdds.toText(),
          cost.other.toText(),
          cost.exps.toText(),
          parameters ? cost.bytes.toText() : "",
          parameters && quotient ? llvm::formatv("{0:F2}", *quotient).str()
                                 : "",
          cost.operations.toText(),
          cost.macs.toText()};
}

static void print(llvm::raw_ostream &out, func::FuncOp entry,
                  const EntryCost &cost) {
  out << entry.getName() << "\n";
  Table table;
  table.add({"", "parameters", "multiply-adds", "other", "exps", "bytes",
             "flops/byte", "operations", "macs"});
  for (const EntryOpCost &each : cost.ops) {
    std::string name = each.op->getName().getStringRef().str();
    if (FileLineColLoc place = findPlace(each.op->getLoc()))
      name += llvm::formatv(" {0}:{1}", place.getLine(), place.getColumn());
    table.add(row(name, each.cost.cost, &each.parameters));
    for (const StageCost &stage : each.cost.stages)
      table.add(row("  " + stage.name.str(), stage.cost, nullptr));
  }
  table.add(row("total", cost.total, &cost.parameters));
  table.print(out);
  if (!cost.total.misprinted.isZero())
    out << "operations as printed: "
        << (cost.total.operations - cost.total.misprinted).toText() << "\n";
  out << "bytes of arguments and results: " << cost.transferred.toText()
      << "\n";
}

std::string mixattn::printCosts(ModuleOp module, const GivenSizes &given) {
  std::string text;
  llvm::raw_string_ostream out(text);
  bool isFirst = true;
  for (func::FuncOp entry : getEntries(module)) {
    out << (isFirst ? "" : "\n");
    print(out, entry, countEntry(entry, given));
    isFirst = false;
  }
  return text;
}

std::vector<std::string> mixattn::getDimNames(ModuleOp module) {
  std::vector<std::string> names;
  auto add = [&](StringRef name) {
    if (!llvm::is_contained(names, name))
      names.push_back(name.str());
  };
  for (func::FuncOp entry : getEntries(module)) {
    for (unsigned i = 0; i < entry.getNumArguments(); ++i)
      if (auto dims = entry.getArgAttrOfType<ArrayAttr>(i, "attn.dims"))
        for (Attribute dim : dims)
          add(cast<StringAttr>(dim).getValue());
    for (const auto &[name, rule] : getDimRules(entry))
      if (rule.told)
        add(name);
  }
  return names;
}
