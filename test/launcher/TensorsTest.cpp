// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that an entry can take, and its sentences about others.
#include "test/launcher/Fixture.h"

using Tensors = Launcher;

static void *at(uint64_t address) { return reinterpret_cast<void *>(address); }

TEST_F(Tensors, AreThere) {
  auto *entry =
      find<std::remove_pointer_t<mixattn_entry>>(artifact, "mixattn_attend");
  EXPECT_EQ(answer(entry(nullptr, 4, &call)),
            (Answer{MIXATTN_ERROR_COUNT, "expected tensors, but got NULL"}));
  EXPECT_EQ(answer(entry(nullptr, 3, &call)),
            (Answer{MIXATTN_ERROR_COUNT, "expected 4 tensors, but got 3"}));
  EXPECT_EQ(
      callEntry("mixattn_attend", {q.get(), nullptr, lengths.get(), o.get()}),
      (Answer{2, "argument 'k': expected a tensor, but got NULL"}));
}

TEST_F(Tensors, LieOnOneDevice) {
  q.tensor.device = {kDLCPU, 0};
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected a tensor in CUDA "
                                 "memory, but got DLPack device 1"}));
  q.tensor.device = {kDLCUDA, 0};
  o.tensor.device = {kDLCUDA, 1};
  EXPECT_EQ(attend(),
            (Answer{4, "result 'o': expected CUDA device 0 as in argument 'q', "
                       "but got CUDA device 1"}));
  EXPECT_EQ(fake->launch_count, 0);
}

TEST_F(Tensors, Types) {
  q.tensor.dtype = {kDLFloat, 16, 1};
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected bf16, but got DLPack "
                                 "type code 2 with 16 bits and 1 lanes"}));
  q.tensor.dtype = {kDLBfloat, 16, 4};
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected bf16, but got DLPack "
                                 "type code 4 with 16 bits and 4 lanes"}));
}

TEST_F(Tensors, Shapes) {
  q.tensor.ndim = 3;
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected rank 4, but got 3"}));
  q.tensor.ndim = 4;
  q.get();
  q.tensor.shape = nullptr;
  EXPECT_EQ(
      callEntry("mixattn_attend", {&q.tensor, k.get(), lengths.get(), o.get()}),
      (Answer{1, "argument 'q': expected a shape, but got NULL"}));
  q.shape[3] = 32;
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected dimension 3 to be 64, "
                                 "but got 32"}));
  q.shape[3] = 64;
  lengths.shape[0] = 3;
  EXPECT_EQ(attend(),
            (Answer{3, "argument 'lengths': expected dimension 'B' to be 2 as "
                       "in argument 'q', but got 3"}));
  lengths.shape[0] = 2;
  k.shape[2] = -1;
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected dimension 'S' to be 0 "
                                 "or more, but got -1"}));
  k.shape[2] = int64_t{1} << 31;
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected dimension 'S' to be "
                                 "at most 2147483647, but got 2147483648"}));
}

TEST_F(Tensors, Strides) {
  q.strides = {51200, 64, 512, 2};
  EXPECT_EQ(attend(),
            (Answer{1, "argument 'q': expected the innermost dimension to be "
                       "contiguous, but got a stride of 2"}));
  q.strides = {51200, -64, 512, 1};
  EXPECT_EQ(attend(), (Answer{1, "argument 'q': expected dimension 1 to have a "
                                 "stride of 0 or more, but got -64"}));
  q.strides = {51200, 64, 516, 1};
  EXPECT_EQ(attend(),
            (Answer{1, "argument 'q': expected dimension 2 to have a stride "
                       "that is a multiple of 8 elements, which are 16 bytes, "
                       "but got 516"}));
  q.strides = {0, 64, 512, 1};
  EXPECT_EQ(attend(), good);
  o.strides = {0, 6400, 64, 1};
  EXPECT_EQ(attend(), (Answer{4, "result 'o': expected dimension 0 to have a "
                                 "stride other than 0"}));
  // No row of `o` needs an alignment.
  o.strides = {51200 + 3, 6400, 64, 1};
  EXPECT_EQ(attend(), good);
}

TEST_F(Tensors, StridesThatStepNowhere) {
  q.shape = o.shape = {1, 8, 1, 64};
  k.shape = {1, 8, 30, 64};
  lengths.shape = {1};
  lengths.strides = {77};
  q.strides = {-5, 64, 3, 1};
  k.strides = {7, 1920, 64, 1};
  EXPECT_EQ(attend(), good);
  // Kernels get strides that rows may have, and the driver of maps, too.
  EXPECT_EQ(parameter(1, 2), 8);
  EXPECT_EQ(fake->maps[0].strides[0], 16u);
  EXPECT_EQ(fake->maps[0].strides[1], 128u);
  EXPECT_EQ(fake->maps[0].strides[2], 16u);
}

TEST_F(Tensors, Data) {
  k.tensor.data = nullptr;
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected data, but got NULL"}));
  k.tensor.data = at(kKey);
  k.tensor.byte_offset = 8;
  EXPECT_EQ(attend(),
            (Answer{2, "argument 'k': expected an address that is a multiple "
                       "of 16, but got one that is 8 above"}));
  k.tensor.data = at(kKey + 8);
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(parameter(0, 0), int64_t{kKey} + 16);
  lengths.tensor.byte_offset = 4;
  EXPECT_EQ(attend(),
            (Answer{3, "argument 'lengths': expected an address that is a "
                       "multiple of 8, but got one that is 4 above"}));
}

TEST_F(Tensors, Memory) {
  k.tensor.data = at(kHost);
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected memory of CUDA device "
                                 "0, but got host memory"}));
  k.tensor.data = at(kPinned);
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected memory of CUDA device "
                                 "0, but got host memory"}));
  k.tensor.data = at(kOther);
  EXPECT_EQ(attend(), (Answer{2, "argument 'k': expected memory of CUDA device "
                                 "0, but got memory of CUDA device 1"}));
  EXPECT_EQ(fake->launch_count, 0);
  EXPECT_EQ(used(), nullptr);
  k.tensor.data = at(kManaged);
  EXPECT_EQ(attend(), good);
  k.tensor.device.device_type = kDLCUDAManaged;
  EXPECT_EQ(attend(), good);
}

TEST_F(Tensors, WithoutElements) {
  // No keys: their data and strides are not looked at.
  k.shape[2] = 0;
  k.tensor.data = nullptr;
  k.strides = {-1, 3, 5, 7};
  call.workspace = nullptr;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->launch_count, 2);
  EXPECT_EQ(parameter(1, 3, 4), 8);
  // The map of the terms of no keys is all 0, and no one is asked for it: only
  // for that of queries, before the launches and for its own.
  EXPECT_EQ(fake->map_count, 2);
  EXPECT_EQ(parameter(1, 9), 0);
  // No queries: the second launch has no blocks.
  q.shape[2] = o.shape[2] = 0;
  q.tensor.data = o.tensor.data = nullptr;
  EXPECT_EQ(attend(), good);
  EXPECT_EQ(fake->launch_count, 3);
  EXPECT_EQ(std::string(fake->launches[2].kernel), "terms");
}

TEST_F(Tensors, RulesOfSizes) {
  int64_t n = 3, b = 3, m = 9;
  auto tensor = [&](int64_t *size) {
    DLTensor made = x.tensor;
    made.shape = size;
    made.strides = nullptr;
    return made;
  };
  x.get();
  DLTensor first = tensor(&n), second = tensor(&b), third = tensor(&m);
  auto grow = [&] {
    return callEntry("mixattn_grow", {&first, &second, &third});
  };
  EXPECT_EQ(grow(), (Answer{0, ""}));
  m = 7;
  EXPECT_EQ(grow(), (Answer{3, "result 'y': expected dimension 'M' to be 9, as "
                               "other dimensions tell, but got 7"}));
  n = 1;
  EXPECT_EQ(grow(), (Answer{1, "argument 'x': expected dimension 'N' to be 2 "
                               "or more, but got 1"}));
  n = 1001;
  EXPECT_EQ(grow(), (Answer{1, "argument 'x': expected dimension 'N' to be at "
                               "most 1000, but got 1001"}));
  n = 4;
  EXPECT_EQ(grow(), (Answer{1, "argument 'x': expected dimension 'N' to be a "
                               "multiple of 2 plus 1, but got 4"}));
  n = 99;
  EXPECT_EQ(grow(), (Answer{1, "argument 'x': expected dimension 'C' to be at "
                               "most 40, but got 49"}));
  n = 9;
  b = 2;
  EXPECT_EQ(grow(), (Answer{2, "argument 'z': expected dimension 'B' to be a "
                               "multiple of 3, but got 2"}));
  b = INT64_MAX / 4 - 1;
  EXPECT_EQ(grow(),
            (Answer{3, "result 'y': expected dimension 'M', which other "
                       "dimensions tell, to be less than 2^63"}));
}

TEST_F(Tensors, FarRows) {
  // Rows of 2^60 elements of 4 bytes are as far apart as strides may say.
  Tensor far(kOutput, kDLFloat, 32, {2, 1 << 30, 1 << 30, 1});
  auto fill = [&] { return callEntry("mixattn_fill", {far.get()}); };
  EXPECT_EQ(fill(), good);
  far.shape[3] = 2;
  Answer isFar = {1, "result 'y': expected dimension 0 to have a stride of "
                     "less than 2^63 bytes"};
  EXPECT_EQ(fill(), isFar);
  // The product is 2^90: 64 bits would have 0.
  far.shape[3] = 1 << 30;
  EXPECT_EQ(fill(), isFar);
  // Who gives strides is not asked what rows take.
  far.strides = {int64_t{1} << 40, 1 << 20, 4, 1};
  EXPECT_EQ(fill(), good);
  // One row steps nowhere, and what has no elements neither.
  far.strides.clear();
  far.shape[0] = 1;
  EXPECT_EQ(fill(), good);
  far.shape = {2, 1 << 30, 1 << 30, 0};
  EXPECT_EQ(fill(), good);
}
