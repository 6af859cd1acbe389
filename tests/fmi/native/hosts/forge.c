/* Forged states: every word of a saved state replaced by odd numbers, with the checksum that belongs to it.
 *
 * LIBRARY GUID STEP COUNT and what host.h takes behind them. After COUNT steps the state is serialized; each forged one
 * that is taken is stepped from and read, which must end with a status. Prints how many were taken and refused. */
#include <math.h>

#include "host.h"

static uint64_t sum_of(const char *state, size_t size) {
    uint64_t word, sum = 0;
    for (size_t at = 0; at + 8 < size; at += 8) {
        memcpy(&word, state + at, 8);
        sum = (sum ^ word) * UINT64_C(0x9E3779B97F4A7C15);
        sum ^= sum >> 29;
    }
    return sum;
}

static void silent(void *environment, const char *name, fmi2Status status, const char *category, const char *format,
                   ...) {
    (void)environment, (void)name, (void)status, (void)category, (void)format;
}

static const fmi2CallbackFunctions SILENT = {silent, calloc, free, NULL, NULL};

/* What may be done with an instance in whatever state; nothing of it may crash. */
static void use(const Run *run, fmi2Component c) {
    const fmi2ValueReference clock = 0;
    double time = 0.0, values[MOST], seed = 1.0;
    run->api.GetReal(c, &clock, 1, &time);
    run->api.GetReal(c, run->read, run->n_read, values);
    run->api.DoStep(c, time, run->size, fmi2True);
    run->api.GetReal(c, run->read, run->n_read, values);
    run->api.SetReal(c, run->set, run->n_set, run->values);
    run->api.GetReal(c, run->read, run->n_read, values);
    run->api.GetDirectionalDerivative(c, run->read, run->n_read, run->set, run->n_set ? 1 : 0, &seed, values);
    run->api.DoStep(c, time + run->size, run->size, fmi2True);
    run->api.ExitInitializationMode(c);
}

int main(int count, char **arguments) {
    static Run run;
    const double odd[] = {1e300, -1.0, 0.5, 3.0, 255.0, 4294967296.0, NAN, INFINITY, -INFINITY, 5e-324};
    const uint64_t whole[] = {1, 2, 7, UINT64_C(0xFFFFFFFFFFFFFFFF), UINT64_C(0x7FFFFFFF00000002)};
    double values[MOST];
    void *state = NULL, *forged = NULL;
    size_t size, taken = 0, refused = 0;
    parse(&run, count, arguments);
    fmi2Component c = started(&run, "forged", 0.0);
    for (int k = 0; k < run.count; k++) step(&run, c, k, values);
    require(run.api.GetFMUState(c, &state), "get");
    require(run.api.SerializedFMUStateSize(c, state, &size), "size");
    char *good = malloc(size), *bytes = malloc(size);
    require(run.api.SerializeFMUState(c, state, good, size), "serialize");
    fmi2Component other = run.api.Instantiate("other", fmi2CoSimulation, run.guid, "", &SILENT, fmi2False, fmi2False);
    for (size_t at = 0; at + 8 < size; at += 8)
        for (size_t k = 0; k < 15; k++) {
            memcpy(bytes, good, size);
            memcpy(bytes + at, k < 10 ? (const void *)&odd[k] : (const void *)&whole[k - 10], 8);
            uint64_t sum = sum_of(bytes, size);
            memcpy(bytes + size - 8, &sum, 8);
            if (run.api.DeserializeFMUState(other, bytes, size, &forged) != fmi2OK) {
                refused++;
                continue;
            }
            if (run.api.SetFMUState(other, forged) != fmi2OK) continue;
            taken++;
            use(&run, other);
        }
    require(run.api.SetFMUState(other, state), "the good state at the end");
    require(run.api.DoStep(other, run.count * run.size, run.size, fmi2True), "a step from it");
    printf("%zu taken, %zu refused\n", taken, refused);
    return 0;
}
