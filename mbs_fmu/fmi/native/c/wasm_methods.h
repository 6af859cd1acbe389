/* Functions that both interfaces of a component have. wasm.c includes this file for each, which INTERFACE, RESOURCE and
 * OF name. */
#undef METHOD
#undef LISTING
#define METHOD(name) EXPORT(INTERFACE "#[method]" RESOURCE "." name)

/* A function that returns a list, and the one by which the importer frees it. */
#define LISTING(name, function)                                                                                  \
    EXPORT("cabi_post_" INTERFACE "#[method]" RESOURCE "." name) void OF(free_##function)(Listed * result) {     \
        free_list(result);                                                                                       \
    }                                                                                                            \
    METHOD(name) Listed *OF(function)

IMPORT("[export]" INTERFACE, "[resource-new]" RESOURCE) int OF(handle)(Held *);

EXPORT(INTERFACE "#[dtor]" RESOURCE) void OF(release)(Held *h) { release(h); }

/* -- life cycle ----------------------------------------------------------------------------------------------- */

METHOD("set-debug-logging") int OF(set_debug_logging)(Held *h, bool on, Text *categories, size_t count) {
    char **names = room(count, sizeof *names);
    for (size_t k = 0; k < count; k++) names[k] = closed(categories[k].bytes, categories[k].size);
    fmi3Status status = fmi3SetDebugLogging(h->instance, on, count, (const fmi3String *)names);
    for (size_t k = 0; k < count; k++) free(names[k]);
    free(names), drop(categories, count);
    return status;
}

METHOD("enter-initialization-mode")
int OF(enter_initialization)(Held *h, bool has_tolerance, double tolerance, double start, bool has_stop, double stop) {
    return fmi3EnterInitializationMode(h->instance, has_tolerance, tolerance, start, has_stop, stop);
}

#undef TO_MODE
#define TO_MODE(name, Function) \
    METHOD(name) int OF(Function)(Held *h) { return fmi3##Function(h->instance); }
TO_MODE("exit-initialization-mode", ExitInitializationMode)
TO_MODE("enter-event-mode", EnterEventMode)
TO_MODE("enter-step-mode", EnterStepMode)
TO_MODE("enter-configuration-mode", EnterConfigurationMode)
TO_MODE("exit-configuration-mode", ExitConfigurationMode)
TO_MODE("evaluate-discrete-states", EvaluateDiscreteStates)
TO_MODE("terminate", Terminate)
TO_MODE("reset", Reset)

METHOD("update-discrete-states") Updated *OF(update)(Held *h) {
    static Updated result;
    bool again, terminate, nominals_changed, values_changed, has_next_time;
    double next_time;
    fmi3Status status = fmi3UpdateDiscreteStates(h->instance, &again, &terminate, &nominals_changed, &values_changed,
                                                 &has_next_time, &next_time);
    result.failed = is_error(status);
    if (is_error(status)) result.as.status = (uint8_t)status;
    else
        result.as.info.again = again, result.as.info.terminate = terminate,
        result.as.info.nominals_changed = nominals_changed, result.as.info.values_changed = values_changed,
        result.as.info.has_next_time = has_next_time, result.as.info.next_time = next_time;
    return &result;
}

/* -- values --------------------------------------------------------------------------------------------------- */

#undef VALUES
#define VALUES(name, Type)                                                                                       \
    LISTING("get-" name, get_##Type)(Held *h, uint32_t *references, size_t count) {                              \
        size_t numbers = total(references, count);                                                               \
        fmi3##Type *values = room(numbers, sizeof *values);                                                      \
        fmi3Status status = fmi3Get##Type(h->instance, references, count, values, numbers);                      \
        drop(references, count);                                                                                 \
        return listed(status, values, numbers);                                                                  \
    }                                                                                                            \
    METHOD("set-" name)                                                                                          \
    int OF(set_##Type)(Held *h, uint32_t *references, size_t count, fmi3##Type *values, size_t numbers) {        \
        fmi3Status status = fmi3Set##Type(h->instance, references, count, values, numbers);                      \
        drop(references, count), drop(values, numbers);                                                          \
        return status;                                                                                           \
    }
VALUES("float32", Float32)
VALUES("float64", Float64)
VALUES("int8", Int8)
VALUES("int16", Int16)
VALUES("int32", Int32)
VALUES("int64", Int64)
VALUES("uint8", UInt8)
VALUES("uint16", UInt16)
VALUES("uint32", UInt32)
VALUES("uint64", UInt64)
VALUES("boolean", Boolean)

/* No model has texts, binaries or clocks: with any reference these functions fail. */
#undef NO_VALUES
#define NO_VALUES(name, Type, getting, setting)                                                                  \
    LISTING("get-" name, get_##Type)(Held *h, uint32_t *references, size_t count) {                              \
        fmi3Status status = fmi3Get##Type getting;                                                               \
        drop(references, count);                                                                                 \
        return listed(status, NULL, 0);                                                                          \
    }                                                                                                            \
    METHOD("set-" name)                                                                                          \
    int OF(set_##Type)(Held *h, uint32_t *references, size_t count, Text *values, size_t n_values) {             \
        fmi3Status status = fmi3Set##Type setting;                                                               \
        OF(drop_##Type)(values, n_values);                                                                       \
        drop(references, count);                                                                                 \
        return status;                                                                                           \
    }
static void OF(drop_String)(Text *values, size_t count) {
    for (size_t k = 0; k < count; k++) drop(values[k].bytes, values[k].size);
    drop(values, count);
}
static void OF(drop_Binary)(Text *values, size_t count) { OF(drop_String)(values, count); }
static void OF(drop_Clock)(Text *values, size_t count) { drop(values, count); }
NO_VALUES("string", String, (h->instance, references, count, NULL, 0), (h->instance, references, count, NULL, 0))
NO_VALUES("binary", Binary, (h->instance, references, count, NULL, NULL, 0),
          (h->instance, references, count, NULL, NULL, 0))
NO_VALUES("clock", Clock, (h->instance, references, count, NULL), (h->instance, references, count, NULL))

/* -- saved states --------------------------------------------------------------------------------------------- */

LISTING("get-fmu-state", get_state)(Held *h) {
    fmi3FMUState state = NULL;
    size_t size = 0;
    fmi3Status status = fmi3GetFMUState(h->instance, &state);
    if (is_error(status)) return listed(status, NULL, 0);
    status = fmi3SerializedFMUStateSize(h->instance, state, &size);
    uint8_t *bytes = room(size, 1);
    if (!is_error(status)) status = fmi3SerializeFMUState(h->instance, state, bytes, size);
    fmi3FreeFMUState(h->instance, &state);
    return listed(status, bytes, size);
}

METHOD("set-fmu-state") int OF(set_state)(Held *h, uint8_t *bytes, size_t size) {
    fmi3FMUState state = NULL;
    fmi3Status status = fmi3DeserializeFMUState(h->instance, bytes, size, &state);
    drop(bytes, size);
    if (is_error(status)) return status;
    status = fmi3SetFMUState(h->instance, state);
    fmi3FreeFMUState(h->instance, &state);
    return status;
}

/* -- derivatives and dependencies ----------------------------------------------------------------------------- */

#undef DERIVATIVE
#define DERIVATIVE(name, Function, results)                                                                      \
    LISTING(name, Function)(Held *h, uint32_t *unknowns, size_t n_unknowns, uint32_t *knowns, size_t n_knowns,   \
                            double *seeds, size_t n_seeds) {                                                     \
        size_t count = total(results, n_##results);                                                              \
        double *values = room(count, sizeof *values);                                                            \
        fmi3Status status = fmi3##Function(h->instance, unknowns, n_unknowns, knowns, n_knowns, seeds, n_seeds,  \
                                           values, count);                                                       \
        drop(unknowns, n_unknowns), drop(knowns, n_knowns), drop(seeds, n_seeds);                                \
        return listed(status, values, count);                                                                    \
    }
DERIVATIVE("get-directional-derivative", GetDirectionalDerivative, unknowns)
DERIVATIVE("get-adjoint-derivative", GetAdjointDerivative, knowns)

LISTING("get-output-derivatives", get_output_derivatives)(Held *h, Request *requests, size_t count) {
    uint32_t *references = room(count, sizeof *references);
    int32_t *orders = room(count, sizeof *orders);
    for (size_t k = 0; k < count; k++) references[k] = requests[k].reference, orders[k] = (int32_t)requests[k].order;
    drop(requests, count);
    size_t numbers = total(references, count);
    double *values = room(numbers, sizeof *values);
    fmi3Status status = fmi3GetOutputDerivatives(h->instance, references, count, orders, values, numbers);
    free(references), free(orders);
    return listed(status, values, numbers);
}

METHOD("get-number-of-variable-dependencies") Counted *OF(count_dependencies)(Held *h, uint32_t reference) {
    size_t count = 0;
    fmi3Status status = fmi3GetNumberOfVariableDependencies(h->instance, reference, &count);
    return counted(status, count);
}

LISTING("get-variable-dependencies", get_dependencies)(Held *h, uint32_t reference) {
    return listed(fmi3GetVariableDependencies(h->instance, reference, NULL, NULL, NULL, NULL, 0), NULL, 0);
}

/* -- clocks, which no model has ------------------------------------------------------------------------------- */

#undef CLOCKS
#define CLOCKS(name, Function, ...)                                                                              \
    LISTING("get-" name, get_##Function)(Held *h, uint32_t *references, size_t count) {                          \
        fmi3Status status = fmi3Get##Function(h->instance, references, count, __VA_ARGS__);                      \
        drop(references, count);                                                                                 \
        return listed(status, NULL, 0);                                                                          \
    }
CLOCKS("interval-decimal", IntervalDecimal, NULL, NULL)
CLOCKS("interval-fraction", IntervalFraction, NULL, NULL, NULL)
CLOCKS("shift-decimal", ShiftDecimal, NULL)
CLOCKS("shift-fraction", ShiftFraction, NULL, NULL)

#undef SET_CLOCKS
#define SET_CLOCKS(name, Function, ...)                                                                          \
    METHOD("set-" name)                                                                                          \
    int OF(set_##Function)(Held *h, uint32_t *references, size_t count, void *values, size_t n_values) {         \
        fmi3Status status = fmi3Set##Function(h->instance, references, count, __VA_ARGS__);                      \
        drop(references, count), drop(values, n_values);                                                         \
        return status;                                                                                           \
    }
SET_CLOCKS("interval-decimal", IntervalDecimal, NULL)
SET_CLOCKS("interval-fraction", IntervalFraction, NULL, NULL)
SET_CLOCKS("shift-decimal", ShiftDecimal, NULL)
SET_CLOCKS("shift-fraction", ShiftFraction, NULL, NULL)
