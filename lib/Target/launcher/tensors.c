// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of an entry's tensors: the sentences are those of entries
// for x86 (passes/entry/EntryChecks.cpp).

#include "lib/Target/launcher/launcher.h"

static const struct mixattn_tensor_row *
row_of(const struct mixattn_request *request, int64_t tensor) {
  return &request->entry->tensors[tensor];
}

bool mixattn_is_empty(const struct mixattn_request *request, int64_t tensor) {
  // Not by the product of the sizes, which may be 0 modulo 2^64.
  const int64_t *shape = request->tensors[tensor]->shape;
  for (int32_t dim = 0; dim < row_of(request, tensor)->rank; ++dim)
    if (shape[dim] == 0)
      return true;
  return false;
}

uint64_t mixattn_address_of(const struct mixattn_request *request,
                            int64_t tensor) {
  const DLTensor *given = request->tensors[tensor];
  return (uint64_t)(uintptr_t)given->data + given->byte_offset;
}

// Bytes that divide addresses and strides of the tensor's rows.
static int64_t alignment_of(const struct mixattn_tensor_row *row) {
  int64_t bytes = row->bits / 8;
  return row->row_alignment > bytes ? row->row_alignment : bytes;
}

// Finds the stride that the caller gave of a dim, in elements: false where rows
// that follow one another are 2^63 bytes or more apart.
static bool find_given_stride(const DLTensor *given, int32_t dim, int64_t bytes,
                              int64_t *stride) {
  if (given->strides) {
    *stride = given->strides[dim];
    return true;
  }
  int64_t in_bytes;
  *stride = 1;
  for (int32_t inner = given->ndim - 1; inner > dim; --inner)
    if (__builtin_mul_overflow(*stride, given->shape[inner], stride))
      return false;
  return !__builtin_mul_overflow(*stride, bytes, &in_bytes);
}

int64_t mixattn_stride_of(const struct mixattn_request *request, int64_t tensor,
                          int32_t dim) {
  const DLTensor *given = request->tensors[tensor];
  const struct mixattn_tensor_row *row = row_of(request, tensor);
  if (dim == row->rank - 1)
    return 1;
  // Nothing steps there, and the caller may have left anything.
  int64_t bytes = row->bits / 8, stride = 0;
  if (given->shape[dim] <= 1 || mixattn_is_empty(request, tensor))
    return alignment_of(row) / bytes;
  find_given_stride(given, dim, bytes, &stride);
  return stride;
}

// The first tensor that has the entry's dim of that number, or the one that
// tells it: there is one.
static int64_t owner_of(const struct mixattn_request *request, int64_t dim) {
  if (request->entry->dims[dim].factor)
    dim = request->entry->dims[dim].told_by;
  for (int64_t tensor = 0;; ++tensor) {
    const struct mixattn_tensor_row *row = row_of(request, tensor);
    for (int32_t i = 0; i < row->rank; ++i)
      if (row->shape[i] == -1 - dim)
        return tensor;
  }
}

static int32_t check_named_dim(struct mixattn_request *request, int64_t tensor,
                               int64_t dim, int64_t size);

// The dims that dim `by` tells have a size.
static int32_t check_told_dims(struct mixattn_request *request, int64_t tensor,
                               int64_t by, int64_t size) {
  int32_t code = 0;
  for (int64_t dim = 0; !code && dim < request->entry->dim_count; ++dim) {
    const struct mixattn_dim_row *row = &request->entry->dims[dim];
    if (row->factor == 0 || row->told_by != by)
      continue;
    const char *name = request->entry->dims[by].name;
    long long factor = (long long)row->factor;
    long long over = ((long long)row->offset % factor + factor) % factor;
    int64_t multiple = size - row->offset;
    if (multiple % row->factor != 0 && over != 0)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension '%s' to be a multiple of %lld plus %lld, but got "
          "%lld",
          name, factor, over, (long long)size);
    if (multiple % row->factor != 0)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension '%s' to be a multiple of %lld, but got %lld",
          name, factor, (long long)size);
    code = check_named_dim(request, tensor, dim, multiple / row->factor);
  }
  return code;
}

// A dim that has a name takes its size from the first tensor that has it.
static int32_t check_named_dim(struct mixattn_request *request, int64_t tensor,
                               int64_t dim, int64_t size) {
  const struct mixattn_dim_row *row = &request->entry->dims[dim];
  const char *name = row->name;
  int64_t *known = &request->dims[dim];
  if (*known < 0) {
    if (size < row->least)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension '%s' to be %lld or more, but got %lld", name,
          (long long)row->least, (long long)size);
    if (size > row->most)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension '%s' to be at most %lld, but got %lld", name,
          (long long)row->most, (long long)size);
    *known = size;
    return check_told_dims(request, tensor, dim, size);
  }
  if (size == *known)
    return 0;
  const struct mixattn_tensor_row *owner =
      row_of(request, owner_of(request, dim));
  return mixattn_fail_tensor(
      request, tensor,
      "expected dimension '%s' to be %lld as in %s '%s', but got %lld", name,
      (long long)*known, mixattn_kind_of(owner), owner->name, (long long)size);
}

// The tensor is there and of the right rank and sizes.
static int32_t check_shape(struct mixattn_request *request, int64_t tensor) {
  const DLTensor *given = request->tensors[tensor];
  const struct mixattn_tensor_row *row = row_of(request, tensor);
  if (given->ndim != row->rank)
    return mixattn_fail_tensor(request, tensor, "expected rank %d, but got %d",
                               row->rank, given->ndim);
  if (row->rank != 0 && !given->shape)
    return mixattn_fail_tensor(request, tensor,
                               "expected a shape, but got NULL");
  for (int32_t dim = 0; dim < row->rank; ++dim) {
    int64_t size = given->shape[dim], expected = row->shape[dim];
    if (expected < 0) {
      int32_t code = check_named_dim(request, tensor, -1 - expected, size);
      if (code)
        return code;
    } else if (size != expected) {
      return mixattn_fail_tensor(
          request, tensor, "expected dimension %d to be %lld, but got %lld",
          dim, (long long)expected, (long long)size);
    }
  }
  return 0;
}

static int32_t check_strides(const struct mixattn_request *request,
                             int64_t tensor) {
  const DLTensor *given = request->tensors[tensor];
  const struct mixattn_tensor_row *row = row_of(request, tensor);
  if (mixattn_is_empty(request, tensor))
    return 0;
  int32_t innermost = row->rank - 1;
  // Elements that divide strides.
  int64_t bytes = row->bits / 8, step = alignment_of(row) / bytes;
  for (int32_t dim = innermost; dim >= 0; --dim) {
    // A dimension of size 1 steps nowhere.
    if (given->shape[dim] <= 1)
      continue;
    int64_t stride;
    if (!find_given_stride(given, dim, bytes, &stride))
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension %d to have a stride of less than 2^63 bytes",
          dim);
    if (dim == innermost) {
      if (stride != 1)
        return mixattn_fail_tensor(request, tensor,
                                   "expected the innermost dimension to be "
                                   "contiguous, but got a stride of %lld",
                                   (long long)stride);
      continue;
    }
    if (stride < 0)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension %d to have a stride of 0 or more, but got %lld",
          dim, (long long)stride);
    // Arguments may repeat; results would overlap themselves.
    if (row->is_result && stride == 0)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension %d to have a stride other than 0", dim);
    if (stride % step != 0)
      return mixattn_fail_tensor(
          request, tensor,
          "expected dimension %d to have a stride that is a multiple of %lld "
          "elements, which are %lld bytes, but got %lld",
          dim, (long long)step, (long long)(step * bytes), (long long)stride);
  }
  return 0;
}

// All tensors lie on the device of the first.
static int32_t check_device(struct mixattn_request *request, int64_t tensor) {
  DLDevice device = request->tensors[tensor]->device;
  if (device.device_type != kDLCUDA && device.device_type != kDLCUDAManaged)
    return mixattn_fail_tensor(
        request, tensor,
        "expected a tensor in CUDA memory, but got DLPack device %d",
        (int)device.device_type);
  if (tensor == 0)
    request->device = device.device_id;
  const struct mixattn_tensor_row *first = row_of(request, 0);
  if (device.device_id != request->device)
    return mixattn_fail_tensor(
        request, tensor,
        "expected CUDA device %d as in %s '%s', but got CUDA device %d",
        request->device, mixattn_kind_of(first), first->name, device.device_id);
  return 0;
}

static int32_t check_type(const struct mixattn_request *request,
                          int64_t tensor) {
  DLDataType given = request->tensors[tensor]->dtype;
  const struct mixattn_tensor_row *row = row_of(request, tensor);
  if (given.code == row->code && given.bits == row->bits && given.lanes == 1)
    return 0;
  return mixattn_fail_tensor(
      request, tensor,
      "expected %s, but got DLPack type code %d with %d bits and %d lanes",
      row->dtype, given.code, given.bits, given.lanes);
}

static int32_t check_data(const struct mixattn_request *request,
                          int64_t tensor) {
  if (mixattn_is_empty(request, tensor))
    return 0;
  if (!request->tensors[tensor]->data)
    return mixattn_fail_tensor(request, tensor, "expected data, but got NULL");
  uint64_t alignment = (uint64_t)alignment_of(row_of(request, tensor));
  uint64_t above = mixattn_address_of(request, tensor) % alignment;
  if (above)
    return mixattn_fail_tensor(request, tensor,
                               "expected an address that is a multiple of "
                               "%lld, but got one that is %lld above",
                               (long long)alignment, (long long)above);
  return 0;
}

static int32_t check_presence(const struct mixattn_request *request,
                              int64_t tensor) {
  if (request->tensors[tensor])
    return 0;
  return mixattn_fail_tensor(request, tensor,
                             "expected a tensor, but got NULL");
}

// Dims that are computed from others have that size.
static int32_t check_computed_dims(const struct mixattn_request *request) {
  for (int64_t dim = 0; dim < request->entry->dim_count; ++dim) {
    const struct mixattn_dim_row *row = &request->entry->dims[dim];
    int64_t size = request->dims[dim], expected = 0;
    if (row->definition.count == 0)
      continue;
    if (!mixattn_evaluate(request, row->definition, &expected))
      return mixattn_fail_tensor(
          request, owner_of(request, dim),
          "expected dimension '%s', which other dimensions tell, to be less "
          "than 2^63",
          row->name);
    if (size != expected)
      return mixattn_fail_tensor(
          request, owner_of(request, dim),
          "expected dimension '%s' to be %lld, as other dimensions tell, but "
          "got %lld",
          row->name, (long long)expected, (long long)size);
  }
  return 0;
}

int32_t mixattn_check_shapes(struct mixattn_request *request) {
  int32_t code = 0;
  for (int64_t i = 0; !code && i < request->entry->tensor_count; ++i) {
    code = check_presence(request, i);
    if (!code)
      code = check_shape(request, i);
  }
  return code ? code : check_computed_dims(request);
}

int32_t mixattn_check_tensors(struct mixattn_request *request) {
  int32_t code = 0;
  for (int64_t i = 0; !code && i < request->entry->tensor_count; ++i) {
    code = check_presence(request, i);
    if (!code)
      code = check_device(request, i);
    if (!code)
      code = check_type(request, i);
    if (!code)
      code = check_shape(request, i);
    if (!code)
      code = check_strides(request, i);
    if (!code)
      code = check_data(request, i);
  }
  return code ? code : check_computed_dims(request);
}
