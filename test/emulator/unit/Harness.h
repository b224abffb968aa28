// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs short kernels in tests.
#ifndef MIXATTN_TEST_EMULATOR_UNIT_HARNESS_H
#define MIXATTN_TEST_EMULATOR_UNIT_HARNESS_H

#include "Emulator.h"
#include "TensorMap.h"

#include "gtest/gtest.h"

#include <cstring>

namespace mixattn::emulator {

/// A kernel with one pointer `out` (and a tensor map `map`), and its launch.
class Harness {
public:
  Harness() {
    device.options.approximates = false;
    out = device.memory.allocate(outBytes);
    std::memset(device.memory.bytes(out, outBytes), 0, outBytes);
  }

  /// The body between declarations and `ret`. Registers: %p %h %r %f %d, and
  /// 64-bit %out, the address of the results; %tid is in %r0, the address of
  /// 16 KiB of shared memory, aligned to 1024 bytes, in %r1.
  std::string run(const std::string &body, unsigned threads = 32,
                  unsigned blocks = 1) {
    std::string text =
        ".version 8.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k(.param .u64 out, .param .align 64 .b8 map[128])\n{\n"
        ".reg .pred %p<32>; .reg .b16 %h<32>; .reg .b32 %r<300>;\n"
        ".reg .f32 %f<300>; .reg .b64 %d<32>, %out, %map;\n"
        ".shared .align 1024 .b8 memory[16384];\n"
        "ld.param.u64 %out, [out]; mov.b64 %map, map; cvta.param.u64 %map, "
        "%map;\n"
        "mov.u32 %r0, %tid.x; mov.u32 %r1, memory;\n" +
        body + "\nret;\n}\n";
    try {
      Module module = device.load(text);
      LaunchDescription launch;
      launch.kernel = &module.kernels.at("k");
      launch.grid = {blocks, 1, 1};
      launch.block = {threads, 1, 1};
      launch.parameters.resize(launch.kernel->parameterBytes);
      std::memcpy(launch.parameters.data(), &out, 8);
      std::memcpy(launch.parameters.data() + 64, &map, sizeof map);
      device.launch(launch);
    } catch (const Failure &failure) {
      return failure.what();
    }
    return "";
  }

  template <class T = uint32_t> T result(unsigned i = 0) {
    T value;
    std::memcpy(&value, device.memory.bytes(out + i * sizeof(T), sizeof(T)),
                sizeof value);
    return value;
  }

  static constexpr size_t outBytes = 65536;
  Device device;
  uint64_t out = 0;
  TensorMap map;
};

/// Both ways in which bytes of copies may land.
class Ordered : public testing::TestWithParam<Landing>, public Harness {
protected:
  Ordered() { device.options.landing = GetParam(); }
};

inline const auto bothLandings = testing::Values(Landing::Issue, Landing::Wait);
inline std::string landingName(const testing::TestParamInfo<Landing> &info) {
  return info.param == Landing::Issue ? "issue" : "wait";
}

inline testing::AssertionResult contains(const std::string &text,
                                         const std::string &part) {
  if (text.find(part) != std::string::npos)
    return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << "'" << part << "' is not in '" << text << "'";
}

} // namespace mixattn::emulator

#endif // MIXATTN_TEST_EMULATOR_UNIT_HARNESS_H
