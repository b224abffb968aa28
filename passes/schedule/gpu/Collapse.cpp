// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Components of which one power of 2 serves all.

#include "passes/schedule/gpu/Collapse.h"

#include "passes/body/Body.h"
#include "passes/body/References.h"
#include "passes/schedule/gpu/FragmentBody.h"
#include "passes/schedule/gpu/HeadGroup.h"

#include <cmath>

using namespace mlir;
using namespace mixattn;

/// Registers of a thread that factors take in addition: on sm_90a ptxas spills
/// with 96 features and 64 keys (test/emulator/rows.py).
static constexpr int64_t moreRegisters = 40;

std::optional<Collapse> Collapse::of(AttentionOpInterface op) {
  // Heads whose weights mix are weighed one after the other, in two passes.
  if (!Body::collapses(op) || op.hasPostmix() ||
      !HeadGroup(op).hasRoomFor(moreRegisters))
    return std::nullopt;
  if (!op.getValueType().getElementType().isF16())
    return Collapse{/*spread=*/64, /*headroom=*/0, mixattn::slack};
  if (op.getNumComponents() > 7)
    return std::nullopt;
  return Collapse{/*spread=*/10, /*headroom=*/10, /*slack=*/3};
}

FragmentBody::Exponents FragmentBody::emitCollapsed(int64_t g, Value firstKey,
                                                    ValueRange products) {
  Values both =
      emitMap(g, firstKey, products.front(), 2,
              [&](const ScorePlace &place, Value, ValueRange elements) {
                Body::Collapsed own = body.emitCollapsed(
                    b, emitScaledProduct(elements[0]), place);
                return Values{own.exponent, own.factor};
              });
  return {{both[0]}, both[1]};
}

Value FragmentBody::emitAreApart() {
  auto generic = dyn_cast<GenericOp>(op.getOperation());
  if (!generic || !generic.getQueryFactors())
    return {};
  // Of the smallest fragment every lane has its two rows.
  constexpr int64_t fewest = 8;
  Value less =
      emitMap(0, at.value(0), constant(fragment(fewest), 0), 1,
              [&](const ScorePlace &place, Value, ValueRange) {
                Value least;
                for (int64_t r = 1; r <= op.getNumComponents(); ++r) {
                  Value own = buffers.emitRead(
                      b, b.getLoc(), generic.getQueryFactors(),
                      {place.b, place.h, at.value(r), place.i});
                  least =
                      least
                          ? arith::MinNumFOp::create(b, least, own).getResult()
                          : own;
                }
                return Values{arith::NegFOp::create(b, least)};
              })
          .front();
  Collapse collapse = *Collapse::of(op);
  Value bound = constant(
      rows(), -std::ldexp(1.0, int(collapse.headroom - collapse.spread)));
  return tile::AnyOp::create(
      b, arith::CmpFOp::create(b, arith::CmpFPredicate::OGT,
                               tile::RowMaxOp::create(b, less), bound));
}
