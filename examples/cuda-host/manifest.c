// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An entry and its tensors, the part ENTRY of lib/Runtime/manifest.md.
#include "manifest.h"

#include "fail.h"
#include "json.h"

// The version of manifests that this program knows.
enum { ABI = 2 };

static void read_tensor(const struct reader *reader, const char *object,
                        struct tensor *tensor) {
  const char *shape = json_member(object, "shape");
  reader_name(reader, json_member(object, "name"), tensor->name);
  reader_name(reader, json_member(object, "dtype"), tensor->dtype);
  tensor->rank = reader_count(reader, shape, "shape", MOST_RANK);
  const char *item = json_first(shape);
  for (int i = 0; i < tensor->rank; ++i, item = json_next(item))
    tensor->sizes[i] = reader_size(reader, item, 1);
  tensor->elements = 1;
  for (int i = tensor->rank; i-- > 0;) {
    tensor->strides[i] = tensor->elements;
    if (__builtin_mul_overflow(tensor->elements, tensor->sizes[i],
                               &tensor->elements))
      fail("expected a tensor '%s' that memory can hold", tensor->name);
  }
}

// The tensors of "arguments" or "results".
static void read_tensors(const struct reader *reader, const char *object,
                         const char *name, struct entry *entry) {
  const char *list = json_member(object, name);
  reader_count(reader, list, name, MOST_TENSORS - entry->tensor_count);
  for (const char *item = json_first(list); item; item = json_next(item))
    read_tensor(reader, item, &entry->tensors[entry->tensor_count++]);
}

int manifest_find_tensor(const struct reader *reader, const char *name,
                         const struct entry *entry) {
  for (int i = 0; i < entry->tensor_count; ++i)
    if (json_is(name, entry->tensors[i].name))
      return i;
  reader_reject(reader, "the name of an argument or a result", name);
}

// An entry without "workspace" takes none.
static void read_workspace(const struct reader *reader, const char *object,
                           struct entry *entry) {
  const char *size = json_member(object, "workspace");
  entry->workspace_bytes = size ? reader_evaluate(reader, size) : 0;
  if (entry->workspace_bytes < 0)
    reader_reject(reader, "a workspace of at least 0 bytes", size);
}

void manifest_read(const struct reader *reader, const char *text,
                   struct entry *entry) {
  const struct dims *dims = reader->dims;
  const char *manifest = json_check(text);
  int64_t abi;
  if (!manifest || *manifest != '{')
    fail("expected a manifest, but %s holds no JSON object", reader->path);
  if (!json_integer(json_member(manifest, "abi"), &abi) || abi != ABI)
    reader_reject(reader, "\"abi\":2", json_member(manifest, "abi"));
  const char *entries = json_member(manifest, "entries");
  if (json_count(entries) != 1)
    fail("expected one entry in %s, but got %d", reader->path,
         json_count(entries));
  const char *object = json_first(entries);
  *entry = (struct entry){.tensor_count = 0};
  reader_name(reader, json_member(object, "name"), entry->name);
  read_tensors(reader, object, "arguments", entry);
  read_tensors(reader, object, "results", entry);
  read_workspace(reader, object, entry);
  manifest_read_launches(reader, object, entry);
  attention_read(reader, json_member(object, "attention"), entry);
  for (int i = 0; i < dims->count; ++i)
    if (!dims->list[i].is_used)
      fail("entry '%s' has no dim '%s'", entry->name, dims->list[i].name);
}
