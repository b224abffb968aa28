// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One call, a graph, two streams.
#include "run.h"

#include "attention.h"
#include "fail.h"

#include <stdio.h>

static void compare(const struct call *call, const char *way) {
  // Weights and result are rounded to bf16, each by at most 2^-8 of itself, and
  // no value is above 1.
  const double limit = 0x1p-7;
  double error = attention_error(call->entry, call->data);
  if (error > limit)
    fail("%s: expected an error of at most %.1e, but got %.1e", way, limit,
         error);
  printf("%s: error %.1e of at most %.1e\n", way, error, limit);
}

void run_once(struct call *call) {
  call_fill(call);
  call_launch(call);
  call_finish(call);
  compare(call, "one call");
}

void run_graph(struct call *call) {
  const struct driver *driver = call->driver;
  CUgraph graph;
  CUgraphExec executable;
  // Until the capture ends, launches are recorded and do not run. The graph
  // keeps their parameters: the addresses of the tensors and the workspace.
  driver_check(driver,
               driver->cuStreamBeginCapture_v2(call->stream,
                                               CU_STREAM_CAPTURE_MODE_GLOBAL),
               "to begin a capture");
  call_launch(call);
  driver_check(driver, driver->cuStreamEndCapture(call->stream, &graph),
               "to end a capture");
  driver_check(driver,
               driver->cuGraphInstantiateWithFlags(&executable, graph, 0),
               "a graph");

  call_fill(call);
  driver_check(driver, driver->cuGraphLaunch(executable, call->stream),
               "to launch a graph");
  call_finish(call);
  compare(call, "a graph");
  driver->cuGraphExecDestroy(executable);
  driver->cuGraphDestroy(graph);
}

void run_together(struct call *first, struct call *second) {
  call_fill(first);
  call_fill(second);
  call_launch(first);
  call_launch(second);
  call_finish(first);
  call_finish(second);
  compare(first, "the first of two streams");
  compare(second, "the second of two streams");
}
