// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generated half of the ops.

#include "dialect/attn/AttnLinearOps.h"

using namespace mlir;
using namespace mixattn;

#define GET_OP_CLASSES
#include "dialect/attn/AttnOps.cpp.inc"
