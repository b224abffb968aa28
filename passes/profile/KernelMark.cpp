// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks in locations, as metadata of fused ones.

#include "passes/profile/KernelMark.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;
using namespace mixattn;

static constexpr llvm::StringLiteral numberName = "attn.kernel",
                                     stageName = "attn.stage";

/// The mark that `loc` itself is.
static std::optional<KernelMark> readMark(Location loc) {
  auto fused = dyn_cast<FusedLoc>(loc);
  auto metadata = fused
                      ? dyn_cast_if_present<DictionaryAttr>(fused.getMetadata())
                      : DictionaryAttr();
  auto number =
      metadata ? metadata.getAs<IntegerAttr>(numberName) : IntegerAttr();
  if (!number || number.getInt() < 0)
    return std::nullopt;
  auto stage = metadata.getAs<StringAttr>(stageName);
  return KernelMark{number.getInt(), stage ? stage.str() : ""};
}

std::optional<KernelMark> mixattn::findMark(Location loc) {
  std::optional<KernelMark> found;
  loc->walk([&](Location part) {
    found = readMark(part);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  return found;
}

Location mixattn::withMark(Location loc, const KernelMark &mark) {
  Builder b(loc.getContext());
  NamedAttrList metadata;
  metadata.append(numberName, b.getI64IntegerAttr(mark.number));
  if (!mark.stage.empty())
    metadata.append(stageName, b.getStringAttr(mark.stage));
  SmallVector<Location> places = {loc};
  if (readMark(loc))
    places.assign(cast<FusedLoc>(loc).getLocations().begin(),
                  cast<FusedLoc>(loc).getLocations().end());
  return FusedLoc::get(loc.getContext(), places,
                       metadata.getDictionary(loc.getContext()));
}

Location mixattn::withStage(Location loc, StringRef stage) {
  std::optional<KernelMark> mark = findMark(loc);
  return mark ? withMark(loc, {mark->number, stage.str()}) : loc;
}

/// Puts the places of `loc` behind those in `places`.
static void addPlaces(Location loc, std::vector<std::string> &places) {
  if (auto call = dyn_cast<CallSiteLoc>(loc)) {
    addPlaces(call.getCallee(), places);
    addPlaces(call.getCaller(), places);
  } else if (auto file = dyn_cast<FileLineColLoc>(loc)) {
    places.push_back(file.getFilename().str() + ":" +
                     std::to_string(file.getLine()) + ":" +
                     std::to_string(file.getColumn()));
  } else if (auto named = dyn_cast<NameLoc>(loc)) {
    addPlaces(named.getChildLoc(), places);
  } else if (auto fused = dyn_cast<FusedLoc>(loc)) {
    // Of several ops the first one stands for all.
    for (Location each : fused.getLocations()) {
      size_t before = places.size();
      addPlaces(each, places);
      if (places.size() != before)
        return;
    }
  }
}

std::vector<std::string> mixattn::listPlaces(Location loc) {
  std::vector<std::string> places;
  addPlaces(loc, places);
  return places;
}
