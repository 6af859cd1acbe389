/* Many instances at once: made, stepped in turns and freed by several threads, compared with one after the other.
 *
 * Arguments: INSTANCES THREADS, then those of host.h. Prints how many runs are the same, bit for bit. */
#include <pthread.h>

#include "host.h"

static Run run;
static int instances, threads;
static double *alone, *together;

static double *row(double *results, int instance) { return results + (size_t)instance * run.n_read; }

static fmi2Component made(int instance) {
    char name[32];
    snprintf(name, sizeof name, "instance %d", instance);
    return started(&run, name, 1e-3 * instance);
}

/* A saved and restored state in the middle of the run must not show. */
static void save_and_restore(fmi2Component c) {
    fmi2FMUstate state = NULL;
    require(run.api.GetFMUState(c, &state), "get state");
    require(run.api.SetFMUState(c, state), "set state");
    require(run.api.FreeFMUState(c, &state), "free state");
}

static void *work(void *first) {
    int begin = *(int *)first, count = (instances - begin + threads - 1) / threads;
    fmi2Component *mine = calloc((size_t)count + 1, sizeof *mine);
    for (int i = 0; i < count; i++) mine[i] = made(begin + i * threads);
    for (int k = 0; k < run.count; k++)
        for (int i = 0; i < count; i++) {
            step(&run, mine[i], k, row(together, begin + i * threads));
            if (k == run.count / 2) save_and_restore(mine[i]);
        }
    for (int i = 0; i < count; i++) run.api.FreeInstance(mine[i]);
    free(mine);
    return NULL;
}

static void one_after_the_other(void) {
    for (int i = 0; i < instances; i++) {
        fmi2Component c = made(i);
        for (int k = 0; k < run.count; k++) step(&run, c, k, row(alone, i));
        run.api.FreeInstance(c);
    }
}

static void all_at_once(void) {
    pthread_t *ids = calloc((size_t)threads, sizeof *ids);
    int *first = calloc((size_t)threads, sizeof *first);
    for (int t = 0; t < threads; t++) {
        first[t] = t;
        require(pthread_create(&ids[t], NULL, work, &first[t]) ? fmi2Error : fmi2OK, "create a thread");
    }
    for (int t = 0; t < threads; t++) pthread_join(ids[t], NULL);
    free(ids), free(first);
}

int main(int count, char **arguments) {
    int same = 0, distinct = 0;
    if (count < 3) return 2;
    instances = atoi(arguments[1]), threads = atoi(arguments[2]);
    parse(&run, count - 2, arguments + 2);
    size_t numbers = (size_t)instances * run.n_read;
    alone = calloc(numbers, sizeof *alone), together = calloc(numbers, sizeof *together);
    one_after_the_other();
    all_at_once();
    for (int i = 0; i < instances; i++) {
        same += !memcmp(row(alone, i), row(together, i), run.n_read * sizeof(double));
        distinct += i == 0 || memcmp(row(alone, i), row(alone, i - 1), run.n_read * sizeof(double)) != 0;
    }
    printf("%d instances, %d the same, %d distinct\n", instances, same, distinct);
    free(alone), free(together);
    return same == instances ? 0 : 1;
}
