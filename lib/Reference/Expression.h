// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Evaluates a score_mod from the manifest, in double precision.
#ifndef MIXATTN_LIB_REFERENCE_EXPRESSION_H
#define MIXATTN_LIB_REFERENCE_EXPRESSION_H

#include "lib/Runtime/Manifest.h"
#include "lib/Runtime/Tensor.h"
#include <functional>
#include <map>
#include <string>

namespace mixattn {

/// One score and where it stands: batch, head, query and key position.
struct ScorePoint {
  double score;
  int64_t b, h, i, j;
};

/// Turns one score into another.
using ScoreMod = std::function<double(const ScorePoint &)>;

/// Makes a function of an expression. `arguments` holds the entry's arguments
/// by name and must outlive the function. Floats are doubles whatever their
/// type; integers wrap at the width of theirs, index being 64 bits wide. What
/// MLIR leaves undefined is zero: a division by zero, a shift by the width or
/// more, a float that no integer can hold; an element outside its tensor is
/// NaN. Errors: an unknown op or predicate, a wrong count of operands, an
/// argument that is not there.
Result<ScoreMod>
compileScoreMod(const Expression &expression,
                const std::map<std::string, const Tensor *> &arguments);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_EXPRESSION_H
