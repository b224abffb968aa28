// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes why plans are as they are.

#include "passes/plan/Explain.h"

#include "dialect/attn/Contraction.h"
#include "passes/entry/Entries.h"
#include "passes/plan/Kernels.h"
#include "passes/plan/Table.h"
#include "passes/target/Target.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

using namespace mlir;
using namespace mixattn;
using llvm::json::Array;
using llvm::json::Object;

/// The words for the sizes of `op`.
static std::array<StringRef, 3> sizeNamesOf(Operation *op) {
  if (findContraction(op))
    return {"columns", "rows", "depth"};
  return {"batch", "queries", "keys"};
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

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

/// How much longer `seconds` are than `least`.
static std::string compare(double seconds, double least) {
  double ratio = seconds / least;
  if (ratio >= 2)
    return llvm::formatv("takes {0:F1} times as long", ratio);
  if (ratio >= 1)
    return llvm::formatv("{0:F1} % slower", 100 * (ratio - 1));
  return llvm::formatv("{0:F1} % faster, too little for a case of its own",
                       100 * (1 - ratio));
}

std::string mixattn::whyChosen(const Planner &planner, const PlanCase &chosen) {
  PlanSizes sizes = planner.getSizes();
  double seconds = planner.predict(chosen, sizes).seconds;
  std::string text = llvm::formatv(
      "{0}, {1:F2} of peak, at {2}", toTime(seconds),
      planner.shareOfPeak(chosen, seconds, sizes), ::toText(planner));
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
                          compare(least, seconds));
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

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// One op with all that is said about it.
struct Explained {
  Explained(Operation *op, const FunctionSizes &sizes, const PlanTarget &target)
      : op(op), planner(op, sizes, target), plan(getPlan(op)),
        sizes(planner.getSizes()) {
    // The plan is that of all sizes: the case of these ones is what is taken.
    for (const PlanCase &each : llvm::reverse(plan.getCases()))
      if (each.holds(this->sizes.batch, this->sizes.queries, this->sizes.keys))
        chosen = each;
    chosen.when = {};
    seconds = planner.predict(chosen, this->sizes).seconds;
  }

  Operation *op;
  Planner planner;
  PlanAttr plan;
  PlanSizes sizes;
  /// The case that the plan has for these sizes, without conditions.
  PlanCase chosen;
  double seconds = 0;

  std::string judge(const PlanCandidate &candidate) const {
    if (!candidate.isPossible())
      return candidate.whyNot;
    if (candidate.plan == chosen)
      return "chosen";
    return compare(planner.predict(candidate.plan, sizes).seconds, seconds);
  }
};

} // namespace

/// Calls `then` for each attention of `entry`.
template <typename Then>
static void forEachOp(func::FuncOp entry, const GivenSizes &given,
                      const PlanTarget &target, Then then) {
  FunctionSizes sizes(entry, given);
  entry.walk([&](Operation *op) {
    if (canBePlanned(op) && getPlan(op))
      then(Explained(op, sizes, target));
  });
}

namespace {

/// A kernel of an entry, predicted.
struct Summary {
  std::string algorithm;
  Operation *anchor;
  /// How many ops it computes.
  size_t ops;
  /// The time, and what its products would take at the peak.
  double seconds, atPeak;
  StringRef bound;
};

} // namespace

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
  out << "  plan: " << toText(each.plan) << "\n";
}

/// What computes `kernel`, how long that takes, and what bounds it.
static Summary summarize(const KernelOps &kernel, const FunctionSizes &sizes,
                         const PlanTarget &target) {
  Operation *op = kernel.getAnchor();
  Summary summary{
      kernel.schedule->name.str(), op, kernel.members.size(), 0, 0, ""};
  if (canBePlanned(op)) {
    Explained planned(op, sizes, target);
    const Schedule &schedule = planned.planner.scheduleOf(planned.chosen);
    Workload work = readWorkload(op, sizes.nominal);
    summary.algorithm = describe(planned.chosen);
    summary.seconds = planned.seconds;
    summary.atPeak =
        work.usefulFlops(planned.sizes) / schedule.flopsOfPeak(work);
    summary.bound = schedule.boundOf(work, planned.sizes);
    return summary;
  }
  Workload work = readRows(kernel.members, sizes.nominal);
  PlanSizes one{1, 1, 1};
  summary.seconds =
      kernel.schedule
          ->predict(work, kernel.schedule->makePlan(op->getContext()), one)
          .seconds;
  summary.bound = kernel.schedule->boundOf(work, one);
  return summary;
}

static std::vector<Summary> summarize(func::FuncOp entry,
                                      const GivenSizes &given,
                                      const PlanTarget &target) {
  FunctionSizes sizes(entry, given);
  std::vector<KernelOps> found = findKernels(entry, target.schedules);
  DenseMap<Operation *, const KernelOps *> byAnchor;
  for (const KernelOps &each : found)
    byAnchor[each.getAnchor()] = &each;
  // In the order of the graph.
  std::vector<Summary> kernels;
  entry.walk([&](Operation *op) {
    if (const KernelOps *kernel = byAnchor.lookup(op))
      kernels.push_back(summarize(*kernel, sizes, target));
  });
  return kernels;
}

/// All kernels of `entry`, and what its products take at the peak.
static void printKernels(llvm::raw_ostream &out, ArrayRef<Summary> kernels) {
  double seconds = 0, atPeak = 0;
  for (const Summary &each : kernels) {
    seconds += each.seconds;
    atPeak += each.atPeak;
  }
  Table table;
  table.add({"kernels", "time", "share"}, "bound");
  for (const Summary &each : kernels) {
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

std::string mixattn::explain(ModuleOp module, const GivenSizes &given,
                             const PlanTarget &target) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (func::FuncOp entry : getEntries(module)) {
    out << (text.empty() ? "" : "\n") << entry.getName() << "\n";
    forEachOp(entry, given, target,
              [&](const Explained &each) { print(out, each, target.target); });
    std::vector<Summary> kernels = summarize(entry, given, target);
    if (kernels.size() > 1)
      printKernels(out, kernels);
  }
  return text;
}

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

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

static Object toJson(const Summary &each) {
  Object result{{"algorithm", each.algorithm},
                {"ops", int64_t(each.ops)},
                {"seconds", each.seconds},
                {"seconds_at_peak", each.atPeak},
                {"bound", each.bound}};
  if (FileLineColLoc place = findPlace(each.anchor->getLoc()))
    result["location"] = toText(place);
  return result;
}

std::string mixattn::explainAsJson(ModuleOp module, const GivenSizes &given,
                                   const PlanTarget &target) {
  Array entries;
  for (func::FuncOp entry : getEntries(module)) {
    Array ops;
    forEachOp(entry, given, target,
              [&](const Explained &each) { ops.push_back(toJson(each)); });
    Array kernels;
    for (const Summary &each : summarize(entry, given, target))
      kernels.push_back(toJson(each));
    entries.push_back(Object{{"name", entry.getName()},
                             {"ops", std::move(ops)},
                             {"kernels", std::move(kernels)}});
  }
  Object result = describeTargetAsJson(target.target);
  result["entries"] = std::move(entries);
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(result)));
}
