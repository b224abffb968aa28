// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code whose memory accesses a sanitizer watches.
#ifndef MIXATTN_LIB_TARGET_INSTRUMENT_H
#define MIXATTN_LIB_TARGET_INSTRUMENT_H

#include "lib/Runtime/Sanitizer.h"

namespace llvm {
class Module;
class TargetMachine;
} // namespace llvm

namespace mixattn {

/// Lets `sanitizer` watch every load and store of `code`, whose target is set
/// and which is optimised: what is gone by now is no access. A range of lanes
/// counts as one access; of masked lanes, those from the first that is on.
void instrument(llvm::Module &code, llvm::TargetMachine &generator,
                Sanitizer sanitizer);

} // namespace mixattn

#endif // MIXATTN_LIB_TARGET_INSTRUMENT_H
