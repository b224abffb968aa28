// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The element types of tensors, and exact conversions of the 16-bit floats.
#ifndef MIXATTN_LIB_RUNTIME_DTYPE_H
#define MIXATTN_LIB_RUNTIME_DTYPE_H

#include "lib/Runtime/abi.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace mixattn {

/// Element types, named as in the manifest. I1 is a byte that is 0 or 1.
enum class DType { F16, BF16, F32, F64, I1, I8, I16, I32, I64 };

/// The name in a manifest: `f16 bf16 f32 f64 i1 i8 i16 i32 i64`.
std::string_view nameOf(DType dtype);
/// The type of that name, if there is one.
std::optional<DType> dtypeNamed(std::string_view name);
/// Bytes of one element.
size_t bytesOf(DType dtype);
/// Whether it is one of the four floating point types.
bool isFloat(DType dtype);
/// The type as DLPack describes it.
DLDataType dlpackType(DType dtype);

/// The value of an IEEE binary16, exactly.
double halfToDouble(uint16_t bits);
/// The nearest binary16, ties to even; too large becomes infinite.
uint16_t doubleToHalf(double value);
/// The value of a bfloat16, exactly.
double bfloatToDouble(uint16_t bits);
/// The nearest bfloat16, ties to even; too large becomes infinite.
uint16_t doubleToBfloat(double value);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_DTYPE_H
