// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The launcher that GPU artifacts hold, as an object.
#include "lib/Target/Launcher.h"

#include "lib/Target/HeldObject.h"

MIXATTN_HELD_OBJECT(launcher, MIXATTN_LAUNCHER)

llvm::StringRef mixattn::getLauncherObject() { return launcher(); }
