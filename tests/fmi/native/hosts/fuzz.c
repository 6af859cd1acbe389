/* Random sequences of FMI 2.0 calls, judged by the laws of fuzz.h. */
#include "api2.h"

typedef fmi2Boolean Boolean;
typedef fmi2Byte Byte;
typedef fmi2ValueReference Reference;

#include "fuzz.h"

static void told_by_fmu(void *environment, const char *name, fmi2Status status, const char *category,
                        const char *text, ...) {
    if (!name) flaw("a message without the instance's name");
    note(environment, (int)status, category, text);
}

static const fmi2CallbackFunctions TELLING = {told_by_fmu, calloc, free, NULL, actors};

static double now(const Actor *a) {
    double time = NAN;
    return api.GetRealStatus(a->c, fmi2LastSuccessfulTime, &time) == fmi2OK ? time : NAN;
}

/* -- creation and start ---------------------------------------------------------------------------------- */

static void create_badly(fmi2Type type) {
    began("Instantiate with a wrong guid or name");
    const bool named = once_in(2);
    const char *wrong = named ? "{another}" : NULL;
    const bool listened = once_in(2);
    if (api.Instantiate(once_in(2) ? "" : NULL, type, guid, NULL, listened ? &TELLING : NULL, 0, 0) ||
        api.Instantiate("name", type, wrong, NULL, listened ? &TELLING : NULL, 0, 0))
        flaw("an instance in spite of it");
    if (listened && !(told & (1u << S_ERROR))) flaw("no word about it");
}

static void create(Actor *a) {
    memset(a, 0, sizeof *a);
    a->exchange = once_in(2);
    a->loud = !once_in(10);
    fmi2Type type = a->exchange ? fmi2ModelExchange : fmi2CoSimulation;
    if (once_in(20)) create_badly(type);
    a->deaf = once_in(40);
    began("Instantiate");
    a->c = api.Instantiate("an instance", type, guid, NULL, a->deaf ? NULL : &TELLING, 0, a->loud);
    if (!a->c) flaw("no instance");
}

static void *foreign_state(const char *path, const char *other_guid) {
    static Api other;
    void *state = NULL;
    load(&other, path);
    void *c = other.Instantiate("other", fmi2CoSimulation, other_guid, NULL, &TELLING, 0, 1);
    if (!c || other.GetFMUState(c, &state) != fmi2OK) flaw("no state of the other model");
    other.FreeInstance(c);
    return state;
}

static void set_up(Actor *a) {
    double start = once_in(10) ? number() : 0.0, stop = once_in(2) ? 10.0 : number();
    TRY(a, SetupExperiment, once_in(3), once_in(2) ? 1e-4 : number(), start, once_in(8), stop);
}

static void enter_initialization(Actor *a) { TRY_BARE(a, EnterInitializationMode); }

static void new_discrete_states(Actor *a) {
    fmi2EventInfo info;
    memset(&info, 255, sizeof info);
    if (TRY(a, NewDiscreteStates, MAYBE(&info)) && (info.newDiscreteStatesNeeded || info.terminateSimulation))
        flaw("an event out of nothing");
}

static void set_values(Actor *a);

static void bring_up(Actor *a) {
    reset(a);
    set_up(a);
    enter_initialization(a);
    if (once_in(4)) set_values(a);
    exit_initialization(a);
    if (!a->exchange) return;
    new_discrete_states(a);
    enter_continuous_time(a);
}

/* -- values ---------------------------------------------------------------------------------------------- */

static void get_values(Actor *a) {
    Reference r[8];
    double values[8];
    size_t count = references(r, 0);
    clear(values, 8);
    need_whole(TRY(a, GetReal, MAYBE(r), count, MAYBE(values)), values, count, 8);
}

static void set_values(Actor *a) {
    Reference r[8];
    double values[8];
    size_t count = references(r, 'i');
    numbers(values, 8);
    TRY(a, SetReal, MAYBE(r), count, MAYBE(values));
}

#define TRY_TYPE(Type, wanted, value)                                       \
    static void try_##Type(Actor *a) {                                      \
        Reference r[8];                                                     \
        fmi2##Type values[8];                                               \
        size_t count = references_with(r, wanted);                          \
        memset(values, UNWRITTEN, sizeof values);                           \
        bool done = TRY(a, Get##Type, MAYBE(r), count, MAYBE(values));      \
        need_type(done, r, count, wanted);                                  \
        need_unwritten(done, values, sizeof values);                        \
        for (int k = 0; k < 8; k++) values[k] = value;                      \
        done = TRY(a, Set##Type, MAYBE(r), count, MAYBE(values));           \
        need_type(done, r, count, wanted);                                  \
    }
TRY_TYPE(Integer, "ie", (fmi2Integer)whole_number())
TRY_TYPE(Boolean, "b", (fmi2Boolean)whole_number())
TRY_TYPE(String, "", "")

static void other_types(Actor *a) {
    static Operation *const all[] = {try_Integer, try_Integer, try_Boolean, try_Boolean, try_String};
    all[below(sizeof all / sizeof *all)](a);
}

static void directional(Actor *a) {
    Reference unknowns[8], knowns[8];
    double seeds[8], results[8];
    size_t n_unknowns = references(unknowns, 0), n_knowns = references(knowns, 'i');
    numbers(seeds, 8);
    clear(results, 8);
    bool done = TRY(a, GetDirectionalDerivative, MAYBE(unknowns), n_unknowns, MAYBE(knowns), n_knowns, MAYBE(seeds),
                    MAYBE(results));
    need_whole(done, results, n_unknowns, 8);
}

static void orders(fmi2Integer *out) {
    for (int i = 0; i < 8; i++) out[i] = once_in(20) ? (fmi2Integer)below(4) - 1 : 1;
}

static void set_slopes(Actor *a) {
    Reference r[8];
    fmi2Integer order[8];
    double values[8];
    size_t count = references(r, 'i');
    orders(order);
    numbers(values, 8);
    TRY(a, SetRealInputDerivatives, MAYBE(r), once_in(3) ? count : count != 0, MAYBE(order), MAYBE(values));
}

static void get_slopes(Actor *a) {
    Reference r[8];
    fmi2Integer order[8];
    double values[8];
    size_t count = references(r, 'o');
    if (!once_in(3)) count = count != 0;
    orders(order);
    clear(values, 8);
    need_whole(TRY(a, GetRealOutputDerivatives, MAYBE(r), count, MAYBE(order), MAYBE(values)), values, count, 8);
}

/* -- co-simulation --------------------------------------------------------------------------------------- */

static void step(Actor *a) {
    double before = now(a), size = step_size(), time = isnan(before) ? 0.0 : before;
    if (once_in(15)) time = once_in(2) ? number() : bad_number();
    bool made = TRY(a, DoStep, time, size, once_in(2)), nobody = without_instance;
    double after = now(a);
    if (nobody) return;
    steps_made += made;
    if (made && after != time + size) flaw("a step that was made doesn't end its size behind its beginning");
    if (!made && !isnan(before) && after != before) flaw("a step that was not made moves the time");
}

static void steps(Actor *a) {
    for (size_t k = a->exchange && !once_in(8) ? 0 : 1 + below(4); k; k--) step(a);
}

static void get_status(Actor *a) {
    fmi2StatusKind kind = (fmi2StatusKind)below(5);
    fmi2Status status = fmi2OK;
    fmi2Integer whole = 0;
    fmi2String text = NULL;
    double time = NAN;
    if (TRY(a, GetRealStatus, kind, MAYBE(&time))) need_finite(&time, 1);
    TRY(a, GetBooleanStatus, kind, MAYBE(&whole));
    TRY(a, GetStatus, kind, &status);
    TRY(a, GetIntegerStatus, kind, &whole);
    TRY(a, GetStringStatus, kind, &text);
}

static void cancel(Actor *a) {
    if (TRY_BARE(a, CancelStep)) flaw("a step is cancelled where none runs");
}

int main(int argc, char **argv) {
    static Operation *const operations[] = {
        bring_up, bring_up, bring_up, bring_up, steps, steps, steps, steps, get_values, get_values, get_values,
        set_values, set_values, directional, directional, set_slopes, get_slopes, other_types, get_state, get_state,
        set_state, set_state, free_state, serialize, damage, deserialize, round_trip, set_time, set_states,
        get_states, get_derivatives, get_derivatives, get_nominals, get_indicators, complete_step, enter_events,
        new_discrete_states, enter_continuous_time, get_status, cancel, set_logging, set_up, enter_initialization,
        exit_initialization, terminate, reset, recreate,
    };
    return fuzz(argc, argv, operations, sizeof operations / sizeof *operations);
}
