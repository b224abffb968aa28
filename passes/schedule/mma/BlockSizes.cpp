// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The sizes of a block of threads, and its work.

#include "passes/schedule/mma/BlockSizes.h"
#include "passes/schedule/gpu/OwnTerms.h"

#include "llvm/Support/FormatVariadic.h"

#include <numeric>

using namespace mlir;
using namespace mixattn;
using namespace mixattn::mma;

/// Rows of a group at most: of eight warps, which have all registers.
static constexpr int64_t mostRows = 128;
/// The same where nobody knows how many queries there will be. One is what
/// decoding has: warps without rows would keep the registers that other blocks
/// need, whose keys are on their way at the same time. Further queries are
/// other blocks', which find the keys in the second cache.
static constexpr int64_t mostOpenRows = 32;

/// A band's queries wait for few keys and then compute little, so a kernel is
/// as fast as it asks for memory: small blocks, of which a multiprocessor holds
/// more, ask for all that they need at once. On an H100 blocks of 128 queries
/// that take 64 keys after the other reach 0.56 of a copy's bandwidth for a
/// band of seven keys; what these do was not measured.
int64_t BlockSizes::findSeenAtOnce() const {
  AttentionOpInterface attention = op;
  constexpr int64_t most = 3 * blockKeys / 2, step = 16;
  std::optional<BandAttr> band = attention.getBand();
  if (!band || group.isLarge() || band->getLower() > most ||
      band->getUpper() > most)
    return 0;
  int64_t ahead = attention.getCausal() ? 0 : band->getUpper(),
          groupQueries = queriesOfGroup();
  // The keys of random words begin at an even one.
  if (attention.getSeed())
    ++ahead;
  auto seen = int64_t(llvm::alignTo(
      uint64_t(groupQueries + band->getLower() + ahead), uint64_t(step)));
  bool fits = seen <= most && group.registers(seen) <= fragmentRegisters;
  return fits ? seen : 0;
}

/// Heads that read the same keys and values, and have rows of one block: as
/// many as fit. Where scores of heads meet a block has other heads together.
static int64_t findRowHeads(AttentionOpInterface op) {
  if (op.hasPremix())
    return 1;
  int64_t sharing = std::gcd(op.getKeyGroup(), op.getValueGroup());
  int64_t heads = std::min(sharing, mostRows);
  while (sharing % heads)
    --heads;
  return heads;
}

/// Blocks are many and small: two on a multiprocessor at least, where that is
/// possible, wait for keys at the same time.
BlockSizes BlockSizes::ofPart(AttentionOpInterface op, int64_t sharedBytes) {
  BlockSizes sizes(op);
  sizes.rowHeads = findRowHeads(op);
  sizes.ownsTerm = makesOwnTerm(op);
  // Mixed weights pool values, once those of all heads are there.
  if (op.hasPostmix())
    sizes.group.values = sizes.group.valueFeatures = 0;
  int64_t queries = op.getQueriesDim().size(), most = mostRows;
  bool isOpen = ShapedType::isDynamic(queries);
  if (isOpen) {
    queries = mostPartQueries;
    most = std::max(sizes.rowHeads, mostOpenRows);
  }
  queries = std::clamp<int64_t>(queries, 1, mostPartQueries);
  int64_t rows = std::min(queries * sizes.rowHeads, most);
  sizes.warps = int64_t(llvm::PowerOf2Ceil(llvm::divideCeil(rows, 16)));
  // One warp would copy a row of 128 features or more by so many addresses
  // that ptxas spills some (test/emulator/rows-decode.test).
  if (std::max(sizes.group.features, sizes.group.valueFeatures) >= 128)
    sizes.warps = std::max<int64_t>(sizes.warps, 2);
  // Nor has one warp registers for the addresses of many keys where numbers of
  // an MLP take some.
  if (sizes.warps == 1 && sizes.group.coefficients > 0)
    sizes.keys = 16;
  for (int64_t fewest = sizes.keys;
       fewest >= 16 && !sizes.fitTwice(sharedBytes); fewest /= 2)
    sizes.keys = fewest;
  // Further rows are another group, for which no key is read once more.
  if (!isOpen && rows < queries * sizes.rowHeads)
    for (int64_t few = std::min(blockKeys, sizes.group.findKeys()); few >= 16;
         few /= 2)
      if (BlockSizes two = sizes.withTwoGroups(few);
          two.haveTwoGroupsRegisters(few) && two.bytes() <= sharedBytes)
        return two;
  return sizes;
}

std::string BlockSizes::whyNot(int64_t sharedBytes) const {
  if (bytes() <= sharedBytes)
    return "";
  return llvm::formatv("{0} keys and values take {1} bytes of shared memory, "
                       "more than the {2} of a block",
                       keys, bytes(), sharedBytes);
}

/// A thread has up to 255 of the multiprocessor's 64 Ki registers (CUDA C
/// Programming Guide, compute capabilities).
int64_t BlockSizes::resident(int64_t sharedBytes) const {
  int64_t byRegisters = (64 << 10) / (256 * numThreads());
  int64_t byMemory = (sharedBytes + reserved) / (bytes() + reserved);
  return std::max<int64_t>(std::min(byRegisters, byMemory), 1);
}

/// A warp has 16 rows of each group, and reads each tile for itself.
BlockCounts BlockSizes::countBlock(int64_t exps) const {
  constexpr double bytesOfElement = 2;
  double columns = group.multiplyAdds(), ofKeys = double(keys);
  double groups = double(rowGroups), all = double(rows());
  BlockCounts counts;
  counts.queries = queries();
  counts.keys = keys;
  counts.heads = group.heads * rowHeads;
  counts.warp = countSoftmax(op, keys, group.heads, exps) * groups;
  // m16n8k16; a load of four squares of 512 bytes serves two of them in each
  // group, or is of queries.
  double ofGroup = ofKeys * columns / (8 * 16);
  counts.warp.products = ofGroup * groups;
  counts.keptWarp = countDropped(op, keys, group.heads) * groups;
  if (AttentionOpInterface(op).getKeep()) {
    double pool = double(group.heads * group.valueFeatures);
    counts.keptWarp.products = ofKeys * pool / (8 * 16) * groups;
    counts.warp.products -= counts.keptWarp.products;
    counts.keptMultiplyAdds = all * ofKeys * pool;
  }
  OperandWindows read = windows();
  double loads = ofGroup / 2, there = countShareThere(op, counts.queries),
         ofOperands = read.bytesOfBlock(there),
         copied = ofKeys * group.copiedColumns() * bytesOfElement + ofOperands;
  if (Value given = AttentionOpInterface(op).getGivenScores())
    counts.givenBytes = read.bytesOfBlock(there, given);
  if (sharesQueries())
    loads += groups * double(group.tiles() * group.features) / 16;
  counts.warp.moves += loads + copied / 16 / double(numThreads());
  counts.sharedBytes = loads * 512 * double(warps) + copied + ofOperands;
  if (ownsTerm) {
    // Each feature of a key is loaded, widened and squared once.
    double squared = ofKeys * double(group.tiles() * group.features),
           ofWarp = squared / double(numThreads());
    counts.warp.fma += ofWarp;
    counts.warp.alu += ofWarp;
    counts.warp.moves += ofWarp * bytesOfElement / 16;
    counts.sharedBytes += squared * bytesOfElement;
  }
  counts.copiedBytes = copied;
  counts.queryBytes = all * group.queryColumns() * bytesOfElement;
  counts.multiplyAdds = all * ofKeys * columns - counts.keptMultiplyAdds;
  counts.usefulMultiplyAdds = all * ofKeys * group.usefulMultiplyAdds();
  return counts;
}
