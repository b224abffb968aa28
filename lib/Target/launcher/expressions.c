// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes that depend on dims.

#include "lib/Target/launcher/launcher.h"

// Applies `operation` to two values; false where 64 bits do not hold the
// result.
static bool combine(int64_t operation, int64_t left, int64_t right,
                    int64_t *result) {
  switch (operation) {
  case MIXATTN_STEP_ADD:
    return !__builtin_add_overflow(left, right, result);
  case MIXATTN_STEP_SUBTRACT:
    return !__builtin_sub_overflow(left, right, result);
  case MIXATTN_STEP_MULTIPLY:
    return !__builtin_mul_overflow(left, right, result);
  case MIXATTN_STEP_DIVIDE:
  case MIXATTN_STEP_REMAINDER:
    if (left < 0 || right <= 0)
      return false;
    *result = operation == MIXATTN_STEP_DIVIDE ? left / right : left % right;
    return true;
  case MIXATTN_STEP_MINIMUM:
    *result = left < right ? left : right;
    return true;
  case MIXATTN_STEP_MAXIMUM:
    *result = left > right ? left : right;
    return true;
  case MIXATTN_STEP_ABOVE:
    *result = left > right;
    return true;
  case MIXATTN_STEP_AT_MOST:
    *result = left <= right;
    return true;
  default:
    return false;
  }
}

// The value of a step that takes none.
static int64_t operand(const struct mixattn_request *request,
                       const struct mixattn_step *step) {
  if (step->operation == MIXATTN_STEP_DIM)
    return request->dims[step->value];
  if (step->operation == MIXATTN_STEP_MULTIPROCESSORS)
    return request->multiprocessors;
  return step->value;
}

bool mixattn_evaluate(const struct mixattn_request *request,
                      struct mixattn_expression expression, int64_t *value) {
  int64_t stack[MIXATTN_MOST_OPERANDS];
  int64_t depth = 0;
  for (int64_t i = 0; i < expression.count; ++i) {
    const struct mixattn_step *step = &expression.steps[i];
    if (step->operation <= MIXATTN_STEP_MULTIPROCESSORS) {
      if (depth == MIXATTN_MOST_OPERANDS)
        return false;
      stack[depth++] = operand(request, step);
      continue;
    }
    if (depth < 2)
      return false;
    --depth;
    if (!combine(step->operation, stack[depth - 1], stack[depth],
                 &stack[depth - 1]))
      return false;
  }
  *value = depth == 0 ? 0 : stack[depth - 1];
  return true;
}
