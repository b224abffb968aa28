// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, cp.async.bulk and cp.async.bulk.tensor: boxes of tensors, and plain
// bytes, between global and shared memory.
#include "Lanes.h"
#include "Swizzle.h"
#include "TensorMap.h"

using namespace mixattn::emulator;

namespace {
enum Field { IsTensor, Rank, IsStore };

/// The bytes that one lane's copy moves.
struct BulkCopy {
  bool isTensor = false, isStore = false;
  uint64_t shared = 0, global = 0;
  unsigned size = 0;
  TensorMap map;
  std::array<int32_t, 5> place = {};

  void move(Block &block, const Observer &shared, const Observer &global) const;
  /// The bytes that are in bounds: of all others global memory has none.
  uint64_t bytesInBounds() const;

private:
  void moveRow(Block &block, const Observer &global, unsigned row,
               uint8_t *tile) const;
};
} // namespace

static uint8_t *globalBytes(Block &block, uint64_t address, size_t size,
                            bool isWrite, const Observer &observer) {
  Allocation *found = block.device.memory.find(address, size);
  if (!found)
    fail(std::to_string(size) + " bytes at " + hexadecimal(address) +
         " are out of bounds: no allocation of global memory holds them");
  size_t offset = address - found->begin;
  if (isWrite)
    found->accesses().write(offset, size, observer);
  else
    found->accesses().read(offset, size, observer);
  return found->bytes.data() + offset;
}

uint64_t BulkCopy::bytesInBounds() const {
  if (!isTensor)
    return size;
  uint64_t bytes = map.elementBytes;
  for (unsigned i = 0; i < map.rank; ++i) {
    int64_t begin = std::max<int64_t>(0, place[i]),
            end =
                std::min(int64_t(place[i]) + map.box[i], int64_t(map.dims[i]));
    bytes *= uint64_t(std::max<int64_t>(0, end - begin));
  }
  return bytes;
}

/// Row `row` of the box: elements of the innermost dim.
void BulkCopy::moveRow(Block &block, const Observer &global, unsigned row,
                       uint8_t *tile) const {
  unsigned width = map.elementBytes, rowBytes = map.box[0] * width;
  uint64_t address = map.address;
  bool isInside = true;
  unsigned rest = row;
  for (unsigned i = 1; i < map.rank; ++i) {
    int64_t at = int64_t(place[i]) + rest % map.box[i];
    rest /= map.box[i];
    isInside &= at >= 0 && at < int64_t(map.dims[i]);
    address += at * map.strides[i - 1];
  }
  int64_t first = std::max<int64_t>(0, -int64_t(place[0]));
  int64_t last =
      std::min<int64_t>(map.box[0], int64_t(map.dims[0]) - int64_t(place[0]));
  if (!isInside || first >= last)
    return;
  address += (int64_t(place[0]) + first) * width;
  size_t count = (last - first) * width;
  uint8_t *bytes = globalBytes(block, address, count, isStore, global);
  uint64_t begin = shared + uint64_t(row) * rowBytes + first * width;
  for (size_t i = 0; i < count; ++i) {
    uint8_t &inTile = tile[swizzled(begin + i, map.swizzle) - shared];
    (isStore ? bytes[i] : inTile) = isStore ? inTile : bytes[i];
  }
}

void BulkCopy::move(Block &block, const Observer &sharedObserver,
                    const Observer &globalObserver) const {
  uint8_t *tile = block.sharedBytes(shared, size, 16, !isStore, sharedObserver);
  if (!isTensor) {
    uint8_t *bytes = globalBytes(block, global, size, isStore, globalObserver);
    std::memcpy(isStore ? bytes : tile, isStore ? tile : bytes, size);
    return;
  }
  if (!isStore)
    // Elements out of bounds are zeros, or NaN.
    std::memset(tile, map.fillsNan ? 0xff : 0, size);
  unsigned rows = size / (map.box[0] * map.elementBytes);
  for (unsigned row = 0; row < rows; ++row)
    moveRow(block, globalObserver, row, tile);
}

static BulkCopy readCopy(Warp &warp, const Instruction &instruction,
                         unsigned lane) {
  BulkCopy copy;
  copy.isTensor = instruction.number[IsTensor];
  copy.isStore = instruction.number[IsStore];
  copy.shared =
      sharedAddress(warp, Space::Shared,
                    warp.address(instruction, 0, instruction.slot[0], lane));
  copy.global = warp.address(instruction, 1, instruction.slot[1], lane);
  if (!copy.isTensor) {
    copy.size = warp.read<uint32_t>(instruction.slot[2], lane);
    require(copy.size && copy.size % 16 == 0,
            "the size of a bulk copy is no multiple of 16");
    require(copy.shared % 16 == 0 && copy.global % 16 == 0,
            "a bulk copy is aligned to 16 bytes");
    return copy;
  }
  Resolved map = warp.resolve(Space::Generic, copy.global, 128, 64);
  require(map.space != Space::Shared, "a tensor map in shared memory");
  if (map.shadow)
    map.shadow->read(map.offset, 128, warp.observer());
  std::memcpy(&copy.map, map.bytes, sizeof copy.map);
  if (const char *complaint = copy.map.complaint())
    fail(complaint);
  require(copy.map.rank == instruction.number[Rank],
          "the tensor map has another number of dims");
  require(copy.shared % 128 == 0,
          "a tile in shared memory is aligned to 128 bytes");
  copy.size = copy.map.elementBytes;
  for (int i = 0; i < copy.map.rank; ++i) {
    copy.size *= copy.map.box[i];
    copy.place[i] = warp.read<int32_t>(instruction.list[0][i], lane);
  }
  return copy;
}

static Outcome load(Warp &warp, const Instruction &instruction,
                    uint32_t lanes) {
  Block &block = warp.block;
  forLanes(lanes, [&](unsigned lane) {
    BulkCopy copy = readCopy(warp, instruction, lane);
    uint64_t address =
        sharedAddress(warp, Space::Shared,
                      warp.address(instruction, 2, instruction.slot[3], lane));
    Mbarrier &barrier = block.mbarriers.find(address, warp.observer());
    block.counters.bulkLoadBytes += copy.bytesInBounds();
    auto move = [&block, &barrier, copy](const Observer &observer) {
      copy.move(block, observer, observer);
      barrier.completeBytes(copy.size, observer);
    };
    Transfer transfer =
        warp.transfer(barrier.agent, barrier.phase + 1, true, move);
    barrier.begin(std::move(transfer), block.landsAtIssue());
  });
  warp.advance();
  return Outcome::Next;
}

static CopyGroups::Bulk &bulkOf(Warp &warp, unsigned lane) {
  CopyGroups::Bulk &bulk = warp.copies.bulk[lane];
  if (!std::exchange(bulk.reads.hasAgent, true)) {
    bulk.reads.agent = warp.block.newAgent();
    bulk.writes.agent = warp.block.newAgent();
  }
  return bulk;
}

static Outcome store(Warp &warp, const Instruction &instruction,
                     uint32_t lanes) {
  Block &block = warp.block;
  forLanes(lanes, [&](unsigned lane) {
    BulkCopy copy = readCopy(warp, instruction, lane);
    CopyGroups::Bulk &bulk = bulkOf(warp, lane);
    block.counters.bulkStoreBytes += copy.bytesInBounds();
    // Its reads and its writes end at different times.
    Agent writes = bulk.writes.agent;
    uint32_t writeEvent = bulk.writes.openEvent;
    auto move = [&block, copy, writes, writeEvent](const Observer &reader) {
      Observer writer = reader;
      writer.agent = writes;
      writer.event = writeEvent;
      copy.move(block, reader, writer);
    };
    bulk.reads.add(
        warp.transfer(bulk.reads.agent, bulk.reads.openEvent, true, move),
        block.landsAtIssue());
  });
  warp.advance();
  return Outcome::Next;
}

static Outcome commit(Warp &warp, const Instruction &, uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    CopyGroups::Bulk &bulk = bulkOf(warp, lane);
    bulk.reads.commit();
    bulk.writes.commit();
  });
  return Outcome::Next;
}

static Outcome waitForGroups(Warp &warp, const Instruction &instruction,
                             uint32_t lanes) {
  forLanes(lanes, [&](unsigned lane) {
    CopyGroups::Bulk &bulk = bulkOf(warp, lane);
    uint32_t pending = instruction.number[0];
    warp.knowledge.generic.learn(bulk.reads.agent, bulk.reads.wait(pending));
    if (!instruction.number[1])
      warp.knowledge.generic.learn(bulk.writes.agent,
                                   bulk.writes.wait(pending));
  });
  return Outcome::Next;
}

/// [map, {coordinates}]
static void takeMap(Decoder &d, const Expression &expression) {
  auto &result = d.result;
  d.address(expression, 1, 1);
  require(expression.parts.size() == 2, "expected a tensor map and a place");
  result.list[0] =
      d.sources(expression.parts[1], {Type::Signed, 32}, result.number[Rank]);
}

static void decodeTensor(Decoder &d) {
  auto &result = d.result;
  result.number[IsTensor] = 1;
  result.number[Rank] = 1 + d.expectOneOf({"1d", "2d", "3d", "4d", "5d"});
  if (d.take("global")) {
    result.number[IsStore] = 1;
    d.expect("shared::cta");
    d.take("tile");
    d.expect("bulk_group");
    bool hasPolicy = d.take("L2::cache_hint");
    d.expectOperands(2 + hasPolicy, 2 + hasPolicy);
    takeMap(d, d.operand(0));
    d.address(d.operand(1), 0, 0);
    if (hasPolicy)
      d.source(d.operand(2), {Type::Bits, 64});
    result.execute = store;
    return;
  }
  d.expectOneOf({"shared::cluster", "shared::cta"});
  d.expect("global");
  d.take("tile");
  d.expect("mbarrier::complete_tx::bytes");
  bool hasPolicy = d.take("L2::cache_hint");
  d.expectOperands(3 + hasPolicy, 3 + hasPolicy);
  d.address(d.operand(0), 0, 0);
  takeMap(d, d.operand(1));
  d.address(d.operand(2), 2, 3);
  if (hasPolicy)
    d.source(d.operand(3), {Type::Bits, 64});
  result.execute = load;
}

static void decodeBytes(Decoder &d) {
  auto &result = d.result;
  bool isStore = d.take("global");
  result.number[IsStore] = isStore;
  if (isStore) {
    d.expect("shared::cta");
    d.expect("bulk_group");
  } else {
    d.expectOneOf({"shared::cluster", "shared::cta"});
    d.expect("global");
    d.expect("mbarrier::complete_tx::bytes");
  }
  bool hasPolicy = d.take("L2::cache_hint");
  size_t count = (isStore ? 3 : 4) + hasPolicy;
  d.expectOperands(count, count);
  d.address(d.operand(isStore ? 1 : 0), 0, 0);
  d.address(d.operand(isStore ? 0 : 1), 1, 1);
  result.slot[2] = d.source(d.operand(2), {Type::Unsigned, 32});
  if (!isStore)
    d.address(d.operand(3), 2, 3);
  if (hasPolicy)
    d.source(d.operand(count - 1), {Type::Bits, 64});
  result.execute = isStore ? store : load;
}

void mixattn::emulator::decodeBulkCopy(Decoder &d) {
  auto &result = d.result;
  if (d.take("commit_group")) {
    d.expectOperands(0, 0);
    result.execute = commit;
  } else if (d.take("wait_group")) {
    result.number[1] = d.take("read");
    d.expectOperands(1, 1);
    result.number[0] = d.number(d.operand(0));
    result.execute = waitForGroups;
  } else if (d.take("tensor")) {
    decodeTensor(d);
  } else {
    decodeBytes(d);
  }
}
