// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that are removed when the process is interrupted.
#ifndef MIXATTN_LIB_RUNTIME_TEMPORARYFILES_H
#define MIXATTN_LIB_RUNTIME_TEMPORARYFILES_H

#include <string>

namespace mixattn {

/// Removes the file when SIGHUP, SIGINT, SIGQUIT or SIGTERM ends the process,
/// which then ends as it would have.
void removeOnInterrupt(const std::string &path);

/// Removes all such files now: for handlers of other signals. Takes no lock and
/// allocates nothing.
void removeTemporaryFiles();

/// Lets the file be: it is gone, or has another name.
void keepOnInterrupt(const std::string &path);

} // namespace mixattn

#endif // MIXATTN_LIB_RUNTIME_TEMPORARYFILES_H
