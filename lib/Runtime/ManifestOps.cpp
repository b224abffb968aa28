// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op of a manifest by its name; the small ones are read here.
#include "lib/Runtime/ManifestParsers.h"

using namespace mixattn;

namespace {
/// Reads ops of few members.
class SmallOpParser : OpParser {
public:
  using OpParser::OpParser;
  StructuredPool structuredPool();
  Responsibilities responsibilities();
  PriorUpdate priorUpdate();
  OrthogonalPenalty orthogonalPenalty();
};
} // namespace

StructuredPool SmallOpParser::structuredPool() {
  StructuredPool pool;
  pool.value = argument(json, "value", Kind::Float, 4, 4);
  pool.band = optional("band", Kind::Float, 3, 3);
  pool.windows = optional("windows", Kind::Integer, 2, 2);
  if (!pool.band.empty()) {
    forbid({"windows"}, "band");
    int64_t width = staticSize(pool.band, 2);
    if (width % 2 == 0)
      json.complain(makeError("expected an odd width of '{}', but got {}",
                              pool.band, width));
  }
  requireColumns(pool.windows, 3);
  if (json.has("error_index") || json.has("error_value")) {
    pool.errorIndex = argument(json, "error_index", Kind::Integer, 2, 2);
    pool.errorValue = argument(json, "error_value", Kind::Float, 1, 1);
    requireColumns(pool.errorIndex, 3);
  }
  pool.rowNormalise = flag("row_normalise");
  pool.result = result("result", 4);
  requireDivisor(pool.value, staticSize(entry.result(pool.result), 1));
  return pool;
}

Responsibilities SmallOpParser::responsibilities() {
  Responsibilities shares;
  shares.query = argument(json, "query", Kind::Float, 4, 4);
  parseComponents(shares);
  checkVariances(shares, componentsOf(shares));
  requireDivisor(shares.key, staticSize(shares.query, 1));
  parseVisibility(shares);
  shares.result = result("result", 5);
  return shares;
}

PriorUpdate SmallOpParser::priorUpdate() {
  PriorUpdate update;
  update.responsibilities =
      argument(json, "responsibilities", Kind::Float, 5, 5);
  update.perKey = flag("per_key");
  update.result = result("result", update.perKey ? 3 : 2);
  return update;
}

OrthogonalPenalty SmallOpParser::orthogonalPenalty() {
  return {argument(json, "mixer", Kind::Float, 2, 2), result("result", 0)};
}

std::optional<Op> mixattn::parseOp(const JsonView &json, const Entry &entry) {
  if (!json.has("op"))
    return parseAttention(json, entry);
  std::string name = json["op"].text();
  if (name == "linear_attention")
    return parseLinearAttention(json, entry);
  SmallOpParser parser(json, entry);
  if (name == "structured_pool")
    return parser.structuredPool();
  if (name == "responsibilities")
    return parser.responsibilities();
  if (name == "prior_update")
    return parser.priorUpdate();
  if (name == "orthogonal_penalty")
    return parser.orthogonalPenalty();
  json["op"].complain(
      makeError("expected the name of an op, but got '{}'", name));
  return std::nullopt;
}
