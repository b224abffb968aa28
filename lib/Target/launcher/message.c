// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sentence for the caller of an entry that failed.

#include "lib/Target/launcher/launcher.h"

#include <stdarg.h>
#include <stdio.h>

// Where the next part of a sentence goes. What does not fit is cut off.
struct writer {
  char *text;
  size_t left;
};

static struct writer write_to(const mixattn_call *call) {
  return (struct writer){call->message, call->message ? call->message_size : 0};
}

static void append_list(struct writer *writer, const char *format,
                        va_list values) {
  if (writer->left == 0)
    return;
  int written = vsnprintf(writer->text, writer->left, format, values);
  size_t used = written > 0 ? (size_t)written : 0;
  // The zero at the end stays within the memory.
  if (used >= writer->left)
    used = writer->left - 1;
  writer->text += used;
  writer->left -= used;
}

__attribute__((format(printf, 2, 3))) static void
append(struct writer *writer, const char *format, ...) {
  va_list values;
  va_start(values, format);
  append_list(writer, format, values);
  va_end(values);
}

const char *mixattn_kind_of(const struct mixattn_tensor_row *row) {
  return row->is_result ? "result" : "argument";
}

int32_t mixattn_fail(const struct mixattn_request *request, int32_t code,
                     const char *format, ...) {
  struct writer writer = write_to(&request->call);
  va_list values;
  va_start(values, format);
  append_list(&writer, format, values);
  va_end(values);
  return code;
}

int32_t mixattn_fail_tensor(const struct mixattn_request *request,
                            int64_t tensor, const char *format, ...) {
  const struct mixattn_tensor_row *row = &request->entry->tensors[tensor];
  struct writer writer = write_to(&request->call);
  append(&writer, "%s '%s': ", mixattn_kind_of(row), row->name);
  va_list values;
  va_start(values, format);
  append_list(&writer, format, values);
  va_end(values);
  return (int32_t)(1 + tensor);
}

int32_t mixattn_fail_driver(const struct mixattn_request *request, int32_t code,
                            CUresult error, const char *format, ...) {
  struct writer writer = write_to(&request->call);
  va_list values;
  va_start(values, format);
  append_list(&writer, format, values);
  va_end(values);
  const struct mixattn_driver *driver = request->driver;
  const char *name = NULL, *text = NULL;
  if (driver->cuGetErrorName(error, &name) != CUDA_SUCCESS || !name)
    append(&writer, ": CUDA error %d", error);
  else
    append(&writer, ": %s", name);
  if (driver->cuGetErrorString(error, &text) == CUDA_SUCCESS && text)
    append(&writer, ": %s", text);
  return code;
}
