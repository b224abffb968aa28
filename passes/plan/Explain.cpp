// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes why plans are as they are.

#include "passes/plan/Explain.h"

#include "passes/entry/Entries.h"
#include "passes/plan/Explained.h"
#include "passes/plan/Table.h"
#include "passes/target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace mixattn;

static std::string toTime(double seconds) {
  return seconds < 1e-3  ? llvm::formatv("{0:F1} us", seconds * 1e6).str()
         : seconds < 1.0 ? llvm::formatv("{0:F2} ms", seconds * 1e3).str()
                         : llvm::formatv("{0:F2} s", seconds).str();
}

static std::string toBytes(double bytes) {
  constexpr double KiB = 1024, MiB = 1024 * KiB;
  return bytes < MiB ? llvm::formatv("{0:F1} KiB", bytes / KiB).str()
                     : llvm::formatv("{0:F1} MiB", bytes / MiB).str();
}

static std::string toText(const Planner &planner) {
  std::string text;
  llvm::raw_string_ostream out(text);
  PlanSizes sizes = planner.getSizes();
  for (PlanSize each : {PlanSize::Batch, PlanSize::Queries, PlanSize::Keys})
    out << (each == PlanSize::Batch ? "" : ", ")
        << sizeNamesOf(planner.getOp())[unsigned(each)] << " " << sizes[each]
        << (planner.isOpen(each) ? " (open)" : "");
  return text;
}

std::string mixattn::toText(PlanAttr plan) {
  std::string text;
  llvm::raw_string_ostream(text) << plan;
  StringRef inner(text);
  inner.consume_front("#attn.plan<");
  inner.consume_back(">");
  return inner.str();
}

std::string mixattn::whyChosen(const Planner &planner, const PlanCase &chosen,
                               TargetAttr target) {
  PlanSizes sizes = planner.getSizes();
  double seconds = planner.predict(chosen, sizes).seconds;
  std::string residuals = describeResiduals(target);
  std::string text = llvm::formatv(
      "predicted {0}, {1:F2} of peak{2}, at {3}", toTime(seconds),
      planner.shareOfPeak(chosen, seconds, sizes),
      residuals.empty() ? "" : " (" + residuals + ")", ::toText(planner));
  const PlanCandidate *next = nullptr;
  double least = 0;
  for (const PlanCandidate &each : planner.getCandidates()) {
    if (!each.isPossible() || each.plan.algorithm == chosen.algorithm)
      continue;
    double other = planner.predict(each.plan, sizes).seconds;
    if (next && other >= least)
      continue;
    next = &each;
    least = other;
  }
  if (next)
    text += llvm::formatv("; {0} {1}", describe(next->plan),
                          compareTimes(least, seconds));
  return text;
}

std::string mixattn::whyUnfused(const Planner &planner) {
  std::string text = "the plain path is taken: ";
  bool isFirst = true;
  for (const PlanCandidate &each : planner.getCandidates()) {
    if (!each.schedule->formsKernels())
      continue;
    text +=
        llvm::formatv("{0}{1}: {2}", isFirst ? "" : "; ", each.schedule->name,
                      each.isPossible() ? "it is slower" : each.whyNot);
    isFirst = false;
  }
  return isFirst ? text + "no other is asked for, or there is none" : text;
}

/// A row of the table of clocks. A block has `flops` operations.
static std::vector<std::string> toRow(std::string name,
                                      const BlockClocks &clocks, double flops) {
  std::vector<std::string> row{std::move(name), std::to_string(clocks.queries),
                               std::to_string(clocks.keys)};
  auto add = [&](double number) {
    row.push_back(llvm::formatv("{0:F0}", number));
  };
  for (double taken : {clocks.tensor, clocks.exp, clocks.fma, clocks.alu,
                       clocks.issue, clocks.sharedMemory})
    add(taken);
  for (double taken : {clocks.overlapped(), clocks.serial()}) {
    add(taken);
    add(flops / taken / 1e12);
  }
  return row;
}

/// The clocks of each unit, of candidates that have them, and the speed that
/// they leave room for.
static void printClocks(llvm::raw_ostream &out, const Explained &each) {
  Table table;
  bool isEmpty = true;
  table.add({"  predicted clocks of a block", "queries", "keys", "tensor",
             "exp", "FMA", "ALU", "issue", "shared", "overlapped", "TFLOP/s",
             "serial", "TFLOP/s"});
  for (const PlanCandidate &candidate : each.planner.getCandidates()) {
    if (!candidate.isPossible())
      continue;
    for (const BlockClocks &clocks : each.planner.clocksOf(candidate.plan)) {
      isEmpty = false;
      std::string name = "    " + describe(candidate.plan);
      if (!clocks.stage.empty())
        name += llvm::formatv(", {0}", clocks.stage);
      double flops = each.planner.flopsOfPeak(candidate.plan) * clocks.atPeak;
      table.add(toRow(std::move(name), clocks, flops));
    }
  }
  if (!isEmpty)
    table.print(out);
}

static void print(llvm::raw_ostream &out, const Explained &each,
                  TargetAttr target) {
  out << each.op->getName().getStringRef();
  if (FileLineColLoc place = findPlace(each.op->getLoc()))
    out << " " << place.getLine() << ":" << place.getColumn();
  out << ": " << ::toText(each.planner) << "; " << describeWorkers(target)
      << "\n";
  Table table;
  table.add({"", "time", "of peak", "memory"});
  for (const PlanCandidate &candidate : each.planner.getCandidates()) {
    std::vector<std::string> row{"  " + describe(candidate.plan), "", "", ""};
    if (candidate.isPossible()) {
      Prediction predicted = each.planner.predict(candidate.plan, each.sizes);
      row[1] = toTime(predicted.seconds);
      row[2] = llvm::formatv(
          "{0:F3}", each.planner.shareOfPeak(candidate.plan, predicted.seconds,
                                             each.sizes));
      row[3] = toBytes(predicted.bytes);
    }
    table.add(std::move(row), each.judge(candidate));
  }
  table.print(out);
  printClocks(out, each);
  out << "  plan: " << toText(each.plan) << "\n";
}

/// All kernels of `entry`, and what its products take at the peak.
static void printKernels(llvm::raw_ostream &out,
                         ArrayRef<KernelSummary> kernels) {
  double seconds = 0, atPeak = 0;
  for (const KernelSummary &each : kernels) {
    seconds += each.seconds;
    atPeak += each.atPeak;
  }
  Table table;
  table.add({"kernels", "time", "share"}, "bound");
  for (const KernelSummary &each : kernels) {
    std::string name = "  " + each.algorithm;
    if (FileLineColLoc place = findPlace(each.anchor->getLoc()))
      name += llvm::formatv(" {0}:{1}", place.getLine(), place.getColumn());
    if (each.ops > 1)
      name += llvm::formatv(", {0} ops", each.ops);
    table.add({name, toTime(each.seconds),
               llvm::formatv("{0:F1} %", 100 * each.seconds / seconds)},
              each.bound.str());
  }
  table.add({"  all", toTime(seconds), "100.0 %"});
  table.add({"  products at the peak", toTime(atPeak),
             llvm::formatv("{0:F1} %", 100 * atPeak / seconds)});
  table.print(out);
}

static void print(llvm::raw_ostream &out, const CallMemory &memory) {
  if (memory.packed)
    out << "packed parameters, once for all calls: "
        << toBytes(double(memory.packed)) << "\n";
  if (memory.formula.empty())
    return;
  out << "memory of a call: ";
  if (!memory.parts) {
    out << memory.formula << " bytes\n";
    return;
  }
  out << toBytes(double(memory.getBytes())) << " in " << memory.parts->size()
      << (memory.parts->size() == 1 ? " part" : " parts") << ": ";
  llvm::interleaveComma(*memory.parts, out,
                        [&](int64_t bytes) { out << toBytes(double(bytes)); });
  out << "\n";
}

std::string mixattn::explain(ModuleOp module, const GivenSizes &given,
                             const PlanTarget &target,
                             const EntryMemory &memory) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (func::FuncOp entry : getEntries(module)) {
    out << (text.empty() ? "" : "\n") << entry.getName() << "\n";
    forEachPlanned(entry, given, target, [&](const Explained &each) {
      print(out, each, target.target);
    });
    std::vector<KernelSummary> kernels = summarizeKernels(entry, given, target);
    if (kernels.size() > 1)
      printKernels(out, kernels);
    auto found = memory.find(entry.getName().str());
    if (found != memory.end())
      print(out, found->second);
  }
  return text;
}
