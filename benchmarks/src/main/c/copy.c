// SPDX-License-Identifier: Apache-2.0
// Loops that a Python process calls as its floor: rows of one size, and records at places of their own, by memcpy.
#include <stdint.h>
#include <string.h>

typedef struct {
    int64_t offset, size;
} place;

void copy_rows(const char *rows, const int64_t *index, int64_t count, int64_t size, char *to) {
    for (int64_t i = 0; i < count; i++) memcpy(to + i * size, rows + index[i] * size, size);
}

void copy_records(const char *file, const place *places, const int64_t *index, int64_t count, char *to) {
    for (int64_t i = 0; i < count; i++) {
        const place *from = &places[index[i]];
        memcpy(to, file + from->offset, from->size);
        to += from->size;
    }
}
