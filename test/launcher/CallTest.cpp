// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The caller's struct: its size, its message, workspace and status word.
#include "test/launcher/Fixture.h"

#include <cstddef>

using Call = Launcher;

static void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

TEST_F(Call, IsLargerThanItsSize) {
  call.size = 3;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_CALL, ""}));
  EXPECT_EQ(prepare(0), (Answer{MIXATTN_ERROR_CALL, ""}));
  uint64_t bytes;
  EXPECT_EQ(workspace(&bytes), (Answer{MIXATTN_ERROR_CALL, ""}));
}

TEST_F(Call, MayBeShort) {
  // Version 1 ended after the message.
  call.size = offsetof(mixattn_call, packed);
  call.stream = at(0x77);
  call.status = reinterpret_cast<uint32_t *>(kHost);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->launches[1].stream, at(0x77));
  EXPECT_EQ(parameter(1, 7), 0);
  // Half of a field is not there.
  call.size = offsetof(mixattn_call, status) + 4;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(parameter(3, 7), 0);
  call.size = offsetof(mixattn_call, stream);
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_WORKSPACE, ""}));
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launches[4].stream, nullptr);
}

TEST_F(Call, MayBeLong) {
  struct {
    mixattn_call call;
    uint64_t later[4];
  } longer = {call, {1, 2, 3, 4}};
  longer.call.size = sizeof longer;
  auto *entry =
      find<std::remove_pointer_t<mixattn_entry>>(artifact, "mixattn_attend");
  EXPECT_EQ(entry(attendTensors().data(), 4, &longer.call), 0);
}

TEST_F(Call, MayBeNull) {
  auto *entry =
      find<std::remove_pointer_t<mixattn_entry>>(artifact, "mixattn_copy");
  const DLTensor *tensors[] = {x.get(), y.get()};
  EXPECT_EQ(entry(tensors, 2, nullptr), 0);
  EXPECT_EQ(entry(tensors, 1, nullptr), MIXATTN_ERROR_COUNT);
}

TEST_F(Call, MessageIsCutOff) {
  std::memset(message, '#', sizeof message);
  call.message_size = 30;
  auto *entry =
      find<std::remove_pointer_t<mixattn_entry>>(artifact, "mixattn_attend");
  lengths.shape[0] = 3;
  EXPECT_EQ(entry(attendTensors().data(), 4, &call), 3);
  EXPECT_EQ(std::string(message), "argument 'lengths': expected ");
  EXPECT_EQ(message[30], '#');
  // Also within the title before the sentence, and after it.
  std::memset(message, '#', sizeof message);
  call.message_size = 5;
  EXPECT_EQ(entry(attendTensors().data(), 4, &call), 3);
  EXPECT_EQ(std::string(message), "argu");
  EXPECT_EQ(std::string(message + 5, 500), std::string(500, '#'));
  call.message = nullptr;
  EXPECT_EQ(entry(attendTensors().data(), 4, &call), 3);
  call.message = message;
  lengths.shape[0] = 2;
  fake->failing = "cuLaunchKernel";
  fake->error = 719;
  call.message_size = 40;
  EXPECT_EQ(entry(attendTensors().data(), 4, &call), MIXATTN_ERROR_LAUNCH);
  EXPECT_EQ(std::string(message), "the driver refused terms: CUDA_ERROR_LA");
  call.message_size = 0;
  EXPECT_EQ(entry(attendTensors().data(), 4, &call), MIXATTN_ERROR_LAUNCH);
  EXPECT_EQ(std::string(message), "the driver refused terms: CUDA_ERROR_LA");
}

TEST_F(Call, WorkspaceBytes) {
  uint64_t bytes = 1;
  EXPECT_EQ(workspace(&bytes), good);
  EXPECT_EQ(bytes, 2u * 30 * 1024);
  // It looks at nothing but shapes, and needs no driver.
  for (Tensor *tensor : {&q, &k, &lengths, &o}) {
    tensor->tensor.data = nullptr;
    tensor->tensor.device = {kDLCPU, 0};
    tensor->tensor.dtype = {kDLComplex, 128, 3};
    tensor->strides = {1, 2, 3, 4};
  }
  setenv("MIXATTN_LIBCUDA", "/nowhere.so", 1);
  EXPECT_EQ(workspace(&bytes), good);
  EXPECT_EQ(workspace(nullptr),
            (Answer{MIXATTN_ERROR_CALL,
                    "expected a place for the bytes, but got NULL"}));
  k.shape[1] = 7;
  bytes = 1;
  EXPECT_EQ(workspace(&bytes),
            (Answer{2, "argument 'k': expected dimension 1 to be 8, but got "
                       "7"}));
  EXPECT_EQ(bytes, 1u);
  k.shape[1] = 8;
  q.shape[0] = k.shape[0] = lengths.shape[0] = o.shape[0] = k.shape[2] =
      INT32_MAX;
  EXPECT_EQ(workspace(&bytes),
            (Answer{MIXATTN_ERROR_WORKSPACE, "the workspace would take a "
                                             "number of bytes that is out "
                                             "of range"}));
}

TEST_F(Call, NegativeWorkspace) {
  x.shape[0] = y.shape[0] = 3;
  EXPECT_EQ(shift(), (Answer{MIXATTN_ERROR_WORKSPACE,
                             "the workspace would take a number of bytes that "
                             "is out of range"}));
}

TEST_F(Call, Workspace) {
  call.workspace_bytes = 61439;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_WORKSPACE,
                    "expected a workspace of 61440 bytes, but got 61439"}));
  call.workspace_bytes = 61440;
  EXPECT_EQ(attend(), good);
  call.workspace = nullptr;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_WORKSPACE,
                    "expected a workspace of 61440 bytes, but got 0"}));
  call.workspace = at(kWorkspace + 128);
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_WORKSPACE,
                    "expected a workspace at an address that is a multiple of "
                    "256, but got one that is 128 above"}));
  call.workspace = at(kHost);
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_WORKSPACE,
                              "expected a workspace in memory of CUDA device "
                              "0, but got host memory"}));
  // An entry that takes none looks at none.
  call.workspace = at(kHost + 1);
  EXPECT_EQ(copy(), good);
}

TEST_F(Call, Status) {
  call.status = reinterpret_cast<uint32_t *>(kStatus);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(parameter(1, 7), int64_t{kStatus});
  call.status = reinterpret_cast<uint32_t *>(kStatus + 2);
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_CALL,
                              "expected a status word at an address that is a "
                              "multiple of 4, but got one that is 2 above"}));
  call.status = reinterpret_cast<uint32_t *>(kOther);
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_CALL,
                              "expected a status word in memory of CUDA device "
                              "0, but got memory of CUDA device 1"}));
}
