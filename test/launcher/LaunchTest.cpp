// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of kernels, and launches that cannot be.
#include "test/launcher/Fixture.h"

using Launch = Launcher;

static std::vector<uint64_t> of(const uint64_t *numbers, int count) {
  return {numbers, numbers + count};
}

TEST_F(Launch, InOrder) {
  call.stream = reinterpret_cast<void *>(0x77);
  ASSERT_EQ(attend(), good);
  ASSERT_EQ(fake->launch_count, 2);
  const fake_launch &terms = fake->launches[0], &main = fake->launches[1];
  EXPECT_EQ(std::string(terms.kernel), "terms");
  EXPECT_EQ(terms.grid[0], 2u);
  EXPECT_EQ(terms.block[0], 128u);
  EXPECT_EQ(terms.shared, 0u);
  EXPECT_EQ(parameter(0, 0), int64_t{kKey});
  EXPECT_EQ(parameter(0, 1), int64_t{kWorkspace});
  EXPECT_EQ(parameter(0, 2, 4), 30);
  EXPECT_EQ(std::string(main.kernel), "attend");
  EXPECT_EQ(main.grid[0], 2u);
  EXPECT_EQ(main.grid[1], 16u);
  EXPECT_EQ(main.grid[2], 1u);
  EXPECT_EQ(main.block[0], 384u);
  EXPECT_EQ(main.cluster[0], 0u);
  EXPECT_EQ(main.shared, 30u * 64);
  EXPECT_EQ(main.stream, call.stream);
}

TEST_F(Launch, Parameters) {
  k.strides = {15360, 64, 512, 1};
  call.status = reinterpret_cast<uint32_t *>(kStatus);
  ASSERT_EQ(attend(), good);
  EXPECT_EQ(fake->launches[1].parameters[0][0] & 0xF0, 0xA0);
  EXPECT_EQ(parameter(1, 1), int64_t{kKey});
  EXPECT_EQ(parameter(1, 2), 15360);
  EXPECT_EQ(parameter(1, 3, 4), 512);
  EXPECT_EQ(parameter(1, 4, 4), 30 - 100);
  EXPECT_EQ(parameter(1, 5), 2 * 30 * 1024);
  EXPECT_EQ(parameter(1, 6), int64_t{kWorkspace} + 30 * 64);
  EXPECT_EQ(parameter(1, 7), int64_t{kStatus});
  EXPECT_EQ(parameter(1, 8), int64_t{kOutput});
  EXPECT_NE(parameter(1, 9, 4), parameter(1, 0, 4));
}

TEST_F(Launch, TensorMaps) {
  // Queries as they lie in [B, N, H, D].
  q.strides = {51200, 64, 512, 1};
  q.tensor.byte_offset = 32;
  ASSERT_EQ(attend(), good);
  // The launch after the first is made twice: before anything is launched,
  // and for itself.
  ASSERT_EQ(fake->map_count, 4);
  EXPECT_EQ(fake->launches[1].parameters[0][0], 0xA2);
  EXPECT_EQ(fake->launches[1].parameters[9][0], 0xA3);
  const fake_map &queries = fake->maps[2], &terms = fake->maps[3];
  EXPECT_EQ(queries.type, 9);
  EXPECT_EQ(queries.rank, 4);
  EXPECT_EQ(queries.address, kQuery + 32);
  EXPECT_EQ(of(queries.dims, 4), (std::vector<uint64_t>{64, 100, 8, 2}));
  EXPECT_EQ(of(queries.strides, 3), (std::vector<uint64_t>{1024, 128, 102400}));
  EXPECT_EQ(queries.box[0], 64u);
  EXPECT_EQ(queries.box[1], 128u);
  EXPECT_EQ(queries.element_strides[3], 1u);
  EXPECT_EQ(queries.swizzle, 3);
  EXPECT_EQ(queries.promotion, 3);
  EXPECT_EQ(queries.interleave, 0);
  EXPECT_EQ(queries.fill, 0);
  EXPECT_EQ(terms.type, 7);
  EXPECT_EQ(terms.rank, 2);
  EXPECT_EQ(terms.address, kWorkspace + 30 * 64);
  EXPECT_EQ(of(terms.dims, 2), (std::vector<uint64_t>{30, 2}));
  EXPECT_EQ(terms.strides[0], 1024u);
  EXPECT_EQ(terms.swizzle, 0);
  EXPECT_EQ(terms.promotion, 0);
}

TEST_F(Launch, RefusedTensorMaps) {
  fake->failing = "cuTensorMapEncodeTiled";
  fake->error = 1;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the driver refused attend a tensor map of argument 'q': "
                    "CUDA_ERROR_INVALID_VALUE: invalid argument"}));
  EXPECT_EQ(fake->launch_count, 0);
  fake->failing = nullptr;
  fake->refused_rank = 2;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the driver refused attend a tensor map of the workspace: "
                    "CUDA_ERROR_INVALID_VALUE: invalid argument"}));
  EXPECT_EQ(fake->launch_count, 0);
}

TEST_F(Launch, NumbersOutOfRange) {
  x.shape[0] = y.shape[0] = 5;
  EXPECT_EQ(shift(), (Answer{MIXATTN_ERROR_LAUNCH, "the launch of copy would "
                                                   "take a number that is out "
                                                   "of range"}));
  q.strides = {int64_t{1} << 62, 6400, 64, 1};
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the launch of attend would take a number that "
                              "is out of range"}));
  // The stride of a dim of size 1 is no number for a map.
  q.shape[0] = k.shape[0] = lengths.shape[0] = o.shape[0] = 1;
  EXPECT_EQ(attend(), good);
  fake->launch_count = 0;
  q.strides.clear();
  k.strides = {15360, 1920, int64_t{1} << 31, 1};
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the launch of attend would take a number that "
                              "is out of range"}));
  EXPECT_EQ(fake->launch_count, 0);
}

TEST_F(Launch, Clusters) {
  ASSERT_EQ(copy(), good);
  const fake_launch &launch = fake->launches[0];
  EXPECT_EQ(launch.grid[0], 20u);
  EXPECT_EQ(launch.block[1], 2u);
  EXPECT_EQ(launch.cluster[0], 2u);
  EXPECT_EQ(launch.cluster[1], 1u);
  EXPECT_EQ(parameter(0, 1), int64_t{kOutput});
  x.shape[0] = y.shape[0] = 0;
  x.tensor.data = y.tensor.data = nullptr;
  EXPECT_EQ(copy(), good);
  EXPECT_EQ(fake->launch_count, 1);
}

TEST_F(Launch, Grid) {
  q.shape[0] = k.shape[0] = lengths.shape[0] = o.shape[0] = 9000;
  k.shape[2] = 0;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the launch of attend would take a grid of 2 x 72000 x 1 "
                    "blocks, more than the driver takes (B = 9000, N = 100, S "
                    "= 0)"}));
  EXPECT_EQ(fake->launch_count, 0);
  x.shape[0] = y.shape[0] = INT32_MAX;
  EXPECT_EQ(copy(), (Answer{MIXATTN_ERROR_LAUNCH,
                            "the launch of copy would take a grid of "
                            "4294967294 x 1 x 1 blocks, more than the driver "
                            "takes (N = 2147483647)"}));
}

TEST_F(Launch, SharedMemory) {
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->dynamic_shared, 166912 - 1024);
  k.shape[2] = 2592;
  call.workspace_bytes = 1 << 30;
  EXPECT_EQ(attend(), good);
  k.shape[2] = 2593;
  EXPECT_EQ(attend(), (Answer{MIXATTN_ERROR_LAUNCH,
                              "the launch of attend would take 165952 bytes of "
                              "shared memory, more than the 165888 that CUDA "
                              "device 0 has"}));
  EXPECT_EQ(fake->launch_count, 4);
}

TEST_F(Launch, Refused) {
  fake->failing = "cuLaunchKernel";
  fake->error = 719;
  EXPECT_EQ(attend(),
            (Answer{MIXATTN_ERROR_LAUNCH,
                    "the driver refused terms: CUDA_ERROR_LAUNCH_FAILED: "
                    "unspecified launch failure"}));
  fake->error = 12345;
  EXPECT_EQ(copy(), (Answer{MIXATTN_ERROR_LAUNCH,
                            "the driver refused copy: CUDA error 12345"}));
}
