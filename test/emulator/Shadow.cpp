// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds conflicting accesses that nothing orders.
#include "Shadow.h"

#include "Failure.h"
#include "Module.h"

using namespace mixattn::emulator;

Shadow::Shadow(size_t size, std::string what)
    : granules((size + 3) / 4), what(std::move(what)) {}

/// Whether `access` happened before the observer.
static bool isOrdered(const Access &access, const Observer &observer) {
  if (access.owner != observer.owner)
    return access.owner < observer.firstOwner;
  return observer.knowledge->generic.of(access.agent) >= access.event;
}

/// PTX ISA, Async proxy: whether the asynchronous proxy sees a generic write.
static bool isVisible(const Access &access, const Observer &observer) {
  return access.isAsync || !observer.isAsync ||
         access.owner != observer.owner ||
         observer.knowledge->async.of(access.agent) >= access.event;
}

inline bool Shadow::isHarmless(const Access &access, const Observer &observer,
                               bool earlierWrites) {
  if (isOrdered(access, observer))
    return !earlierWrites || isVisible(access, observer);
  return (access.isAtomic && observer.isAtomic) ||
         (observer.isSilent && earlierWrites);
}

void Shadow::report(const Access &access, const Observer &observer,
                    bool earlierWrites, bool laterWrites, size_t offset) const {
  const Kernel &kernel = *observer.kernel;
  const Instruction &later = kernel.code[observer.instruction];
  std::string text = std::string(laterWrites ? "a write" : "a read") + " of " +
                     what + " at byte " + std::to_string(offset) + ", " +
                     place(later.line, later.text);
  if (access.owner != observer.owner)
    text += ", is not ordered after another block's ";
  else if (isOrdered(access, observer))
    text += ", needs fence.proxy.async after the generic ";
  else
    text += ", is not ordered after the ";
  const Instruction &earlier = kernel.code[access.instruction];
  fail("race: " + text + (earlierWrites ? "write" : "read") + " of " +
       place(earlier.line, earlier.text));
}

template <class Visit>
void Shadow::visit(size_t offset, size_t size, Visit visitGranule) {
  for (size_t end = offset + size; offset < end;) {
    size_t in = offset % 4, count = std::min<size_t>(4 - in, end - offset);
    uint8_t bytes = ((1u << count) - 1) << in;
    visitGranule(granules[offset / 4], bytes, offset);
    offset += count;
  }
}

void Shadow::read(size_t offset, size_t size, const Observer &observer) {
  visit(offset, size, [&](Granule &granule, uint8_t bytes, size_t at) {
    readGranule(granule, bytes, observer, at);
  });
}

void Shadow::write(size_t offset, size_t size, const Observer &observer) {
  visit(offset, size, [&](Granule &granule, uint8_t bytes, size_t at) {
    writeGranule(granule, bytes, observer, at);
  });
}

bool Shadow::isWritten(size_t offset, size_t size) const {
  for (size_t end = offset + size; offset < end;) {
    size_t in = offset % 4, count = std::min<size_t>(4 - in, end - offset);
    uint8_t bytes = ((1u << count) - 1) << in;
    if ((granules[offset / 4].written & bytes) != bytes)
      return false;
    offset += count;
  }
  return true;
}

/// Whether whatever is ordered after `later` is ordered after `earlier`.
static bool replaces(const Access &later, const Access &earlier,
                     const Observer &observer) {
  return (earlier.bytes & ~later.bytes) == 0 &&
         earlier.isAtomic == later.isAtomic && isOrdered(earlier, observer);
}

void Shadow::readGranule(Granule &granule, uint8_t bytes,
                         const Observer &observer, size_t offset) {
  check(granule.write, bytes, observer, true, false, offset);
  Access access(observer, bytes);
  if (granule.more)
    for (const Access &each : more[granule.more - 1].writes)
      check(each, bytes, observer, true, false, offset);
  bool isSame =
      granule.read.agent == access.agent && granule.read.owner == access.owner;
  if (!granule.read.bytes || replaces(access, granule.read, observer) ||
      (isSame && granule.read.bytes == bytes &&
       granule.read.event <= access.event)) {
    granule.read = access;
    return;
  }
  if (isSame && (bytes & ~granule.read.bytes) == 0 &&
      granule.read.event == access.event)
    return;
  if (!granule.more) {
    more.emplace_back();
    granule.more = more.size();
  }
  // Of readers of two blocks no later access is ordered after both before the
  // launch ends: no more need be kept.
  auto staysUnordered = [&](const Access &each) {
    return (bytes & ~each.bytes) == 0 && !each.isAtomic &&
           !isOrdered(each, observer);
  };
  const Access *unordered =
      staysUnordered(granule.read) ? &granule.read : nullptr;
  auto &[_, reads, next] = more[granule.more - 1];
  for (size_t i = 0, place = next; i < reads.size(); ++i, ++place) {
    if (place >= reads.size())
      place = 0;
    Access &each = reads[place];
    bool isSameReader = each.agent == access.agent &&
                        each.owner == access.owner && each.bytes == bytes;
    if (isSameReader) {
      each.event = std::max(each.event, access.event);
      each.instruction = access.instruction;
    } else if (replaces(access, each, observer)) {
      each = access;
    } else if (staysUnordered(each)) {
      if (!unordered)
        unordered = &each;
      if (unordered->owner == each.owner)
        continue;
    } else {
      continue;
    }
    next = place;
    return;
  }
  reads.push_back(access);
}

/// Forgets accesses to `bytes`, which an ordered write replaces.
static void forget(std::vector<Access> &accesses, uint8_t bytes) {
  for (size_t i = 0; i < accesses.size();) {
    accesses[i].bytes &= ~bytes;
    if (accesses[i].bytes) {
      ++i;
    } else {
      accesses[i] = accesses.back();
      accesses.pop_back();
    }
  }
}

void Shadow::writeGranule(Granule &granule, uint8_t bytes,
                          const Observer &observer, size_t offset) {
  check(granule.write, bytes, observer, true, true, offset);
  check(granule.read, bytes, observer, false, true, offset);
  Access access(observer, bytes);
  granule.read.bytes &= ~bytes;
  granule.written |= bytes;
  if (granule.more) {
    More &others = more[granule.more - 1];
    for (const Access &each : others.writes)
      check(each, bytes, observer, true, true, offset);
    for (const Access &each : others.reads)
      check(each, bytes, observer, false, true, offset);
    forget(others.writes, bytes);
    forget(others.reads, bytes);
  }
  granule.write.bytes &= ~bytes;
  if (granule.write.bytes) {
    if (!granule.more) {
      more.emplace_back();
      granule.more = more.size();
    }
    more[granule.more - 1].writes.push_back(granule.write);
  }
  granule.write = access;
}
