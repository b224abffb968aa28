// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes why plans are as they are, for programs.

#include "passes/plan/Explain.h"

#include "passes/entry/Entries.h"
#include "passes/plan/Explained.h"
#include "passes/plan/Table.h"
#include "passes/target/Target.h"

#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

static std::string toText(FileLineColLoc place) {
  return llvm::formatv("{0}:{1}:{2}", place.getFilename(), place.getLine(),
                       place.getColumn());
}

static Object toJson(const PlanCase &plan) {
  Object result{{"algorithm", plan.algorithm.getValue()}};
  for (const PlanNumber &number : plan.getNumbers())
    result[number.name.getValue()] = number.value;
  return result;
}

static Object toJson(const BlockClocks &clocks, double flopsOfPeak) {
  auto flops = [&](double taken) {
    return flopsOfPeak * clocks.atPeak / taken;
  };
  return Object{{"stage", clocks.stage},
                {"queries", clocks.queries},
                {"keys", clocks.keys},
                {"heads", clocks.heads},
                {"column_blocks", clocks.columnBlocks},
                {"turns", clocks.turns},
                {"warps", clocks.warps},
                {"warp_products", clocks.products},
                {"warp_exps", clocks.exps},
                {"warp_kept_products", clocks.keptProducts},
                {"tensor", clocks.tensor},
                {"kept", clocks.kept},
                {"exp", clocks.exp},
                {"fma", clocks.fma},
                {"alu", clocks.alu},
                {"issue", clocks.issue},
                {"shared_memory", clocks.sharedMemory},
                {"copied_bytes", clocks.copiedBytes},
                {"query_bytes", clocks.queryBytes},
                {"overlapped", clocks.overlapped()},
                {"serial", clocks.serial()},
                {"flops_overlapped", flops(clocks.overlapped())},
                {"flops_serial", flops(clocks.serial())}};
}

static Object toJson(const Explained &each) {
  Object sizes;
  Array open;
  for (PlanSize size : {PlanSize::Batch, PlanSize::Queries, PlanSize::Keys}) {
    PlanSizes numbers = each.sizes;
    sizes[sizeNamesOf(each.op)[unsigned(size)]] = numbers[size];
    if (each.planner.isOpen(size))
      open.push_back(sizeNamesOf(each.op)[unsigned(size)]);
  }
  Array candidates;
  for (const PlanCandidate &candidate : each.planner.getCandidates()) {
    Object described = toJson(candidate.plan);
    described["reason"] = each.judge(candidate);
    if (candidate.isPossible()) {
      Prediction predicted = each.planner.predict(candidate.plan, each.sizes);
      described["seconds"] = predicted.seconds;
      described["share_of_peak"] = each.planner.shareOfPeak(
          candidate.plan, predicted.seconds, each.sizes);
      described["bytes"] = predicted.bytes;
      Array kernels;
      for (const BlockClocks &clocks : each.planner.clocksOf(candidate.plan))
        kernels.push_back(
            toJson(clocks, each.planner.flopsOfPeak(candidate.plan)));
      if (!kernels.empty())
        described["predicted_clocks"] = std::move(kernels);
    }
    candidates.push_back(std::move(described));
  }
  Array cases;
  for (const PlanCase &plan : each.plan.getCases()) {
    Object when, described = toJson(plan);
    for (auto [name, range] : llvm::zip(sizeNamesOf(each.op), plan.when)) {
      Object bounds;
      if (range.above >= 0)
        bounds["above"] = range.above;
      if (range.atMost != SizeRange::unbounded)
        bounds["at_most"] = range.atMost;
      if (!bounds.empty())
        when[name] = std::move(bounds);
    }
    described["when"] = std::move(when);
    cases.push_back(std::move(described));
  }
  Object chosen = toJson(each.chosen);
  chosen["seconds"] = each.seconds;
  Object result{{"op", each.op->getName().getStringRef()},
                {"sizes", std::move(sizes)},
                {"open", std::move(open)},
                {"candidates", std::move(candidates)},
                {"plan", std::move(cases)},
                {"chosen", std::move(chosen)}};
  if (FileLineColLoc place = findPlace(each.op->getLoc()))
    result["location"] = toText(place);
  return result;
}

static Object toJson(const KernelSummary &each) {
  Object result{{"algorithm", each.algorithm},
                {"ops", int64_t(each.ops)},
                {"seconds", each.seconds},
                {"seconds_at_peak", each.atPeak},
                {"bound", each.bound}};
  if (FileLineColLoc place = findPlace(each.anchor->getLoc()))
    result["location"] = toText(place);
  return result;
}

static Object toJson(const CallMemory &memory) {
  Object result;
  if (memory.packed)
    result["packed"] = memory.packed;
  if (!memory.formula.empty())
    result["formula"] = memory.formula;
  if (memory.parts) {
    result["bytes"] = memory.getBytes();
    result["parts"] = Array(*memory.parts);
  }
  return result;
}

std::string mixattn::explainAsJson(ModuleOp module, const GivenSizes &given,
                                   const PlanTarget &target,
                                   const EntryMemory &memory) {
  Array entries;
  for (func::FuncOp entry : getEntries(module)) {
    Array ops;
    forEachPlanned(entry, given, target,
                   [&](const Explained &each) { ops.push_back(toJson(each)); });
    Array kernels;
    for (const KernelSummary &each : summarizeKernels(entry, given, target))
      kernels.push_back(toJson(each));
    Object described{{"name", entry.getName()},
                     {"ops", std::move(ops)},
                     {"kernels", std::move(kernels)}};
    auto found = memory.find(entry.getName().str());
    if (found != memory.end())
      described["memory"] = toJson(found->second);
    entries.push_back(std::move(described));
  }
  Object result = describeTargetAsJson(target.target);
  result["entries"] = std::move(entries);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(result)));
}
