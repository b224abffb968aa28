// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads JSON in place and takes no memory: a value is the address of its first
// character. json_check takes any text, the others what it has passed; for a
// value that is NULL or of another kind they return NULL or false.
#ifndef MIXATTN_EXAMPLES_CUDA_HOST_JSON_H
#define MIXATTN_EXAMPLES_CUDA_HOST_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The value that the text is; NULL if it is none, or nests too deeply.
const char *json_check(const char *text);

// The characters of a value.
int json_length(const char *value);

// The items of an array, or the names of an object's members.
const char *json_first(const char *list);
const char *json_next(const char *item);
int json_count(const char *list);

// The value of an object's member.
const char *json_member(const char *object, const char *name);

// Whether the value is this string.
bool json_is(const char *value, const char *text);

// Copies a string that has no escapes and fits `size` bytes.
bool json_string(const char *value, char *text, size_t size);

bool json_integer(const char *value, int64_t *number);
bool json_number(const char *value, double *number);

#endif // MIXATTN_EXAMPLES_CUDA_HOST_JSON_H
