// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The scalar functions that names of elementwise arith and math ops stand for.
#ifndef MIXATTN_LIB_REFERENCE_OPERATIONS_H
#define MIXATTN_LIB_REFERENCE_OPERATIONS_H

#include <cstdint>
#include <string_view>
#include <variant>

namespace mixattn {

/// `value` cut to its low `width` bits and read as a signed number: the form in
/// which integers of every type are held.
int64_t signExtend(int64_t value, unsigned width);
/// `value` cut to its low `width` bits and read as an unsigned number.
uint64_t zeroExtend(int64_t value, unsigned width);

/// Two integers of `width` bits each; the caller wraps the value.
using IntegerBinary = int64_t (*)(int64_t, int64_t, unsigned width);

/// A function of floats or integers; which one says how to call it.
using Operation =
    std::variant<std::monostate, double (*)(double), double (*)(double, double),
                 double (*)(double, double, double), bool (*)(double),
                 int64_t (*)(int64_t), IntegerBinary>;

/// The function of that name, say `arith.addf`; monostate where there is none.
/// Casts, comparisons and `arith.select` are not among them.
Operation operationNamed(std::string_view name);

/// How two floats compare under a predicate of arith.cmpf.
using FloatPredicate = bool (*)(double, double);
/// How two integers compare under a predicate of arith.cmpi.
using IntegerPredicate = bool (*)(int64_t, int64_t);

/// The predicate of that name, say `ogt`; null where there is none.
FloatPredicate floatPredicateNamed(std::string_view name);
/// The predicate of that name, say `slt`; null where there is none.
IntegerPredicate integerPredicateNamed(std::string_view name);

} // namespace mixattn

#endif // MIXATTN_LIB_REFERENCE_OPERATIONS_H
