/* A run of course.h in FMI Library, by FMI 2.0. */
#include <fmilib.h>

#include "course.h"

static fmi_import_context_t *context;
static fmi2_import_t *fmu;
static jm_callbacks callbacks;
static fmi2_callback_functions_t functions;

static void note(jm_callbacks *c, jm_string module, jm_log_level_enu_t level, jm_string message) {
    (void)c;
    fprintf(stderr, "%s: [%s] %s\n", module, jm_log_level_to_string(level), message);
}

static void load(const char *path, const char *folder) {
    callbacks = (jm_callbacks){malloc, calloc, realloc, free, note, jm_log_level_warning, NULL, ""};
    context = fmi_import_allocate_context(&callbacks);
    require(fmi_import_get_fmi_version(context, path, folder) == fmi_version_2_0_enu, "version");
    fmu = fmi2_import_parse_xml(context, folder, NULL);
    require(fmu != NULL, "description");
}

static void start(bool exchange) {
    functions = (fmi2_callback_functions_t){fmi2_log_forwarding, calloc, free, NULL, fmu};
    fmi2_fmu_kind_enu_t kind = exchange ? fmi2_fmu_kind_me : fmi2_fmu_kind_cs;
    fmi2_type_t type = exchange ? fmi2_model_exchange : fmi2_cosimulation;
    require(fmi2_import_create_dllfmu(fmu, kind, &functions) == jm_status_success, "library");
    require(fmi2_import_instantiate(fmu, "one", type, NULL, fmi2_false) == jm_status_success, "instance");
    require(!fmi2_import_setup_experiment(fmu, fmi2_false, 0.0, 0.0, fmi2_false, 0.0), "experiment");
    require(!fmi2_import_enter_initialization_mode(fmu), "enter initialization mode");
    require(!fmi2_import_exit_initialization_mode(fmu), "exit initialization mode");
    if (!exchange) return;
    fmi2_event_info_t info;
    require(!fmi2_import_new_discrete_states(fmu, &info), "new discrete states");
    require(!fmi2_import_enter_continuous_time_mode(fmu), "continuous-time mode");
}

static void make_step(double time, double size) { require(!fmi2_import_do_step(fmu, time, size, fmi2_true), "step"); }

static void get_states(double *x, size_t count) {
    require(!fmi2_import_get_continuous_states(fmu, x, count), "states");
}

static void get_rates(double *rates, size_t count) { require(!fmi2_import_get_derivatives(fmu, rates, count), "rates"); }

static void set_point(double time, const double *x, size_t count) {
    fmi2_boolean_t enter, terminate;
    require(!fmi2_import_set_time(fmu, time), "time");
    require(!fmi2_import_set_continuous_states(fmu, x, count), "set states");
    require(!fmi2_import_completed_integrator_step(fmu, fmi2_true, &enter, &terminate), "completed step");
}

static void get_values(const unsigned *references, size_t count, double *values) {
    require(!fmi2_import_get_real(fmu, references, count, values), "values");
}

static void finish(void) {
    require(!fmi2_import_terminate(fmu), "terminate");
    fmi2_import_free_instance(fmu);
    fmi2_import_destroy_dllfmu(fmu);
    fmi2_import_free(fmu);
    fmi_import_free_context(context);
}
