// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The record of an algorithm, and the table of all records.

#ifndef MIXATTN_PASSES_PLAN_SCHEDULE_H
#define MIXATTN_PASSES_PLAN_SCHEDULE_H

#include "passes/plan/BlockClocks.h"
#include "passes/plan/Workload.h"

#include "mlir/IR/DialectInterface.h"

#include <functional>
#include <memory>

namespace mixattn {

/// The cost of a plan.
struct Prediction {
  double seconds = 0;
  /// Memory in addition to arguments and results: of each thread, or on the
  /// plain path of the call.
  double bytes = 0;
};

/// A number that the plans of an algorithm have.
struct PlanNumberKind {
  llvm::StringLiteral name;
  /// The numbers it may be, and their meaning.
  llvm::StringLiteral meaning;
};

/// The numbers of one plan, in the order in which its algorithm has them.
using PlanNumbers = llvm::SmallVector<int64_t, 4>;

/// One algorithm that computes attentions on one target: everything that
/// planner, reports and passes know of it.
class Schedule {
public:
  Schedule(llvm::StringLiteral name, llvm::StringLiteral summary,
           llvm::ArrayRef<PlanNumberKind> numbers = {})
      : name(name), summary(summary), numbers(numbers) {
    assert(numbers.size() <= PlanCase::mostNumbers && "a plan has a few");
  }
  virtual ~Schedule();

  /// Its name in plans and in `--plan`.
  const llvm::StringLiteral name;
  /// The way in which it computes, as a part of a sentence.
  const llvm::StringLiteral summary;
  /// The numbers of its plans.
  const llvm::SmallVector<PlanNumberKind, 4> numbers;

  /// Whether it is about ops of this kind. Reports leave it out for others.
  virtual bool isFor(mlir::Operation *op) const = 0;
  /// Why it cannot compute `op`, of any kind, whatever its lengths, to follow
  /// on a colon; or nothing.
  virtual std::string whyNot(mlir::Operation *op) const = 0;
  /// Why it cannot compute with the numbers of `plan`, those that are 0 aside;
  /// or nothing.
  virtual std::string whyNotNumbers(const PlanCase &plan) const { return ""; }
  /// The most queries that a plan chooses it for, where it is for few.
  virtual int64_t mostQueries() const { return SizeRange::unbounded; }
  /// Whether a plan of all sizes may choose `plan` for `work` of these sizes.
  virtual bool mayBeChosenAt(const Workload &work, const PlanCase &plan,
                             const PlanSizes &sizes) const {
    return sizes.queries <= mostQueries();
  }
  /// The numbers of every plan that is worth a comparison, at least one, the
  /// likeliest first. A schedule that has numbers gives all of them.
  virtual llvm::SmallVector<PlanNumbers> propose(const Workload &work) const {
    return {PlanNumbers()};
  }
  /// The cost of `work` by `plan`, which has all its numbers.
  virtual Prediction predict(const Workload &work, const PlanCase &plan,
                             const PlanSizes &sizes) const = 0;
  /// The clocks of each unit for a block of keys of `work` by `plan`, for each
  /// kernel that visits keys; none where the target is no GPU.
  virtual llvm::SmallVector<BlockClocks, 1>
  clocksOf(const Workload &work, const PlanCase &plan) const {
    return {};
  }
  /// Floating-point operations a second that the target does at most on
  /// products of `work`.
  virtual double flopsOfPeak(const Workload &work) const = 0;
  /// The part of `work` that would take longest alone: "products", "exps",
  /// "arithmetic" or "memory". Nothing where it is not known.
  virtual llvm::StringRef boundOf(const Workload &work,
                                  const PlanSizes &sizes) const {
    return "";
  }
  /// The time of a call that has nothing to do. A case of a plan saves more.
  virtual double secondsOfCall() const = 0;

  /// Whether attentions that are planned by it become kernels. Those of the
  /// others are decomposed.
  virtual bool formsKernels() const { return true; }
  /// Whether plans name it. Stages that a pass makes have one algorithm each,
  /// and no plan.
  virtual bool isPlanned() const { return true; }
  /// Why its kernels of `members`, an anchor and ops that follow it, do not
  /// compute `op`, too, a `linalg` op that reads a result of theirs; or
  /// nothing.
  virtual std::string whyNotFused(llvm::ArrayRef<mlir::Operation *> members,
                                  mlir::Operation *op) const {
    return "its kernels hold one op";
  }
  /// The ops before `op`, in their order, whose results its kernels compute,
  /// too, since nothing else reads them. None where `op` is computed from
  /// tensors in memory.
  virtual llvm::SmallVector<mlir::Operation *>
  findProducers(mlir::Operation *op) const {
    return {};
  }
  /// Whether its kernels give the results of all their ops, as others read
  /// them. Else they give those of the last one, and no other op reads those of
  /// the ones before.
  virtual bool givesAllResults() const { return false; }
  /// Whether it computes Gaussians as they are. For the others they become
  /// products, and terms that are made before.
  virtual bool takesGaussians() const { return false; }
  /// Whether `op`, which it takes, is computed by several stages, each with a
  /// kernel of its own.
  virtual bool hasStages(mlir::Operation *op) const { return false; }
  /// Replaces `op`, which has stages and stands in a kernel, by them. The last
  /// gives its results.
  virtual void makeStages(mlir::RewriterBase &rewriter, mlir::Operation *op,
                          const PlanCase &plan) const {}
  /// The panels in which `kernel`, of a contraction, reads its right side where
  /// the caller keeps it packed, its sizes being known; none where it reads it
  /// as it lies.
  virtual std::optional<PanelLayout> findPanels(KernelOp kernel) const {
    return std::nullopt;
  }
  /// Replaces `kernel`, which it takes, by code for the target. Numbers that
  /// `plan` does not have are the schedule's to choose.
  virtual void emit(KernelOp kernel, const PlanCase &plan) const = 0;

  /// A plan by this algorithm, for all sizes.
  PlanCase makePlan(mlir::MLIRContext *context,
                    const PlanNumbers &chosen = {}) const;
};

/// Whether values of `op` have no elements, whatever its lengths.
bool hasEmptyOperand(mlir::Operation *op);

/// The schedules of a target, in the order in which reports list them.
using Schedules = std::vector<std::unique_ptr<Schedule>>;

/// The schedule called `name`, or null.
const Schedule *findSchedule(const Schedules &schedules, llvm::StringRef name);

/// Why `algorithm` with numbers called `numbers` is no plan of any of
/// `schedules`, or nothing.
std::string whyNoPlan(llvm::StringRef algorithm,
                      llvm::ArrayRef<llvm::StringRef> numbers,
                      const Schedules &schedules);
std::string whyNoPlan(const PlanCase &plan, const Schedules &schedules);

/// Why `op` cannot be computed by `plan`, its numbers aside, or nothing.
std::string whyNotBy(const PlanCase &plan, mlir::Operation *op,
                     const Schedules &schedules);

/// The first schedule that makes a kernel of `op`, which has no plan, or null.
const Schedule *findFirst(mlir::Operation *op, const Schedules &schedules);

/// `: NAME: WHY; NAME: WHY`: why each of `schedules` that is for ops like `op`
/// cannot compute it. Nothing where none is.
std::string whyNone(mlir::Operation *op, const Schedules &schedules);

/// `online, panel or unfused`.
std::string listNames(const Schedules &schedules);

/// Every schedule there is, by family of targets. The attn dialect holds it, so
/// that whoever extends the dialect may add to it:
///
///   registry.addExtension(+[](mlir::MLIRContext *, AttnDialect *dialect) {
///     ScheduleTable::of(dialect).add(TargetFamily::X86, makeMine);
///   });
class ScheduleTable : public mlir::DialectInterface::Base<ScheduleTable> {
public:
  explicit ScheduleTable(mlir::Dialect *dialect) : Base(dialect) {}
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ScheduleTable)

  using Factory = std::function<std::unique_ptr<Schedule>(TargetAttr)>;

  /// The table that `dialect` holds; an empty one at first.
  static ScheduleTable &of(AttnDialect *dialect);

  /// Adds an algorithm, below the ones that are there.
  void add(TargetFamily family, Factory factory);

  /// The schedules for `target`.
  Schedules schedulesFor(TargetAttr target) const;

private:
  std::vector<std::pair<TargetFamily, Factory>> factories;
};

/// The schedules for `target`, of the table of its context.
Schedules schedulesFor(TargetAttr target);

/// Every algorithm by family of targets, with its numbers, as text for people.
std::string listAlgorithms(mlir::MLIRContext *context);

} // namespace mixattn

#endif // MIXATTN_PASSES_PLAN_SCHEDULE_H
