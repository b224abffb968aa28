// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The constants of predictions for CPUs; passes/plan/plan.md says where each
// acts, and scripts/calibrate.sh measures them.

#ifndef MIXATTN_PASSES_TARGET_CALIBRATION_H
#define MIXATTN_PASSES_TARGET_CALIBRATION_H

#include "lib/Runtime/Result.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace mixattn {

struct CpuModel;

/// Constants of predictions: those of Zen 5 with AVX-512, where this says no
/// other machine. `calibrationOf` has those of other kinds.
///
/// Slots are turns of a port that begins one vector multiply-add a cycle.
struct Calibration {
  /// A product of queries and keys over D features takes D + this many slots
  /// for each vector of scores: its sums are stored.
  double scoreOverhead = 1.6;
  /// Pooling a block of K keys takes K + this many slots for each vector of
  /// values: its sums are loaded, rescaled and stored.
  double poolOverhead = 2.5;
  /// Slots of an exp of a vector under the products of the next block's scores,
  /// and alone; the slots of such products that hide one.
  double hiddenExp = 3, nakedExp = 11, hidingSlots = 48;
  /// Slots by AMX, measured on Granite Rapids: of a multiply-add of a vector of
  /// scores or values; of storing a vector of scores; of loading and storing
  /// sums, which a multiply-add has its share of for each key of a block; and
  /// of the weight of a score, after them.
  double amxMultiplyAdd = 0.09, amxStore = 1.4, amxSums = 2.8, amxWeight = 11.5;
  /// Cycles of a number of the values, which are transposed for AMX once a
  /// call.
  double amxPack = 0.7;
  /// Slots of a multiply-add of a mixer, and of any other operation on a vector
  /// of scores.
  double mix = 1.4, other = 1.2;
  /// Slots of an element of a mask, bias or noise, which is transposed; of one
  /// of Philox.
  double read = 4, draw = 30;
  /// The time that products take with one vector of queries, and with two,
  /// relative to the widest tile: narrower ones wait for loads.
  double oneVector = 1.7, twoVectors = 1.02;
  /// The same of one vector where products are of pairs of bf16.
  double onePairVector = 1.7;
  /// The part of the time that the tiles of a block add for each size of the
  /// first cache by which they exceed it, and the most that they add.
  double overflow = 0.03, mostOverflow = 0.05;
  /// The part of the second cache that tiles may fill in addition to keys and
  /// values, and the part of the time that they add for each size of that cache
  /// beyond it.
  double roomy = 0.25, crowding = 0.15;
  /// The same of AMX, whose tiles, a block of keys and its values are all read
  /// from the first cache.
  double amxOverflow = 0.25;
  /// The part of reading keys and values from beyond the second cache that
  /// products by AMX do not hide, which take less time.
  double amxExposed = 0.5;
  /// The part of reading keys and values that other products hide: all of it,
  /// or some where the shared cache is slow.
  double hiddenReads = 1;
  /// How often over the traffic of a panel's strip counts: what is written is
  /// read and evicted, too.
  double strip = 2;
  /// Cycles of packing an element of a query, or storing one of a result.
  double pack = 0.8;
  /// Cycles of starting a tile of queries, and a block of keys in it.
  double tile = 300, block = 30;
  /// Cycles of a call, and those that it takes more to wake other threads.
  double call = 4000, wake = 20000;
  /// The factor of several threads: the clock, memory, the end that all wait
  /// for.
  double threads = 1.02;
  /// The slots that decode takes in addition to the multiply-adds of a query
  /// and a row of keys or values; and the part of the shorter one of products
  /// and reading that the other does not hide.
  double decodeRow = 1.9, exposed = 0.6;
  /// Cycles of a vector of a part's sums that is put together with the others'.
  double merge = 4;
  /// The part of the peak that products of chunks of linear attention reach.
  double linearShare = 0.75;
  /// The part of the peak that products of a band reach; the slots that an
  /// element of a pool's result takes in addition to them; the cycles of any
  /// other operation of a pool's rows.
  double pieceShare = 0.42, pieceOverhead = 3, pieceOther = 0.3;
  /// The part of the peak that products of dense layers reach, and the cycles
  /// of packing a vector of their right side: measured on Zen 4.
  double denseShare = 0.95, packedVector = 2;
  /// The part of AMX's peak that they reach on Granite Rapids.
  double amxDenseShare = 0.35;
  /// The slots that an operation of ops on rows takes, loads and divisions
  /// included: an estimate, not measured.
  double rowOther = 1.5;
  /// Cycles of scalar code of the plain path: of a multiply-add, of another
  /// operation, of an exp.
  double plainMultiplyAdd = 0.8, plainOther = 3, plainExp = 12;
};

/// The constants of `cpu`, by its multiply-adds of 512 bits, `sharesPorts` and
/// `overlapsExps`.
Calibration calibrationOf(const CpuModel &cpu);

/// A number of a description of a CPU that a file may give.
struct CalibrationNumber {
  /// Its name, `hidden_exp`.
  llvm::StringLiteral name;
  /// Where it is in a description.
  double &(*in)(CpuModel &cpu);
};

/// All of them: rates of the machine, then constants of predictions.
llvm::ArrayRef<CalibrationNumber> getCalibrationNumbers();

/// That of name `name`, or null.
const CalibrationNumber *findCalibrationNumber(llvm::StringRef name);

/// A number by its name.
using GivenNumber = std::pair<std::string, double>;

/// The numbers of a target file, in order of their names: JSON, `{"format": 1,
/// "cpu": NAME, "numbers": {NAME: NUMBER, …}}`. `cpu` is that of the machine
/// that they were measured on, as LLVM calls it, and has to be the target's.
/// Errors: a file that cannot be read or has more than 64 KiB, other members,
/// another CPU, names that are no numbers' and numbers that are not above 0 and
/// at most 1e15.
Result<std::vector<GivenNumber>> readTargetFile(llvm::StringRef path,
                                                llvm::StringRef cpu);
/// The same of the file's text, without a path in its errors.
Result<std::vector<GivenNumber>> parseTargetFile(llvm::StringRef text,
                                                 llvm::StringRef cpu);

/// The largest number that a file or a target may hold.
constexpr double largestCalibration = 1e15;

} // namespace mixattn

#endif // MIXATTN_PASSES_TARGET_CALIBRATION_H
