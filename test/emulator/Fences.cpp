// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// PTX ISA, membar and fence.
#include "Lanes.h"

using namespace mixattn::emulator;

/// Order among generic accesses is that of barriers and mbarriers here; a fence
/// alone gives no other warp an order.
static Outcome fence(Warp &, const Instruction &, uint32_t) {
  return Outcome::Next;
}

/// fence.proxy.async: generic writes that the warp knows of reach the
/// asynchronous proxy.
static Outcome fenceProxy(Warp &warp, const Instruction &, uint32_t) {
  warp.knowledge.async.join(warp.knowledge.generic);
  warp.advance();
  return Outcome::Next;
}

/// fence.proxy.tensormap: copies read a tensor map when they are issued; that
/// order is the one of barriers here.
static void decodeTensorMapFence(Decoder &d) {
  bool acquires = d.expectOneOf({"release", "acquire"}) == 1;
  d.expectOneOf({"cta", "cluster", "gpu", "sys"});
  d.expectOperands(acquires ? 2 : 0, acquires ? 2 : 0);
  if (!acquires)
    return;
  d.address(d.operand(0), 0, 0);
  require(d.number(d.operand(1)) == 128, "expected 128 bytes");
}

static void decodeFence(Decoder &d) {
  d.result.execute = fence;
  bool isProxy = d.take("proxy");
  if (isProxy && d.take("tensormap::generic"))
    return decodeTensorMapFence(d);
  d.expectOperands(0, 0);
  if (isProxy) {
    int kind = d.expectOneOf({"async", "async::generic", "alias"});
    require(kind != 2, "fence.proxy.alias is not emulated");
    if (kind == 1) {
      d.expectOneOf({"acquire", "release"});
      d.expect("sync_restrict::shared::cluster");
      d.expect("cluster");
    } else {
      // Global memory alone: no fence for shared memory, and no kernel known
      // needs one for global memory.
      if (d.takeOneOf({"global", "shared::cta", "shared::cluster"}) == 0)
        return;
    }
    d.result.execute = fenceProxy;
    return;
  }
  if (d.take("mbarrier_init")) {
    d.expect("release");
    d.expect("cluster");
    return;
  }
  d.takeOneOf({"acq_rel", "sc", "acquire", "release"});
  d.expectOneOf({"cta", "cluster", "gpu", "sys"});
}

static void decodeMembar(Decoder &d) {
  d.expectOneOf({"cta", "gl", "gpu", "sys"});
  d.expectOperands(0, 0);
  d.result.execute = fence;
}

void mixattn::emulator::addFenceRules(RuleTable &rules) {
  rules["fence"] = decodeFence;
  rules["membar"] = decodeMembar;
}
