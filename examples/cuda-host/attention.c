// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads what an entry computes, the part OP of lib/Runtime/manifest.md.
#include "attention.h"

#include "fail.h"
#include "json.h"
#include "manifest.h"

#include <string.h>

// Rejects fields that change the result and are not known here.
static void check_names(const struct reader *reader, const char *object) {
  static const char *const known[] = {
      "query",      "key",   "value",     "result",  "scale",
      "normaliser", "score", "variances", "combine", "prior"};
  enum { KNOWN = sizeof known / sizeof *known };
  for (const char *item = json_first(object); item; item = json_next(item)) {
    int i = 0;
    while (i < KNOWN && !json_is(item, known[i]))
      ++i;
    if (i == KNOWN)
      reader_reject(reader, "an attention that this program knows", item);
  }
}

// Whether `name` is absent or this word.
static bool may_be(const char *object, const char *name, const char *word) {
  const char *value = json_member(object, name);
  return !value || json_is(value, word);
}

// One per component; 1 where there are none.
static void read_variances(const struct reader *reader, const char *list,
                           struct attention *attention) {
  int count = attention->component_count;
  if (list && json_count(list) != count)
    reader_reject(reader, "a variance of every component", list);
  const char *item = json_first(list);
  for (int r = 0; r < count; ++r, item = list ? json_next(item) : NULL) {
    attention->variances[r] = 1;
    if (list && (!json_number(item, &attention->variances[r]) ||
                 attention->variances[r] <= 0))
      reader_reject(reader, "a variance above 0", item);
  }
}

// Whether the shape is [batch, a divisor of heads, rows, columns].
static bool fits(const struct tensor *tensor, int64_t batch, int64_t heads,
                 int64_t rows, int64_t columns) {
  const int64_t *sizes = tensor->sizes;
  return tensor->rank == 4 && sizes[0] == batch && heads % sizes[1] == 0 &&
         sizes[2] == rows && sizes[3] == columns;
}

static void check_shapes(const struct entry *entry) {
  const struct attention *attention = &entry->attention;
  const struct tensor *q = &entry->tensors[attention->query];
  const struct tensor *k = &entry->tensors[attention->key];
  const struct tensor *v = &entry->tensors[attention->value];
  const struct tensor *o = &entry->tensors[attention->result];
  const int64_t *s = q->sizes, *t = k->sizes;
  int64_t keys = t[k->rank - 2], components = attention->component_count;
  bool is_good = q->rank == 4 && t[0] == s[0] && s[1] % t[1] == 0 &&
                 t[k->rank - 1] == s[3] &&
                 fits(v, s[0], s[1], keys, v->sizes[3]) &&
                 fits(o, s[0], s[1], s[2], v->sizes[3]) && o->sizes[1] == s[1];
  if (attention->prior >= 0) {
    const struct tensor *prior = &entry->tensors[attention->prior];
    is_good &= prior->rank == 2 && prior->sizes[0] == s[1] &&
               prior->sizes[1] == components;
  }
  if (!is_good)
    fail("expected shapes of attention, but those of '%s' do not fit",
         entry->name);
}

void attention_read(const struct reader *reader, const char *object,
                    struct entry *entry) {
  static const char expected[] = "an attention that this program knows";
  struct attention *attention = &entry->attention;
  check_names(reader, object);
  if (!json_is(json_member(object, "normaliser"), "softmax") ||
      !json_number(json_member(object, "scale"), &attention->scale) ||
      !may_be(object, "score", "gaussian") ||
      !may_be(object, "combine", "logsumexp"))
    reader_reject(reader, expected, object);
  for (int i = 0; i < entry->tensor_count; ++i)
    if (strcmp(entry->tensors[i].dtype, "bf16") != 0)
      fail("expected tensors of bf16, but '%s' is %s", entry->tensors[i].name,
           entry->tensors[i].dtype);

  const char *prior = json_member(object, "prior");
  attention->query =
      manifest_find_tensor(reader, json_member(object, "query"), entry);
  attention->key =
      manifest_find_tensor(reader, json_member(object, "key"), entry);
  attention->value =
      manifest_find_tensor(reader, json_member(object, "value"), entry);
  attention->result =
      manifest_find_tensor(reader, json_member(object, "result"), entry);
  attention->prior = prior ? manifest_find_tensor(reader, prior, entry) : -1;

  const struct tensor *key = &entry->tensors[attention->key];
  attention->is_gaussian = json_member(object, "score");
  attention->has_components = json_member(object, "combine");
  if (key->rank != (attention->has_components ? 5 : 4))
    reader_reject(reader, "keys of rank 4, or of rank 5 with components",
                  json_member(object, "key"));
  int64_t count = attention->has_components ? key->sizes[2] : 1;
  if (count > MOST_COMPONENTS)
    fail("expected at most %d components, but '%s' has %lld", MOST_COMPONENTS,
         key->name, (long long)count);
  attention->component_count = (int)count;
  read_variances(reader, json_member(object, "variances"), attention);
  check_shapes(entry);
}
