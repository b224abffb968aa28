// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Streams, their capture, graphs and events. Work is done when it is submitted.
#include "State.h"

using namespace mixattn::emulator;

MIXATTN_CUDA_EXPORT CUresult cuStreamCreate(CUstream *stream, unsigned int) {
  MIXATTN_CUDA_ENTER(check());
  *stream = reinterpret_cast<CUstream>(create(state.streams));
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuStreamDestroy_v2(CUstream stream) {
  MIXATTN_CUDA_ENTER(check());
  return state.streams.erase(reinterpret_cast<Stream *>(stream))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

MIXATTN_CUDA_EXPORT CUresult cuStreamSynchronize(CUstream stream) {
  MIXATTN_CUDA_ENTER(check());
  Stream *found = state.find(stream);
  if (!found)
    return CUDA_ERROR_INVALID_HANDLE;
  return found->isCapturing ? CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED
                            : CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult
cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  MIXATTN_CUDA_ENTER(check());
  Stream *found = state.find(stream);
  if (!found || !status)
    return CUDA_ERROR_INVALID_HANDLE;
  *status = found->isCapturing ? CU_STREAM_CAPTURE_STATUS_ACTIVE
                               : CU_STREAM_CAPTURE_STATUS_NONE;
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuStreamBeginCapture_v2(CUstream stream, int) {
  MIXATTN_CUDA_ENTER(check());
  Stream *found = state.find(stream);
  // The legacy default stream cannot be captured.
  if (!found || found == &state.defaultStream || found->isCapturing)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  found->isCapturing = true;
  found->captured = {};
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuStreamEndCapture(CUstream stream,
                                                CUgraph *graph) {
  MIXATTN_CUDA_ENTER(check());
  Stream *found = state.find(stream);
  if (!found || !found->isCapturing)
    return CUDA_ERROR_INVALID_VALUE;
  found->isCapturing = false;
  *graph = reinterpret_cast<CUgraph>(
      create(state.graphs, std::move(found->captured)));
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuGraphInstantiateWithFlags(CUgraphExec *exec,
                                                         CUgraph graph,
                                                         unsigned long long) {
  MIXATTN_CUDA_ENTER(check());
  auto found = state.graphs.find(reinterpret_cast<Graph *>(graph));
  if (found == state.graphs.end())
    return CUDA_ERROR_INVALID_HANDLE;
  *exec = reinterpret_cast<CUgraphExec>(create(state.graphs, *found->second));
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuGraphInstantiate_v2(CUgraphExec *exec,
                                                   CUgraph graph, void *,
                                                   char *, size_t) {
  return cuGraphInstantiateWithFlags(exec, graph, 0);
}

MIXATTN_CUDA_EXPORT CUresult cuGraphLaunch(CUgraphExec exec, CUstream stream) {
  MIXATTN_CUDA_ENTER(check());
  auto found = state.graphs.find(reinterpret_cast<Graph *>(exec));
  if (found == state.graphs.end())
    return CUDA_ERROR_INVALID_HANDLE;
  for (const Work &work : found->second->work)
    if (CUresult error = state.submit(stream, work))
      return error;
  return CUDA_SUCCESS;
}

static CUresult destroyGraph(void *graph) {
  MIXATTN_CUDA_ENTER(check());
  return state.graphs.erase(static_cast<Graph *>(graph))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

MIXATTN_CUDA_EXPORT CUresult cuGraphDestroy(CUgraph graph) {
  return destroyGraph(graph);
}

MIXATTN_CUDA_EXPORT CUresult cuGraphExecDestroy(CUgraphExec exec) {
  return destroyGraph(exec);
}

MIXATTN_CUDA_EXPORT CUresult cuEventCreate(CUevent *event, unsigned int) {
  MIXATTN_CUDA_ENTER(check());
  *event = reinterpret_cast<CUevent>(create(state.events));
  return CUDA_SUCCESS;
}

MIXATTN_CUDA_EXPORT CUresult cuEventDestroy_v2(CUevent event) {
  MIXATTN_CUDA_ENTER(check());
  return state.events.erase(reinterpret_cast<Event *>(event))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

MIXATTN_CUDA_EXPORT CUresult cuEventRecord(CUevent event, CUstream stream) {
  MIXATTN_CUDA_ENTER(check());
  auto *found = reinterpret_cast<Event *>(event);
  if (!state.events.count(found))
    return CUDA_ERROR_INVALID_HANDLE;
  return state.submit(stream, [found] {
    found->time = std::chrono::steady_clock::now();
    return CUDA_SUCCESS;
  });
}

MIXATTN_CUDA_EXPORT CUresult cuEventSynchronize(CUevent event) {
  MIXATTN_CUDA_ENTER(checkNoCapture());
  return state.events.count(reinterpret_cast<Event *>(event))
             ? CUDA_SUCCESS
             : CUDA_ERROR_INVALID_HANDLE;
}

MIXATTN_CUDA_EXPORT CUresult cuEventElapsedTime(float *milliseconds,
                                                CUevent begin, CUevent end) {
  MIXATTN_CUDA_ENTER(check());
  auto *first = reinterpret_cast<Event *>(begin),
       *last = reinterpret_cast<Event *>(end);
  if (!state.events.count(first) || !state.events.count(last))
    return CUDA_ERROR_INVALID_HANDLE;
  // The time of the emulation, of no other use than to be above 0.
  *milliseconds =
      std::chrono::duration<float, std::milli>(last->time - first->time)
          .count();
  return CUDA_SUCCESS;
}
