/* Random sequences of FMI 3.0 calls, judged by the laws of fuzz.h; some of them from inside a step. */
#include "api3.h"

typedef fmi3Boolean Boolean;
typedef fmi3Byte Byte;
typedef fmi3ValueReference Reference;

#include "fuzz.h"

static Actor *stepping; /* whose step is under way */

static void told_by_fmu(void *environment, fmi3Status status, const char *category, const char *text) {
    note(environment, (int)status, category, text);
}

static Reference time_reference(void) {
    for (size_t r = 0; r < n_variables; r++)
        if (kinds[r] == 't') return (Reference)r;
    return 0;
}

static double now(const Actor *a) {
    Reference r = time_reference();
    double time = NAN;
    return api.GetFloat64(a->c, &r, 1, &time, 1) == fmi3OK ? time : NAN;
}

/* How many numbers the variables have; at times another count. */
static size_t numbers_of(const Reference *r, size_t count) {
    size_t total = 0;
    for (size_t i = 0; i < count; i++) total += r[i] < n_variables ? lengths[r[i]] : 0;
    return once_in(25) ? below(total + 3) : total;
}

/* -- creation and start ---------------------------------------------------------------------------------- */

static void updated(void *environment, double time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                    fmi3Boolean step_finished, fmi3Boolean can_return, fmi3Boolean *leave, double *until);

static void *instance(const char *name, const char *token, const Actor *a) {
    fmi3LogMessageCallback log = a->deaf ? NULL : told_by_fmu;
    if (a->exchange) return api.InstantiateModelExchange(name, token, NULL, 0, a->loud, actors, log);
    return api.InstantiateCoSimulation(name, token, NULL, 0, a->loud, a->events, a->early, NULL, 0, actors, log,
                                       once_in(2) ? updated : NULL);
}

static void create_badly(const Actor *a) {
    began("Instantiate with a wrong token or name");
    const char *wrong = once_in(2) ? "{another}" : NULL;
    if (instance(once_in(2) ? "" : NULL, guid, a) || instance("name", wrong, a) ||
        api.InstantiateScheduledExecution("name", guid, NULL, 0, 0, actors, told_by_fmu, NULL, NULL, NULL))
        flaw("an instance in spite of it");
    if (!(told & (1u << S_ERROR))) flaw("no word about it");
}

static void create(Actor *a) {
    memset(a, 0, sizeof *a);
    a->exchange = once_in(2);
    a->events = !a->exchange && once_in(has_events ? 2 : 3);
    a->early = !a->exchange && once_in(2);
    a->loud = !once_in(10);
    a->deaf = once_in(40);
    if (once_in(20)) create_badly(a);
    began("Instantiate");
    a->c = instance("an instance", guid, a);
    if (!a->c) flaw("no instance");
}

static void *foreign_state(const char *path, const char *other_guid) {
    static Api other;
    void *state = NULL;
    load(&other, path);
    void *c = other.InstantiateModelExchange("other", other_guid, NULL, 0, 1, actors, told_by_fmu);
    if (!c || other.GetFMUState(c, &state) != fmi3OK) flaw("no state of the other model");
    other.FreeInstance(c);
    return state;
}

static void enter_initialization(Actor *a) {
    double start = once_in(10) ? number() : 0.0, stop = once_in(2) ? 10.0 : number();
    TRY(a, EnterInitializationMode, once_in(3), once_in(2) ? 1e-4 : number(), start, once_in(8), stop);
}

static void update_states(Actor *a) {
    Boolean flags[5] = {1, 1, 1, 1, 1};
    double next = NAN;
    bool done = TRY(a, UpdateDiscreteStates, MAYBE(&flags[0]), &flags[1], &flags[2], &flags[3], &flags[4],
                    MAYBE(&next));
    for (int k = 0; k < 5 && done; k++)
        if (flags[k] && !(has_events && a->exchange && k > 2)) flaw("an event out of nothing");
}

static void enter_steps(Actor *a) { TRY_BARE(a, EnterStepMode); }

static void evaluate(Actor *a) { TRY_BARE(a, EvaluateDiscreteStates); }

static void set_values(Actor *a);

static void bring_up(Actor *a) {
    reset(a);
    enter_initialization(a);
    if (once_in(4)) set_values(a);
    exit_initialization(a);
    if (!a->exchange && !a->events) return;
    update_states(a);
    if (a->exchange) enter_continuous_time(a);
    else enter_steps(a);
}

/* -- values ---------------------------------------------------------------------------------------------- */

static void get_values(Actor *a) {
    Reference r[8];
    double values[MOST];
    size_t count = references(r, 0), n = numbers_of(r, count);
    clear(values, MOST);
    need_whole(TRY(a, GetFloat64, MAYBE(r), count, MAYBE(values), n), values, n, MOST);
}

static void set_values(Actor *a) {
    Reference r[8];
    double values[MOST];
    size_t count = references(r, 'i');
    numbers(values, MOST);
    TRY(a, SetFloat64, MAYBE(r), count, MAYBE(values), numbers_of(r, count));
}

#define TRY_TYPE(Type, wanted, value)                                           \
    static void try_##Type(Actor *a) {                                          \
        Reference r[8];                                                         \
        fmi3##Type values[MOST];                                                \
        size_t count = references_with(r, wanted), n = numbers_of(r, count);    \
        memset(values, UNWRITTEN, sizeof values);                               \
        bool done = TRY(a, Get##Type, MAYBE(r), count, MAYBE(values), n);       \
        need_type(done, r, count, wanted);                                      \
        need_unwritten(done, values, sizeof values);                            \
        for (int k = 0; k < MOST; k++) values[k] = value;                       \
        done = TRY(a, Set##Type, MAYBE(r), count, MAYBE(values), n);            \
        need_type(done, r, count, wanted);                                      \
    }
TRY_TYPE(Float32, "", 0.0f)
TRY_TYPE(Int8, "", 0)
TRY_TYPE(UInt8, "", 0)
TRY_TYPE(Int16, "", 0)
TRY_TYPE(UInt16, "", 0)
TRY_TYPE(Int32, "i", (fmi3Int32)whole_number())
TRY_TYPE(UInt32, "", 0)
TRY_TYPE(Int64, "e", whole_number())
TRY_TYPE(UInt64, "", 0)
TRY_TYPE(Boolean, "b", once_in(2))
TRY_TYPE(String, "", "")

static void other_types(Actor *a) {
    static Operation *const all[] = {
        try_Int32, try_Int64, try_Boolean, try_Int32, try_Int64, try_Boolean, try_Int32, try_Int64, try_Boolean,
        try_Float32, try_Int8, try_UInt8, try_Int16, try_UInt16, try_UInt32, try_UInt64, try_String,
    };
    all[below(sizeof all / sizeof *all)](a);
}

static bool taken;

static void binaries_and_clocks(Actor *a) {
    Reference r[8];
    size_t count = references(r, 0), sizes[8] = {0};
    fmi3Binary values[8] = {NULL};
    fmi3Clock clocks[8] = {0};
    taken = TRY(a, GetBinary, r, count, sizes, values, count);
    taken = TRY(a, SetBinary, r, count, sizes, values, count) || taken;
    taken = TRY(a, GetClock, r, count, clocks) || taken;
    taken = TRY(a, SetClock, r, count, clocks) || taken;
    if (taken && count) flaw("a binary or clock that no variable is");
}

static void intervals(Actor *a) {
    Reference r[8];
    size_t count = references(r, 0);
    double times[8] = {0.0};
    fmi3UInt64 counters[8] = {0}, resolutions[8] = {0};
    fmi3IntervalQualifier qualifiers[8];
    memset(qualifiers, 0, sizeof qualifiers);
    TRY(a, GetIntervalDecimal, r, count, times, qualifiers);
    TRY(a, GetIntervalFraction, r, count, counters, resolutions, qualifiers);
    TRY(a, GetShiftDecimal, r, count, times);
    TRY(a, GetShiftFraction, r, count, counters, resolutions);
    TRY(a, SetIntervalDecimal, r, count, times);
    TRY(a, SetIntervalFraction, r, count, counters, resolutions);
    TRY(a, SetShiftDecimal, r, count, times);
    TRY(a, SetShiftFraction, r, count, counters, resolutions);
}

static void odds_and_ends(Actor *a) {
    size_t count = MOST, elements[8];
    Reference r[8];
    fmi3DependencyKind found[8];
    if (TRY(a, GetNumberOfContinuousStates, MAYBE(&count)) && count != n_states) flaw("another number of states");
    if (TRY(a, GetNumberOfEventIndicators, MAYBE(&count)) && count && !has_events)
        flaw("an event indicator out of nothing");
    TRY(a, GetNumberOfVariableDependencies, reference(), MAYBE(&count));
    TRY(a, GetVariableDependencies, reference(), elements, r, elements, found, 8);
    TRY(a, ActivateModelPartition, reference(), number());
    TRY_BARE(a, EnterConfigurationMode);
    TRY_BARE(a, ExitConfigurationMode);
}

static void derivatives(Actor *a) {
    Reference unknowns[8], knowns[8];
    double seeds[MOST], results[MOST];
    size_t n_unknowns = references(unknowns, 0), n_knowns = references(knowns, 'i');
    size_t rows = numbers_of(unknowns, n_unknowns), columns = numbers_of(knowns, n_knowns);
    numbers(seeds, MOST);
    clear(results, MOST);
    if (once_in(2)) {
        bool done = TRY(a, GetDirectionalDerivative, MAYBE(unknowns), n_unknowns, MAYBE(knowns), n_knowns,
                        MAYBE(seeds), columns, MAYBE(results), rows);
        need_whole(done, results, rows, MOST);
    } else {
        bool done = TRY(a, GetAdjointDerivative, MAYBE(unknowns), n_unknowns, MAYBE(knowns), n_knowns, MAYBE(seeds),
                        rows, MAYBE(results), columns);
        need_whole(done, results, columns, MOST);
    }
}

static void get_slopes(Actor *a) {
    Reference r[8];
    fmi3Int32 orders[8];
    double values[MOST];
    size_t count = references(r, 'o');
    for (int i = 0; i < 8; i++) orders[i] = once_in(20) ? (fmi3Int32)below(4) - 1 : 1;
    size_t n = numbers_of(r, count);
    clear(values, MOST);
    need_whole(TRY(a, GetOutputDerivatives, MAYBE(r), count, MAYBE(orders), MAYBE(values), n), values, n, MOST);
}

/* -- co-simulation --------------------------------------------------------------------------------------- */

/* Inside a step values may be read; whatever would change or end the instance is refused. */
static void forbidden(Actor *a) {
    Boolean flags[3];
    double last;
    bool done = TRY_BARE(a, Reset) || TRY_BARE(a, Terminate) || TRY(a, SetFMUState, *slot()) ||
                TRY(a, DoStep, 0.0, 0.01, 1, &flags[0], &flags[1], &flags[2], &last);
    if (done) flaw("it is not refused inside a step");
    began("FreeInstance");
    api.FreeInstance(a->c);
}

static void updated(void *environment, double time, fmi3Boolean set_requested, fmi3Boolean get_allowed,
                    fmi3Boolean step_finished, fmi3Boolean can_return, fmi3Boolean *leave, double *until) {
    const char *call = calling;
    bool nobody = without_instance;
    if (environment != actors || set_requested || !get_allowed || !step_finished) flaw("an update of another kind");
    if (now(stepping) != time) flaw("an update at another time");
    get_values(stepping);
    if (once_in(4)) get_slopes(stepping);
    if (once_in(4)) forbidden(stepping);
    *leave = once_in(10);
    *until = time;
    (void)can_return;
    calling = call, without_instance = nobody;
}

/* What the FMU has asked for, as a rule. */
static void meet_event(Actor *a) {
    if (once_in(8)) return;
    enter_events(a);
    if (once_in(4)) get_values(a);
    if (!once_in(8)) update_states(a);
    if (once_in(4)) get_values(a);
    enter_steps(a);
}

static void step(Actor *a) {
    Boolean event = 1, terminated = 1, early = 1;
    double before = now(a), size = step_size(), time = isnan(before) ? 0.0 : before, last = NAN;
    if (once_in(15)) time = once_in(2) ? number() : bad_number();
    stepping = a;
    bool made = TRY(a, DoStep, time, size, once_in(2), MAYBE(&event), &terminated, &early, MAYBE(&last));
    bool nobody = without_instance;
    double after = now(a);
    if (nobody) return;
    steps_made += made;
    if (made && ((event && !(has_events && a->events)) || terminated)) flaw("a step ends with an event");
    if (made && early && !a->early) flaw("a step ends early without leave");
    if (made && last != after) flaw("a step ends at another time than it says");
    if (made && early ? !(time < after && after < time + size) : made && after != time + size)
        flaw("a step that was made doesn't end its size behind its beginning");
    if (!made && !isnan(before) && after != before) flaw("a step that was not made moves the time");
    if (made && event) events_told++, meet_event(a);
}

static void steps(Actor *a) {
    for (size_t k = a->exchange && !once_in(8) ? 0 : 1 + below(4); k; k--) step(a);
}

int main(int argc, char **argv) {
    static Operation *const operations[] = {
        bring_up, bring_up, bring_up, bring_up, steps, steps, steps, steps, get_values, get_values, get_values,
        set_values, set_values, derivatives, derivatives, get_slopes, other_types, binaries_and_clocks, intervals,
        odds_and_ends, get_state, get_state, set_state, set_state, free_state, serialize, damage, deserialize,
        round_trip, set_time, set_states, get_states, get_derivatives, get_derivatives, get_nominals,
        get_indicators, complete_step, enter_events, update_states, evaluate, enter_steps, enter_continuous_time,
        set_logging, enter_initialization, exit_initialization, terminate, reset, recreate,
    };
    return fuzz(argc, argv, operations, sizeof operations / sizeof *operations);
}
