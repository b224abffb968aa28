// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sectors of global memory, and bank conflicts of shared memory.
#include "Counters.h"

#include <algorithm>

using namespace mixattn::emulator;

void Counters::add(const Counters &other) {
  blocks += other.blocks;
  instructions += other.instructions;
  laneInstructions += other.laneInstructions;
  globalLoadBytes += other.globalLoadBytes;
  globalLoadSectors += other.globalLoadSectors;
  globalStoreBytes += other.globalStoreBytes;
  globalStoreSectors += other.globalStoreSectors;
  globalLoadSectorsOnce += other.globalLoadSectorsOnce;
  globalStoreSectorsOnce += other.globalStoreSectorsOnce;
  asyncCopyBytes += other.asyncCopyBytes;
  bulkLoadBytes += other.bulkLoadBytes;
  bulkStoreBytes += other.bulkStoreBytes;
  sharedWavefronts += other.sharedWavefronts;
  sharedLeastWavefronts += other.sharedLeastWavefronts;
  for (const auto &[name, count] : other.executed)
    executed[name] += count;
}

void Counters::countGlobal(const LaneAddresses &addresses, bool isStore) {
  // A sector has 32 bytes.
  std::vector<uint64_t> sectors;
  for (uint64_t first : addresses.first)
    for (uint64_t at = first / 32; at <= (first + addresses.bytes - 1) / 32;
         ++at)
      sectors.push_back(at);
  std::sort(sectors.begin(), sectors.end());
  sectors.erase(std::unique(sectors.begin(), sectors.end()), sectors.end());
  uint64_t count = sectors.size(), once = 0;
  for (uint64_t each : sectors)
    once += (isStore ? stored : loaded).insert(each).second;
  (isStore ? globalStoreSectorsOnce : globalLoadSectorsOnce) += once;
  (isStore ? globalStoreSectors : globalLoadSectors) += count;
  (isStore ? globalStoreBytes : globalLoadBytes) +=
      addresses.bytes * addresses.first.size();
}

void Counters::countShared(const LaneAddresses &addresses) {
  // 32 banks of 4 bytes. Lanes of 8 bytes go in two halves, of 16 in four
  // quarters; a wavefront reads each bank at one place.
  unsigned perPart = addresses.bytes <= 4 ? 32 : 128 / addresses.bytes;
  for (size_t begin = 0; begin < addresses.first.size(); begin += perPart) {
    size_t end = std::min(addresses.first.size(), begin + perPart);
    uint64_t places[128];
    unsigned count = 0, perBank[32] = {}, most = 1;
    for (size_t i = begin; i < end; ++i)
      for (uint64_t word = addresses.first[i] / 4;
           word <= (addresses.first[i] + addresses.bytes - 1) / 4 &&
           count < 128;
           ++word)
        places[count++] = word;
    std::sort(places, places + count);
    unsigned distinct = std::unique(places, places + count) - places;
    for (unsigned i = 0; i < distinct; ++i)
      most = std::max(most, ++perBank[places[i] % 32]);
    sharedWavefronts += most;
    sharedLeastWavefronts += (distinct + 31) / 32;
  }
}

std::string Counters::toJson() const {
  std::string text = "{";
  auto put = [&](const char *name, uint64_t value) {
    text += std::string(text.size() > 1 ? ", \"" : "\"") + name +
            "\": " + std::to_string(value);
  };
  put("blocks", blocks);
  put("instructions", instructions);
  put("lane_instructions", laneInstructions);
  put("global_load_bytes", globalLoadBytes);
  put("global_load_sectors", globalLoadSectors);
  put("global_load_sectors_once", globalLoadSectorsOnce);
  put("global_store_bytes", globalStoreBytes);
  put("global_store_sectors", globalStoreSectors);
  put("global_store_sectors_once", globalStoreSectorsOnce);
  put("cp_async_bytes", asyncCopyBytes);
  put("bulk_load_bytes", bulkLoadBytes);
  put("bulk_store_bytes", bulkStoreBytes);
  put("shared_wavefronts", sharedWavefronts);
  put("shared_bank_conflicts", sharedWavefronts - sharedLeastWavefronts);
  text += ", \"executed\": {";
  bool isFirst = true;
  for (const auto &[name, count] : executed) {
    text += std::string(isFirst ? "\"" : ", \"") + name +
            "\": " + std::to_string(count);
    isFirst = false;
  }
  return text + "}}";
}
