// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three ways to run an entry. Each compares the results with the formula, and
// ends the program where they differ too much.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_RUN_H
#define MIXATTN_EXAMPLES_CUDA_HOST_RUN_H

#include "call.h"

// One call on its stream.
void run_once(struct call *call);

// Records a call in a graph, and launches the graph with other values in the
// same tensors.
void run_graph(struct call *call);

// Two calls that do not wait for each other.
void run_together(struct call *first, struct call *second);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_RUN_H
