// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// attn-bound-bands: lets bands reach no further than a GPU's indices add up.

#include "passes/Passes.h"

#include "dialect/attn/AttnOps.h"

namespace mixattn {
#define GEN_PASS_DEF_BOUNDBANDSPASS
#include "passes/Passes.h.inc"
} // namespace mixattn

using namespace mlir;
using namespace mixattn;

/// The farthest reach: it can be added to the position of each of as many keys,
/// with 32 bits.
static constexpr int64_t farthest = int64_t(1) << 30;

namespace {

struct BoundBandsPass : mixattn::impl::BoundBandsPassBase<BoundBandsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      for (StringRef name : {"band", "keep"})
        if (auto band = op->getAttrOfType<BandAttr>(name))
          op->setAttr(name,
                      BandAttr::get(op->getContext(),
                                    std::min(band.getLower(), farthest),
                                    std::min(band.getUpper(), farthest)));
    });
  }
};

} // namespace
