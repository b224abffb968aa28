// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Drivers that are missing or refuse, contexts, capture, threads.
#include "test/launcher/Fixture.h"

#include <atomic>
#include <thread>

using Driver = Launcher;

TEST_F(Driver, IsMissing) {
  setenv("MIXATTN_LIBCUDA", "/nowhere/libcuda.so.1", 1);
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_DRIVER,
                    "there is no CUDA driver: /nowhere/libcuda.so.1 cannot be "
                    "loaded (/nowhere/libcuda.so.1: cannot open shared object "
                    "file: No such file or directory)"}));
  EXPECT_EQ(prepare(0).code, MIXATTN_ERROR_DRIVER);
  // It may come later in the life of a process.
  setenv("MIXATTN_LIBCUDA", MIXATTN_FAKE_CUDA, 1);
  EXPECT_EQ(attend(), good);
}

TEST_F(Driver, IsNone) {
  setenv("MIXATTN_LIBCUDA", MIXATTN_LAUNCHER_ARTIFACT, 1);
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_DRIVER,
                              std::string("expected a CUDA driver, but ") +
                                  MIXATTN_LAUNCHER_ARTIFACT +
                                  " has no function cuDriverGetVersion"}));
}

TEST_F(Driver, CannotBeUsed) {
  fake->failing = "cuInit";
  fake->error = 100;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_DRIVER,
                    "the CUDA driver cannot be used: CUDA_ERROR_NO_DEVICE: no "
                    "CUDA-capable device is detected"}));
  fake->failing = nullptr;
  EXPECT_EQ(attend(), good);
}

TEST_F(Driver, IsOld) {
  fake->version = 11040;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_DRIVER,
                    "expected a CUDA driver of version 12.0 or later, but this "
                    "one is 11.4"}));
  EXPECT_EQ(fake->loads, 0);
}

TEST_F(Driver, HasNoSuchDevice) {
  EXPECT_EQ(prepare(2),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the driver refused CUDA device 2: "
                    "CUDA_ERROR_INVALID_DEVICE: invalid device ordinal"}));
  EXPECT_EQ(prepare(-1).code, MIXATTN_ERROR_LAUNCH);
  EXPECT_EQ(used(), nullptr);
}

TEST_F(Driver, HasNoCodeForTheDevice) {
  fake->capability = 75;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_MACHINE,
                              "no code of this artifact (sm_80, sm_86, sm_90a) "
                              "runs on CUDA device 0, FAKE 0, which is "
                              "sm_75"}));
  EXPECT_EQ(fake->loads, 0);
  // Code that should run there is refused all the same.
  fake->capability = 120;
  fake->failing = "cuModuleLoadData";
  fake->error = 209;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_MACHINE,
                    "no code of this artifact (sm_80, sm_86, sm_90a) runs on "
                    "CUDA device 0, FAKE 0, which is sm_120: "
                    "CUDA_ERROR_NO_BINARY_FOR_GPU: no kernel image is "
                    "available for execution on the device"}));
  fake->failing = "cuFuncLoad";
  EXPECT_EQ(attend().code, MIXATTN_ERROR_MACHINE);
  EXPECT_EQ(fake->unloads, 1);
  fake->failing = "cuDeviceGetAttribute";
  fake->error = 1;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the driver refused to tell what CUDA device 0 "
                              "is: CUDA_ERROR_INVALID_VALUE: invalid "
                              "argument"}));
}

// Machine code of the nearest chip of the same major number that is not later;
// sm_90a on 9.0 alone; else PTX.
TEST_F(Driver, PicksTheTarget) {
  std::pair<int, std::string> devices[] = {
      {80, "sm_80 "}, {82, "sm_80 "},  {86, "sm_86 "},  {89, "sm_86 "},
      {90, "sm_90a"}, {100, "sm_80 "}, {103, "sm_80 "}, {120, "sm_80 "}};
  int number = 10;
  for (auto &[capability, image] : devices) {
    // Code is loaded anew in another context.
    use(&fake->contexts[number++]);
    fake->capability = capability;
    EXPECT_EQ(copy(), good);
    EXPECT_EQ(std::string(fake->image, 6), image) << capability;
  }
}

TEST_F(Driver, LaunchesAreOfTheTarget) {
  use(&fake->contexts[5]);
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launch_count, 1);
  EXPECT_EQ(std::string(fake->launches[0].kernel), "copy");
  fake->capability = 90;
  use(&fake->contexts[6]);
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launch_count, 3);
  EXPECT_EQ(std::string(fake->launches[1].kernel), "first_half");
  EXPECT_EQ(fake->launches[1].grid[0], 78u);
  EXPECT_EQ(std::string(fake->launches[2].kernel), "second_half");
  // Code that a context has loaded is known without asking the driver again.
  fake->failing = "cuDeviceGetAttribute";
  fake->error = 1;
  use(&fake->contexts[5]);
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(std::string(fake->launches[3].kernel), "copy");
}

TEST_F(Driver, RefusesCode) {
  fake->failing = "cuModuleLoadData";
  fake->error = 2;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the driver refused to load this artifact's "
                              "code: CUDA_ERROR_OUT_OF_MEMORY: out of "
                              "memory"}));
  EXPECT_EQ(used(), nullptr);
  fake->failing = "cuFuncSetAttribute";
  fake->error = 1;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the driver refused to load attend: "
                              "CUDA_ERROR_INVALID_VALUE: invalid argument"}));
  EXPECT_EQ(fake->unloads, 1);
  fake->failing = nullptr;
  EXPECT_EQ(attend(), good);
}

TEST_F(Driver, PrimaryContext) {
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->retains, 1);
  EXPECT_EQ(fake->loads, 1);
  EXPECT_EQ(fake->launches[0].context, &fake->contexts[0]);
  EXPECT_EQ(used(), nullptr);
  // A context of another device comes back.
  use(&fake->contexts[1]);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->launches[4].context, &fake->contexts[0]);
  EXPECT_EQ(used(), &fake->contexts[1]);
}

TEST_F(Driver, CurrentContext) {
  use(&fake->contexts[5]);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->launches[0].context, &fake->contexts[5]);
  EXPECT_EQ(fake->retains, 0);
  EXPECT_EQ(fake->switches, 0);
  // Code is loaded in each context.
  use(&fake->contexts[6]);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->loads, 2);
  // A new context at the place of an old one.
  fake->contexts[6].id = 2000;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->loads, 3);
  // Older drivers have no numbers of contexts.
  fake->failing = "cuCtxGetId";
  fake->error = 1;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->loads, 4);
}

TEST_F(Driver, ManyContexts) {
  for (int i = 0; i < 64; ++i) {
    use(&fake->contexts[i == 1 ? 70 : i]);
    ASSERT_EQ(copy(), good);
  }
  use(&fake->contexts[71]);
  EXPECT_EQ(copy(), (Answer{MIXATTN_ERROR_MEMORY,
                            "expected at most 64 CUDA contexts in the life of "
                            "a process, but got another"}));
  use(&fake->contexts[70]);
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->loads, 64);
}

TEST_F(Driver, OtherDevice) {
  for (Tensor *tensor : {&x, &y}) {
    tensor->tensor.device.device_id = 1;
    tensor->tensor.data = reinterpret_cast<void *>(kOther);
  }
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launches[0].context, &fake->contexts[1]);
}

TEST_F(Driver, Capture) {
  fake->is_capturing = 1;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "expected a call of mixattn_prepare_attend "
                              "before a call whose stream is captured"}));
  // Where the driver cannot tell of the stream, it refuses itself.
  fake->failing = "cuStreamIsCapturing";
  fake->error = 906;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the driver refused to load this artifact's code: "
                    "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED: operation not "
                    "permitted when stream is capturing"}));
  fake->failing = nullptr;
  EXPECT_EQ(prepare(0).sentence.substr(0, 18), "the driver refused");
  fake->is_capturing = 0;
  EXPECT_EQ(prepare(0), good);
  EXPECT_EQ(used(), nullptr);
  // Every kernel of every entry is there.
  EXPECT_EQ(fake->function_loads, 4);
  fake_cuda before = *fake;
  fake->is_capturing = 1;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launch_count, 3);
  EXPECT_EQ(fake->forbidden, 0);
  EXPECT_EQ(fake->loads, before.loads);
  EXPECT_EQ(fake->function_loads, before.function_loads);
  EXPECT_EQ(fake->retains, before.retains);
}

TEST_F(Driver, Threads) {
  std::vector<const DLTensor *> tensors = attendTensors();
  auto *entry =
      find<std::remove_pointer_t<mixattn_entry>>(artifact, "mixattn_attend");
  fake->is_slow = 1;
  std::atomic<int> waiting{4};
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      --waiting;
      while (waiting)
        std::this_thread::yield();
      for (int round = 0; round < 50; ++round)
        failures += entry(tensors.data(), 4, &call) != 0;
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(fake->launch_count, 400);
  EXPECT_EQ(fake->inits, 1);
  EXPECT_EQ(fake->loads, 1);
  EXPECT_EQ(fake->retains, 1);
}
