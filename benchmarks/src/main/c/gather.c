// SPDX-License-Identifier: Apache-2.0
// Gathers random rows of a mapped file as fast as plain C does: a loop that asks for each row some rows ahead.
//
// gather FILE OFFSET ROW_SIZE ROW_COUNT, or gather FILE for the records of a pack; then on stdin lines of
//   run OPERATION BATCHES BATCH_SIZE SEED   answers the nanoseconds of each batch
//   sum OPERATION BATCHES BATCH_SIZE SEED   answers the CRC-32 of all gathered bytes
// where OPERATION is `prefetch`, `plain`, or `prefetch2`: two threads with as many batches each, and one time for all.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { AHEAD = 16, LINE = 64, POPULATE_READ = 22, PACK_COUNT = 16, PACK_HEADER = 28, PACK_ENTRY = 32 };

typedef struct {
    uint64_t offset;
    uint32_t size;
} place;

static const char *rows;
// Where each record of a pack is, or nothing for rows.
static place *places;
static size_t row_size;
static uint64_t row_count;
static pthread_barrier_t barrier;

typedef struct {
    const char *operation;
    long batches, batch_size;
    uint64_t seed;
    uint64_t *indices;
    char *target;
    int64_t *nanos;
    int64_t start, end;
} task;

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint64_t mix(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
}

static inline __attribute__((always_inline)) void copy(const uint64_t *index, long n, char *to, size_t size, int ahead) {
    for (long i = 0; i < n; i++) {
        if (ahead && i + AHEAD < n) {
            const char *next = rows + index[i + AHEAD] * size;
            __builtin_prefetch(next);
            if (LINE % size != 0) __builtin_prefetch(next + size - 1);
        }
        memcpy(to + i * size, rows + index[i] * size, size);
    }
}

#define SIZE(n) case n: if (ahead) copy(index, count, to, n, 1); else copy(index, count, to, n, 0); break;

// Returns how many bytes it copied.
static size_t gather(const uint64_t *index, long count, char *to, int ahead) {
    switch (row_size) {
        SIZE(28) SIZE(32) SIZE(46) SIZE(64) SIZE(128) SIZE(512) SIZE(2048)
        default: copy(index, count, to, row_size, ahead);
    }
    return count * row_size;
}

// Records one after another, as a pack has them: each has its own size. There is no prefetching variant.
static size_t gather_records(const uint64_t *index, long count, char *to) {
    char *start = to;
    for (long i = 0; i < count; i++) {
        place one = places[index[i]];
        memcpy(to, rows + one.offset, one.size);
        to += one.size;
    }
    return to - start;
}

static size_t gather_any(const uint64_t *index, long count, char *to, int ahead) {
    return places ? gather_records(index, count, to) : gather(index, count, to, ahead);
}

static uint32_t crc32(uint32_t crc, const unsigned char *bytes, size_t count) {
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        uint32_t c = i;
        for (int bit = 0; bit < 8; bit++) c = c & 1 ? 0xedb88320u ^ (c >> 1) : c >> 1;
        table[i] = c;
    }
    crc = ~crc;
    for (size_t i = 0; i < count; i++) crc = table[(crc ^ bytes[i]) & 255] ^ (crc >> 8);
    return ~crc;
}

static void prepare(task *t) {
    long count = t->batches * t->batch_size;
    t->indices = malloc(count * sizeof *t->indices);
    t->nanos = calloc(t->batches, sizeof *t->nanos);
    t->target = aligned_alloc(LINE, (t->batch_size * row_size + LINE - 1) / LINE * LINE);
    memset(t->target, 0, t->batch_size * row_size);
    for (long i = 0; i < count; i++) {
        t->indices[i] = ((mix(t->seed + (i + 1) * 0x9e3779b97f4a7c15ULL) >> 32) * row_count) >> 32;
    }
}

static void release(task *t) {
    free(t->indices);
    free(t->nanos);
    free(t->target);
}

static void run(task *t) {
    int ahead = strcmp(t->operation, "plain") != 0;
    t->start = now();
    int64_t before = t->start;
    for (long b = 0; b < t->batches; b++) {
        gather_any(t->indices + b * t->batch_size, t->batch_size, t->target, ahead);
        int64_t after = now();
        t->nanos[b] = after - before;
        before = after;
    }
    t->end = before;
}

static void *run_together(void *argument) {
    pthread_barrier_wait(&barrier);
    run(argument);
    return NULL;
}

static void run_two(task *one) {
    task two = *one;
    two.seed++;
    prepare(&two);
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run_together, &two);
    run_together(one);
    pthread_join(thread, NULL);
    int64_t start = one->start < two.start ? one->start : two.start;
    int64_t end = one->end > two.end ? one->end : two.end;
    printf("%lld\n", (long long) (end - start));
    release(&two);
}

static void sum(task *t) {
    uint32_t crc = 0;
    for (long b = 0; b < t->batches; b++) {
        size_t size = gather_any(t->indices + b * t->batch_size, t->batch_size, t->target, 1);
        crc = crc32(crc, (unsigned char *) t->target, size);
    }
    printf("%u\n", crc);
}

// Reads the index of a pack; a row of the batch buffer is then its largest record.
static void read_index(void) {
    memcpy(&row_count, rows + PACK_COUNT, sizeof row_count);
    places = malloc(row_count * sizeof *places);
    for (uint64_t i = 0; i < row_count; i++) {
        const char *entry = rows + PACK_HEADER + i * PACK_ENTRY;
        memcpy(&places[i].offset, entry, sizeof places[i].offset);
        memcpy(&places[i].size, entry + sizeof places[i].offset, sizeof places[i].size);
        if (places[i].size > row_size) row_size = places[i].size;
    }
}

int main(int argc, char **argv) {
    if (argc != 5 && argc != 2) return 2;
    int file = open(argv[1], O_RDONLY);
    size_t size = lseek(file, 0, SEEK_END);
    char *map = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
    if (map == MAP_FAILED) return perror(argv[1]), 1;
    madvise(map, size, MADV_HUGEPAGE);
    madvise(map, size, POPULATE_READ);
    rows = map;
    if (argc == 2) {
        read_index();
    } else {
        rows += strtoull(argv[2], NULL, 10);
        row_size = strtoull(argv[3], NULL, 10);
        row_count = strtoull(argv[4], NULL, 10);
    }
    puts("ready");
    fflush(stdout);
    char verb[16], operation[64];
    task t = {.operation = operation};
    while (scanf("%15s %63s %ld %ld %lu", verb, operation, &t.batches, &t.batch_size, &t.seed) == 5) {
        prepare(&t);
        if (strcmp(verb, "sum") == 0) {
            sum(&t);
        } else if (strcmp(operation, "prefetch2") == 0) {
            run_two(&t);
        } else {
            run(&t);
            for (long b = 0; b < t.batches; b++) printf("%lld ", (long long) t.nanos[b]);
            puts("");
        }
        fflush(stdout);
        release(&t);
    }
    return 0;
}
