/* Random calls of an FMU's functions: chance, instances, states and the laws that every call is judged by.
 *
 * Included by fuzz.c (FMI 2.0) and fuzz3.c (FMI 3.0) after their Api, which has the same names for what both versions
 * have, and after Boolean, Byte, Reference. A sequence depends on the seed and its number alone.
 *
 * Laws: a call of an instance returns OK, Warning, Discard or Error. After Discard and Error the logger was told why,
 * with that status and a text, unless logging is off. What comes with OK is written and finite; a call that is refused
 * writes no number. A reset is never refused. A step that was made ends its size behind the time that was named, one that was not leaves the time. No state of
 * another model or size is taken, and no serialized state that was damaged. */
#ifndef FUZZ_H
#define FUZZ_H

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

enum { ACTORS = 2, SLOTS = 3, MOST = 256, LENGTH = 60, SLACK = 64 };
enum { S_OK, S_WARNING, S_DISCARD, S_ERROR };

typedef struct {
    void *c;
    bool exchange, events, early; /* FMI 3, co-simulation: event mode is used, a step may return early */
    bool deaf, loud; /* without a logger; logging of errors is on */
} Actor;

static Api api;
static const char *guid;
static unsigned seed, sequence;
static size_t n_variables, n_states, lengths[MOST]; /* how many numbers each reference has; 0: there is none such */
static char kinds[MOST];                            /* i: can be set at any time, o: output, else another */
static char types[MOST];                            /* r: real, b: Boolean, i: integer, e: enumeration */
static bool huge_steps; /* refused at once where the FMU has fixed steps, else made for minutes */
static bool has_events; /* modes, samples or resets; else none may be told */
static Actor actors[ACTORS];
static void *slots[SLOTS]; /* saved states */
static void *foreign;      /* one of another model */
static size_t state_size;
static Byte *bytes, *intact; /* a serialized state: what is left of it, and as it was */
static bool serialized;      /* there is one */
static const char *volatile calling = "";
static bool without_instance;
static unsigned told; /* statuses of the messages since the call began */
static long counts[4], silent, steps_made, events_told;

/* -- chance ---------------------------------------------------------------------------------------------- */

static uint64_t chance_state;

static uint64_t draw(void) { /* splitmix64 */
    uint64_t z = (chance_state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static size_t below(size_t n) { return (size_t)(draw() % n); }

static bool once_in(size_t n) { return below(n) == 0; }

#define MAYBE(pointer) (once_in(40) ? NULL : (pointer))

static double bad_number(void) {
    const double bad[] = {0.0, -0.0, -1.0, 1e-300, 5e-324, 1e9, -1e17, 1e300, -1.7e308, NAN, INFINITY, -INFINITY};
    return bad[below(sizeof bad / sizeof *bad)];
}

static double number(void) {
    double usual = 4.0 * (double)(draw() >> 11) / 9007199254740992.0 - 2.0;
    return once_in(12) ? bad_number() : usual;
}

static double step_size(void) {
    const double usual[] = {0.001, 0.0025, 1.0 / 128, 0.01, 1e-9};
    const double bad[] = {0.0, -0.01, NAN, INFINITY, -INFINITY, 5e-324, 1e7, 1e300};
    if (once_in(8)) return bad[below(sizeof bad / sizeof *bad - (huge_steps ? 0 : 2))];
    return usual[below(sizeof usual / sizeof *usual)];
}

static Reference reference(void) {
    if (once_in(40)) return once_in(2) ? (Reference)draw() : (Reference)n_variables;
    return (Reference)below(n_variables);
}

static Reference reference_of(char kind) {
    Reference r = reference();
    for (int k = 0; k < 100 && (r >= n_variables || kinds[r] != kind); k++) r = reference();
    return r;
}

/* Most often of a kind, where one is given. */
static size_t references(Reference *out, char kind) {
    size_t count = once_in(30) ? 0 : 1 + below(6);
    for (size_t i = 0; i < count; i++) out[i] = kind && !once_in(12) ? reference_of(kind) : reference();
    return count;
}

static bool have_type(const Reference *r, size_t count, const char *wanted) {
    bool all = true;
    for (size_t i = 0; i < count; i++) all = all && r[i] < n_variables && strchr(wanted, types[r[i]]);
    return all;
}

/* Most often of one of these types, where the model has such variables. */
static size_t references_with(Reference *out, const char *wanted) {
    size_t count = once_in(30) ? 0 : 1 + below(6);
    for (size_t i = 0; i < count; i++) {
        out[i] = reference();
        for (int k = 0; k < 100 && !once_in(50) && !have_type(out + i, 1, wanted); k++) out[i] = reference();
    }
    return count;
}

static int64_t whole_number(void) {
    const int64_t extreme[] = {INT32_MAX, INT32_MIN, INT64_MAX, INT64_MIN, 2, -7, 4294967297};
    return once_in(8) ? extreme[below(sizeof extreme / sizeof *extreme)] : (int64_t)below(4) - 1;
}

static void numbers(double *out, size_t count) {
    for (size_t i = 0; i < count; i++) out[i] = number();
}

/* -- judgement ------------------------------------------------------------------------------------------- */

static void flaw(const char *what) {
    printf("flaw in sequence %u of seed %u, %s: %s\n", sequence, seed, calling, what);
    exit(1);
}

static void crashed(int number) {
    printf("signal %d in sequence %u of seed %u, %s\n", number, sequence, seed, calling);
    fflush(stdout);
    _Exit(3);
}

static void began(const char *call) {
    calling = call;
    told = 0;
    without_instance = false;
}

static void note(const void *environment, int status, const char *category, const char *text) {
    if (environment != actors) flaw("a message with another environment");
    if (!category || !*category || !text || !*text) flaw("a message without category or text");
    if (status < S_OK || status > S_ERROR) flaw("a message with a status that no call may have");
    told |= 1u << status;
}

/* The instance, or in rare calls none. */
static void *handle(const Actor *a) {
    without_instance = once_in(200);
    return without_instance ? NULL : a->c;
}

/* Whether the call went well. */
static bool judge(const Actor *a, int status) {
    if (status < S_OK || status > S_ERROR) flaw("a status that no call may have");
    counts[status]++;
    if (without_instance && status != S_ERROR) flaw("no instance, no error");
    if (without_instance) return false;
    if (status >= S_DISCARD && (a->deaf || !a->loud)) silent++;
    else if (status >= S_DISCARD && !(told & (1u << status))) flaw("refused without a message of this status");
    return status == S_OK;
}

#define TRY(a, name, ...) judge(a, (began(#name), (int)api.name(handle(a), __VA_ARGS__)))
#define TRY_BARE(a, name) judge(a, (began(#name), (int)api.name(handle(a))))

static void clear(double *values, size_t count) {
    for (size_t i = 0; i < count; i++) values[i] = NAN;
}

static void need_finite(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(values[i])) flaw("a value that is not finite, or was not written, comes with OK");
}

static void need_untouched(const double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) flaw("a number is written by a call that is refused");
}

/* Of an array that was cleared, after a call that was to fill some of it: all of these numbers, and no others. */
static void need_whole(bool done, const double *values, size_t count, size_t room) {
    if (done) need_finite(values, count);
    need_untouched(values + (done ? count : 0), room - (done ? count : 0));
}

/* Of values whose bytes were all UNWRITTEN, after a call that was to fill some of them. */
enum { UNWRITTEN = 0x55 };

static void need_unwritten(bool done, const void *values, size_t size) {
    for (size_t k = 0; k < size && !done; k++)
        if (((const unsigned char *)values)[k] != UNWRITTEN) flaw("a value is written by a call that is refused");
}

static void need_type(bool done, const Reference *r, size_t count, const char *wanted) {
    if (done && !have_type(r, count, wanted)) flaw("a value of a type that the variable does not have");
}

/* -- what both versions have ----------------------------------------------------------------------------- */

static double now(const Actor *a); /* NAN where the instance doesn't say */

static void reset(Actor *a) {
    if (!TRY_BARE(a, Reset) && !without_instance) flaw("a reset is refused");
}

static void terminate(Actor *a) { TRY_BARE(a, Terminate); }

static void enter_events(Actor *a) { TRY_BARE(a, EnterEventMode); }

static void exit_initialization(Actor *a) { TRY_BARE(a, ExitInitializationMode); }

static void enter_continuous_time(Actor *a) { TRY_BARE(a, EnterContinuousTimeMode); }

static void set_logging(Actor *a) {
    const char *known[] = {"info", "warning", "error", "events", "nonsense", NULL}, *names[4];
    size_t count = below(4);
    Boolean on = !once_in(4);
    bool concerned = count == 0;
    for (size_t i = 0; i < count; i++) {
        size_t which = below(6);
        names[i] = known[which];
        concerned = concerned || which == 2;
    }
    const char **given = MAYBE(names);
    Actor before = *a;
    if (concerned && (given || !count)) before.loud = a->loud && on;
    judge(&before, (began("SetDebugLogging"), (int)api.SetDebugLogging(a->c, on, count, given)));
    if (concerned && (given || !count)) a->loud = on;
}

static void **slot(void) { return &slots[below(SLOTS)]; }

static void get_state(Actor *a) {
    void *other = foreign;
    if (once_in(20) && TRY(a, GetFMUState, &other)) flaw("a state of another model is written over");
    TRY(a, GetFMUState, once_in(30) ? NULL : slot());
}

static void set_state(Actor *a) {
    void *state = *slot();
    if (once_in(10)) {
        if (TRY(a, SetFMUState, foreign)) flaw("a state of another model is taken");
    } else if (TRY(a, SetFMUState, state) && !state) flaw("no state is taken for one");
}

static void free_state(Actor *a) {
    void **place = slot();
    if (once_in(10)) TRY(a, FreeFMUState, NULL);
    else if (TRY(a, FreeFMUState, place) && *place) flaw("a freed state is still there");
}

static void serialize(Actor *a) {
    void *state = *slot();
    const size_t sizes[] = {state_size, state_size - 1, 0, state_size + SLACK};
    size_t size = 0, room = sizes[once_in(4) ? below(4) : 0];
    if (TRY(a, SerializedFMUStateSize, state, MAYBE(&size)) && size != state_size) flaw("another size");
    if (once_in(20) && TRY(a, SerializeFMUState, foreign, bytes, state_size)) flaw("a state of another model is read");
    if (!TRY(a, SerializeFMUState, state, MAYBE(bytes), room)) return;
    if (room < state_size) flaw("written into too few bytes");
    memcpy(intact, bytes, state_size);
    serialized = true;
}

static void deserialize(Actor *a) {
    const size_t sizes[] = {state_size, state_size - 1, 0, 1, state_size + SLACK};
    size_t size = sizes[once_in(4) ? below(5) : 0];
    void *other = foreign;
    if (once_in(20) && TRY(a, DeserializeFMUState, bytes, state_size, &other)) flaw("a foreign state is written over");
    if (!TRY(a, DeserializeFMUState, MAYBE(bytes), size, once_in(40) ? NULL : slot())) return;
    if (size != state_size || !serialized || memcmp(bytes, intact, size)) flaw("bytes that are no state are taken");
}

/* Some bits, a number or a small integer, in the header or anywhere. */
static void damage(Actor *a) {
    size_t place = below(once_in(2) ? 96 : state_size);
    double value = once_in(2) ? number() : bad_number();
    int32_t small = (int32_t)below(260) - 2;
    (void)a;
    if (once_in(3)) bytes[place] ^= (Byte)draw();
    else if (once_in(2)) memcpy(bytes + place / 8 * 8, &value, sizeof value);
    else memcpy(bytes + place / 4 * 4, &small, sizeof small);
}

static void round_trip(Actor *a) {
    serialize(a);
    if (once_in(2)) damage(a);
    deserialize(a);
    set_state(a);
}

static void set_time(Actor *a) { TRY(a, SetTime, number()); }

static size_t state_count(void) { return once_in(12) ? below(n_states + 3) : n_states; }

static void set_states(Actor *a) {
    double x[MOST];
    numbers(x, MOST);
    TRY(a, SetContinuousStates, MAYBE(x), state_count());
}

#define VECTOR(function, name)                                                               \
    static void function(Actor *a) {                                                         \
        double x[MOST];                                                                      \
        size_t count = state_count();                                                        \
        clear(x, MOST);                                                                      \
        bool done = TRY(a, name, MAYBE(x), count);                                           \
        if (done && count != n_states) flaw("another number of states is taken");            \
        need_whole(done, x, count, MOST);                                                    \
    }
VECTOR(get_states, GetContinuousStates)
VECTOR(get_derivatives, GetContinuousStateDerivatives)
VECTOR(get_nominals, GetNominalsOfContinuousStates)

static void get_indicators(Actor *a) {
    double x[8];
    size_t count = below(8);
    clear(x, 8);
    bool done = TRY(a, GetEventIndicators, MAYBE(x), count);
    if (done && count && !has_events) flaw("an event indicator out of nothing");
    need_whole(done, x, count, 8);
}

static void complete_step(Actor *a) {
    Boolean enter = 1, terminated = 1;
    bool done = TRY(a, CompletedIntegratorStep, once_in(2), MAYBE(&enter), MAYBE(&terminated));
    if (done && ((enter && !has_events) || terminated)) flaw("a step ends with an event");
}

/* -- sequences ------------------------------------------------------------------------------------------- */

typedef void Operation(Actor *);

static void create(Actor *a); /* with another kind, name or logging each time */

static void recreate(Actor *a) {
    began("FreeInstance");
    if (once_in(10)) api.FreeInstance(NULL);
    api.FreeInstance(a->c);
    create(a);
}

static void end_sequence(void) {
    for (int k = 0; k < SLOTS; k++) api.FreeFMUState(actors[0].c, &slots[k]);
    for (int k = 0; k < ACTORS; k++) {
        began("FreeInstance");
        api.FreeInstance(actors[k].c);
        actors[k].c = NULL;
    }
}

static void run_sequence(Operation *const operations[], size_t count) {
    chance_state = seed * UINT64_C(0x100000001B3) + sequence * UINT64_C(0x9E3779B1);
    size_t cast = 1 + below(ACTORS), length = 1 + below(2 * LENGTH);
    memset(bytes, 0, state_size + SLACK);
    serialized = false;
    for (int k = 0; k < ACTORS; k++) create(&actors[k]);
    for (size_t i = 0; i < length; i++) operations[below(count)](&actors[below(cast)]);
    end_sequence();
}

static size_t size_of_state(void *c) {
    void *state = NULL;
    size_t size = 0;
    began("the first state");
    if (api.GetFMUState(c, &state) != S_OK || api.SerializedFMUStateSize(c, state, &size) != S_OK) flaw("no state");
    api.FreeFMUState(c, &state);
    return size;
}

static void *foreign_state(const char *path, const char *other_guid);

static void parse_lengths(const char *text) {
    while (*text && n_variables < MOST) {
        char *end;
        lengths[n_variables] = strtoul(text, &end, 10);
        if (!*end || !end[1]) return;
        kinds[n_variables] = *end;
        types[n_variables++] = end[1];
        text = end + 2;
    }
}

/* LIBRARY GUID, OTHER_LIBRARY OTHER_GUID, length, kind and type of all references such as 1-r1ir1ob3or0-r, number of states,
 * "fixed" or "adaptive", with "+events" where the model has some, SEED, SEQUENCES, and where wanted the first one's
 * number. */
static int fuzz(int argc, char **argv, Operation *const operations[], size_t count) {
    if (argc < 10) return 2;
    const int signals[] = {SIGSEGV, SIGILL, SIGFPE, SIGABRT};
    for (size_t k = 0; k < sizeof signals / sizeof *signals; k++) signal(signals[k], crashed);
    load(&api, argv[1]);
    guid = argv[2], foreign = foreign_state(argv[3], argv[4]);
    parse_lengths(argv[5]);
    n_states = strtoul(argv[6], NULL, 10);
    huge_steps = !strncmp(argv[7], "fixed", 5), has_events = strstr(argv[7], "+events") != NULL;
    seed = (unsigned)strtoul(argv[8], NULL, 10);
    unsigned first = argc > 10 ? (unsigned)atoi(argv[10]) : 0, last = first + (unsigned)atoi(argv[9]);
    create(&actors[0]);
    state_size = size_of_state(actors[0].c);
    bytes = calloc(state_size + SLACK, 1), intact = calloc(state_size + SLACK, 1);
    end_sequence();
    for (sequence = first; sequence < last; sequence++) run_sequence(operations, count);
    printf("OK %ld, Warning %ld, Discard %ld, Error %ld, %ld of these with logging off, %ld steps made, %ld events told\n",
           counts[S_OK], counts[S_WARNING], counts[S_DISCARD], counts[S_ERROR], silent, steps_made, events_told);
    free(bytes), free(intact);
    return 0;
}

#endif
