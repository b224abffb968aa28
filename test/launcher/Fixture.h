// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The artifact of Artifact.c, loaded anew for each test, on the fake driver.
#ifndef MIXATTN_TEST_LAUNCHER_FIXTURE_H
#define MIXATTN_TEST_LAUNCHER_FIXTURE_H

#include "lib/Runtime/abi.h"
#include "test/launcher/FakeCuda.h"

#include <gtest/gtest.h>

#include <cstring>
#include <dlfcn.h>
#include <string>
#include <vector>

/// A tensor on CUDA device 0, row-major.
class Tensor {
public:
  Tensor(uint64_t address, DLDataTypeCode code, uint8_t bits,
         std::vector<int64_t> sizes)
      : shape(std::move(sizes)) {
    tensor.data = reinterpret_cast<void *>(address);
    tensor.device = {kDLCUDA, 0};
    tensor.ndim = static_cast<int>(shape.size());
    tensor.dtype = {static_cast<uint8_t>(code), bits, 1};
  }
  Tensor(const Tensor &) = delete;

  /// The addresses that a call is given.
  const DLTensor *get() {
    tensor.shape = shape.data();
    tensor.strides = strides.empty() ? nullptr : strides.data();
    return &tensor;
  }

  DLTensor tensor = {};
  std::vector<int64_t> shape, strides;
};

/// The answer of a function of the ABI: its code, and the sentence.
struct Answer {
  int32_t code;
  std::string sentence;
};
inline bool operator==(const Answer &x, const Answer &y) {
  return x.code == y.code && x.sentence == y.sentence;
}
inline std::ostream &operator<<(std::ostream &stream, const Answer &answer) {
  return stream << answer.code << ": " << answer.sentence;
}
inline const Answer good = {0, ""};

/// Addresses in the device's memory.
enum : uint64_t {
  kQuery = 0x100000,
  kKey = 0x200000,
  kLengths = 0x300000,
  kOutput = 0x400000,
  kWorkspace = 0x500000,
  kStatus = 0x600000,
  kBytes = 0x100000,
  /// Memory of the other device, managed memory, and pinned memory.
  kOther = 0x700000,
  kManaged = 0x800000,
  kPinned = 0x900000,
  /// An address that the driver does not know.
  kHost = 0x7fff0000
};

class Launcher : public testing::Test {
protected:
  void SetUp() override {
    setenv("MIXATTN_LIBCUDA", MIXATTN_FAKE_CUDA, 1);
    fakeLibrary = dlopen(MIXATTN_FAKE_CUDA, RTLD_NOW);
    ASSERT_TRUE(fakeLibrary) << dlerror();
    fake = find<fake_cuda_reset_function>(fakeLibrary, "fake_cuda_reset")();
    use = find<fake_cuda_use_function>(fakeLibrary, "fake_cuda_use");
    used = find<fake_cuda_used_function>(fakeLibrary, "fake_cuda_used");
    fake->memories[0] = {kQuery, 6 * kBytes, 2, 0, 0};
    fake->memories[1] = {kOther, kBytes, 2, 1, 0};
    fake->memories[2] = {kManaged, kBytes, 1, -2, 1};
    fake->memories[3] = {kPinned, kBytes, 1, 0, 0};
    artifact = dlopen(MIXATTN_LAUNCHER_ARTIFACT, RTLD_NOW | RTLD_LOCAL);
    ASSERT_TRUE(artifact) << dlerror();
    call.size = sizeof call;
    call.workspace = reinterpret_cast<void *>(kWorkspace);
    call.workspace_bytes = kBytes;
    call.message = message;
    call.message_size = sizeof message;
  }

  void TearDown() override {
    dlclose(artifact);
    dlclose(fakeLibrary);
    unsetenv("MIXATTN_LIBCUDA");
  }

  template <typename Function>
  static Function *find(void *library, const char *name) {
    void *symbol = dlsym(library, name);
    EXPECT_TRUE(symbol) << name;
    return reinterpret_cast<Function *>(symbol);
  }

  Answer answer(int32_t code) { return {code, message}; }

  /// Calls the entry `name` on these tensors.
  Answer callEntry(const char *name, std::vector<const DLTensor *> tensors) {
    message[0] = '\0';
    auto *entry = find<std::remove_pointer_t<mixattn_entry>>(artifact, name);
    return answer(
        entry(tensors.data(), static_cast<int32_t>(tensors.size()), &call));
  }

  std::vector<const DLTensor *> attendTensors() {
    return {q.get(), k.get(), lengths.get(), o.get()};
  }
  Answer attend() { return callEntry("mixattn_attend", attendTensors()); }
  Answer copy() { return callEntry("mixattn_copy", {x.get(), y.get()}); }
  Answer shift() { return callEntry("mixattn_shift", {x.get(), y.get()}); }

  Answer prepare(int32_t device) {
    message[0] = '\0';
    auto *function = find<std::remove_pointer_t<mixattn_preparation>>(
        artifact, "mixattn_prepare_attend");
    return answer(function(device, &call));
  }

  Answer workspace(uint64_t *bytes) {
    message[0] = '\0';
    auto *function = find<std::remove_pointer_t<mixattn_workspace_query>>(
        artifact, "mixattn_workspace_attend");
    return answer(function(attendTensors().data(), 4, bytes, &call));
  }

  /// The number that a kernel is given, of so many bytes.
  int64_t parameter(int launch, int index, size_t bytes = 8) const {
    int64_t value = 0;
    std::memcpy(&value, fake->launches[launch].parameters[index], bytes);
    return bytes == 4 ? static_cast<int32_t>(value) : value;
  }

  void *fakeLibrary = nullptr, *artifact = nullptr;
  fake_cuda *fake = nullptr;
  fake_cuda_use_function *use = nullptr;
  fake_cuda_used_function *used = nullptr;
  mixattn_call call = {};
  char message[512] = "";
  Tensor q{kQuery, kDLBfloat, 16, {2, 8, 100, 64}};
  Tensor k{kKey, kDLBfloat, 16, {2, 8, 30, 64}};
  Tensor lengths{kLengths, kDLInt, 64, {2}};
  Tensor o{kOutput, kDLFloat, 32, {2, 8, 100, 64}};
  Tensor x{kQuery, kDLFloat, 32, {10}}, y{kOutput, kDLFloat, 32, {10}};
};

#endif // MIXATTN_TEST_LAUNCHER_FIXTURE_H
