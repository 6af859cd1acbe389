/* A run of course.h in FMI Library 3, by FMI 3.0. */
#include <fmilib.h>

#include "course.h"

static fmi_import_context_t *context;
static fmi3_import_t *fmu;
static jm_callbacks callbacks;

static void note(jm_callbacks *c, jm_string module, jm_log_level_enu_t level, jm_string message) {
    (void)c;
    fprintf(stderr, "%s: [%s] %s\n", module, jm_log_level_to_string(level), message);
}

static void load(const char *path, const char *folder) {
    callbacks = (jm_callbacks){malloc, calloc, realloc, free, note, jm_log_level_warning, NULL, ""};
    context = fmi_import_allocate_context(&callbacks);
    require(fmi_import_get_fmi_version(context, path, folder) == fmi_version_3_0_enu, "version");
    fmu = fmi3_import_parse_xml(context, folder, NULL);
    require(fmu != NULL, "description");
}

static void start_exchange(void) {
    fmi3_boolean_t again, terminate, nominals, values, defined;
    double next_time;
    require(!fmi3_import_update_discrete_states(fmu, &again, &terminate, &nominals, &values, &defined, &next_time),
            "update discrete states");
    require(!fmi3_import_enter_continuous_time_mode(fmu), "continuous-time mode");
}

static void start(bool exchange) {
    fmi3_fmu_kind_enu_t kind = exchange ? fmi3_fmu_kind_me : fmi3_fmu_kind_cs;
    require(fmi3_import_create_dllfmu(fmu, kind, NULL, NULL) == jm_status_success, "library");
    jm_status_enu_t made =
        exchange ? fmi3_import_instantiate_model_exchange(fmu, "one", NULL, false, false)
                 : fmi3_import_instantiate_co_simulation(fmu, "one", NULL, false, false, false, false, NULL, 0, NULL);
    require(made == jm_status_success, "instance");
    require(!fmi3_import_enter_initialization_mode(fmu, false, 0.0, 0.0, false, 0.0), "enter initialization mode");
    require(!fmi3_import_exit_initialization_mode(fmu), "exit initialization mode");
    if (exchange) start_exchange();
}

static void make_step(double time, double size) {
    fmi3_boolean_t event, terminate, early;
    double reached;
    require(!fmi3_import_do_step(fmu, time, size, true, &event, &terminate, &early, &reached), "step");
}

static void get_states(double *x, size_t count) {
    require(!fmi3_import_get_continuous_states(fmu, x, count), "states");
}

static void get_rates(double *rates, size_t count) { require(!fmi3_import_get_derivatives(fmu, rates, count), "rates"); }

static void set_point(double time, const double *x, size_t count) {
    fmi3_boolean_t enter, terminate;
    require(!fmi3_import_set_time(fmu, time), "time");
    require(!fmi3_import_set_continuous_states(fmu, x, count), "set states");
    require(!fmi3_import_completed_integrator_step(fmu, true, &enter, &terminate), "completed step");
}

static void get_values(const unsigned *references, size_t count, double *values) {
    require(!fmi3_import_get_float64(fmu, references, count, values, count), "values");
}

static void finish(void) {
    require(!fmi3_import_terminate(fmu), "terminate");
    fmi3_import_free_instance(fmu);
    fmi3_import_destroy_dllfmu(fmu);
    fmi3_import_free(fmu);
    fmi_import_free_context(context);
}
