// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parts of a plan of an attention.

#ifndef MIXATTN_DIALECT_ATTN_PLAN_H
#define MIXATTN_DIALECT_ATTN_PLAN_H

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Hashing.h"

#include <array>
#include <cstdint>
#include <limits>

namespace mixattn {

/// The sizes of an attention that a plan may ask for.
enum class PlanSize { Batch, Queries, Keys };

/// Sizes above `above` and not above `atMost`.
struct SizeRange {
  static constexpr int64_t unbounded = std::numeric_limits<int64_t>::max();

  int64_t above = -1, atMost = unbounded;

  bool isEverything() const { return above < 0 && atMost == unbounded; }
  bool contains(int64_t size) const { return size > above && size <= atMost; }
  friend bool operator==(const SizeRange &a, const SizeRange &b) {
    return a.above == b.above && a.atMost == b.atMost;
  }
};

/// A number of a plan, `width = 64`.
struct PlanNumber {
  /// Null where a plan has fewer numbers.
  mlir::StringAttr name;
  int64_t value = 0;
};

/// The most cases of a plan: an entry has the code of all of them.
constexpr size_t mostPlanCases = 4;

/// How an attention of some sizes is computed.
struct PlanCase {
  static constexpr size_t mostNumbers = 4;

  /// For each PlanSize, which sizes this is for.
  std::array<SizeRange, 3> when;
  /// The name of a schedule of the target's family.
  mlir::StringAttr algorithm;
  /// Its numbers, in its order.
  std::array<PlanNumber, mostNumbers> numbers;

  /// The numbers that there are.
  llvm::ArrayRef<PlanNumber> getNumbers() const {
    return llvm::ArrayRef(numbers).take_while(
        [](const PlanNumber &each) { return bool(each.name); });
  }
  /// The number called `name`, or 0.
  int64_t get(llvm::StringRef name) const {
    for (const PlanNumber &each : getNumbers())
      if (each.name == name)
        return each.value;
    return 0;
  }
  /// Sets the number called `name`, the last where it is new.
  void set(mlir::StringAttr name, int64_t value) {
    size_t place = 0;
    while (place < mostNumbers && numbers[place].name &&
           numbers[place].name != name)
      ++place;
    assert(place < mostNumbers && "a plan has a few numbers");
    numbers[place] = {name, value};
  }

  bool isUnconditional() const {
    for (const SizeRange &range : when)
      if (!range.isEverything())
        return false;
    return true;
  }
  bool holds(int64_t batch, int64_t queries, int64_t keys) const {
    return when[0].contains(batch) && when[1].contains(queries) &&
           when[2].contains(keys);
  }
  friend bool operator==(const PlanCase &a, const PlanCase &b) {
    return a.when == b.when && a.algorithm == b.algorithm &&
           std::equal(a.numbers.begin(), a.numbers.end(), b.numbers.begin(),
                      [](const PlanNumber &x, const PlanNumber &y) {
                        return x.name == y.name && x.value == y.value;
                      });
  }
  friend llvm::hash_code hash_value(const PlanCase &each) {
    llvm::hash_code hash = mlir::hash_value(each.algorithm);
    for (const PlanNumber &number : each.getNumbers())
      hash = llvm::hash_combine(hash, number.name, number.value);
    for (const SizeRange &range : each.when)
      hash = llvm::hash_combine(hash, range.above, range.atMost);
    return hash;
  }
};

} // namespace mixattn

#endif // MIXATTN_DIALECT_ATTN_PLAN_H
