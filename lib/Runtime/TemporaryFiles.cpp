// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list of files that a signal handler can read at any time.
#include "lib/Runtime/TemporaryFiles.h"
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <unistd.h>

using namespace mixattn;

namespace {
/// A file, or nothing where `path` is null. Nodes are never freed.
struct Node {
  std::atomic<char *> path;
  Node *next;
};
} // namespace

static std::atomic<Node *> files;

static constexpr int interrupts[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM};
static struct sigaction before[sizeof(interrupts) / sizeof(int)];

void mixattn::removeTemporaryFiles() {
  for (Node *node = files.load(); node; node = node->next)
    if (char *path = node->path.exchange(nullptr))
      unlink(path);
}

/// Takes no lock and allocates nothing.
static void onInterrupt(int signal) {
  removeTemporaryFiles();
  // The signal's own effect follows once this handler returns.
  for (size_t i = 0; i < std::size(interrupts); ++i)
    if (interrupts[i] == signal)
      sigaction(signal, &before[i], nullptr);
  raise(signal);
}

static bool installHandlers() {
  struct sigaction action = {};
  action.sa_handler = onInterrupt;
  for (size_t i = 0; i < std::size(interrupts); ++i) {
    sigaction(interrupts[i], nullptr, &before[i]);
    // A signal that is ignored, as under nohup, does not end the process.
    if (before[i].sa_handler != SIG_IGN)
      sigaction(interrupts[i], &action, nullptr);
  }
  return true;
}

void mixattn::removeOnInterrupt(const std::string &path) {
  [[maybe_unused]] static bool once = installHandlers();
  Node *node = new Node{{strdup(path.c_str())}, files.load()};
  while (!files.compare_exchange_weak(node->next, node))
    continue;
}

void mixattn::keepOnInterrupt(const std::string &path) {
  for (Node *node = files.load(); node; node = node->next) {
    char *known = node->path.load();
    if (known && path == known &&
        node->path.compare_exchange_strong(known, nullptr))
      free(known);
  }
}
