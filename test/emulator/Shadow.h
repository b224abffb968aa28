// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who read and wrote each byte of a memory last, and whether that is ordered.
#ifndef MIXATTN_TEST_EMULATOR_SHADOW_H
#define MIXATTN_TEST_EMULATOR_SHADOW_H

#include "Clock.h"

#include <memory>
#include <string>
#include <vector>

namespace mixattn::emulator {

struct Kernel;

/// The agent of an access, and what it knows.
struct Observer {
  const Knowledge *knowledge = nullptr;
  const Kernel *kernel = nullptr;
  /// The number of the block, counted over all launches; blocks of earlier
  /// launches than `firstOwner` have ended.
  uint32_t owner = 0, firstOwner = 0;
  /// The agent's event that this access is part of.
  uint32_t event = 0;
  uint32_t instruction = 0;
  Agent agent = 0;
  /// PTX ISA, Async proxy.
  bool isAsync = false;
  bool isAtomic = false;
  /// It writes what is there already, and that is no race.
  bool isSilent = false;
};

/// One access to bytes of a granule of four bytes.
struct Access {
  uint32_t owner = 0, event = 0, instruction = 0;
  Agent agent = 0;
  /// A bit per byte; none, there is no access.
  uint8_t bytes = 0;
  bool isAsync : 1;
  bool isAtomic : 1;

  Access() : isAsync(false), isAtomic(false) {}
  Access(const Observer &observer, uint8_t bytes)
      : owner(observer.owner), event(observer.event),
        instruction(observer.instruction), agent(observer.agent), bytes(bytes),
        isAsync(observer.isAsync), isAtomic(observer.isAtomic) {}
};

/// Accesses to a memory. An access that conflicts with an earlier one and is
/// not ordered after it fails, in whatever order both were executed.
class Shadow {
public:
  /// `what` names the memory in messages.
  Shadow(size_t size, std::string what);

  void read(size_t offset, size_t size, const Observer &observer);
  void write(size_t offset, size_t size, const Observer &observer);
  /// Whether each of these bytes was written.
  bool isWritten(size_t offset, size_t size) const;

private:
  struct Granule {
    Access write, read;
    /// Further accesses: an index of `more`, plus 1.
    uint32_t more = 0;
    uint8_t written = 0;
  };
  struct More {
    std::vector<Access> writes, reads;
    /// Where among `reads` to look first.
    size_t next = 0;
  };

  void readGranule(Granule &granule, uint8_t bytes, const Observer &observer,
                   size_t offset);
  void writeGranule(Granule &granule, uint8_t bytes, const Observer &observer,
                    size_t offset);
  /// Fails unless the earlier access, which was a write or not, is ordered
  /// before the observer's.
  void check(const Access &access, uint8_t bytes, const Observer &observer,
             bool earlierWrites, bool laterWrites, size_t offset) const {
    if ((access.bytes & bytes) && !isHarmless(access, observer, earlierWrites))
      report(access, observer, earlierWrites, laterWrites, offset);
  }
  static bool isHarmless(const Access &access, const Observer &observer,
                         bool earlierWrites);
  [[noreturn]] void report(const Access &access, const Observer &observer,
                           bool earlierWrites, bool laterWrites,
                           size_t offset) const;
  template <class Visit>
  void visit(size_t offset, size_t size, Visit visitGranule);

  std::vector<Granule> granules;
  std::vector<More> more;
  std::string what;
};

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_SHADOW_H
