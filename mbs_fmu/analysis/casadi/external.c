/* A model's functions for casadi.external. The file before this one defines the sizes NX, NU, NP, NY, WIDTH and LANES,
 * the arrays of the kernels (ARRAYS, LENGTHS, FIRST), the places of X and Y among them, the calls VALUE and JACOBIAN,
 * and the function's name. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

typedef long long int casadi_int;

#define API __attribute__((visibility("default")))
#define JOINED(a, b) a##b
#define JOIN(a, b) JOINED(a, b)
#define OF(suffix) JOIN(FUNCTION, suffix)
#define JACOBIAN_OF(suffix) JOIN(JOIN(jac_, FUNCTION), suffix)
#define MOST 64 /* calls at the same time */

/* Working memory of a call: the arrays of both kernels, aligned. */
typedef struct {
    double *block, *a[ARRAYS];
} memory;

static memory memories[MOST];
static atomic_flag taken[MOST];

static int made(memory *m) {
    size_t all = 8, place;
    for (int k = 0; k < ARRAYS; k++) all += (LENGTHS[k] + 7) / 8 * 8;
    double *block = calloc(all, sizeof *block);
    if (!block) return 0;
    place = (64 - (size_t)block % 64) % 64 / sizeof *block;
    for (int k = 0; k < ARRAYS; k++) {
        m->a[k] = block + place;
        if (FIRST[k]) memcpy(m->a[k], FIRST[k], LENGTHS[k] * sizeof *block);
        place += (LENGTHS[k] + 7) / 8 * 8;
    }
    m->block = block;
    return 1;
}

static int checked_out(void) {
    for (int k = 0; k < MOST; k++)
        if (!atomic_flag_test_and_set(&taken[k])) {
            if (memories[k].block || made(&memories[k])) return k;
            atomic_flag_clear(&taken[k]);
            return -1;
        }
    return -1;
}

/* Write the arguments t, x, u, p to X; missing ones are zero. */
static void take(double *X, const double **arg) {
    static const int sizes[4] = {1, NX, NU, NP};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < sizes[i]; k++) *X++ = arg[i] ? arg[i][k] : 0.0;
}

/* -- sparsity: dense, and without nonzeros for the results that are arguments of a Jacobian ------------------------- */

static const casadi_int T[] = {1, 1, 1}, X_[] = {NX, 1, 1}, U_[] = {NU, 1, 1}, P_[] = {NP, 1, 1}, Y_[] = {NY, 1, 1};
static const casadi_int NO_X[] = {NX, 1, 0, 0}, NO_Y[] = {NY, 1, 0, 0};
static const casadi_int XT[] = {NX, 1, 1}, XX[] = {NX, NX, 1}, XU[] = {NX, NU, 1}, XP[] = {NX, NP, 1};
static const casadi_int YT[] = {NY, 1, 1}, YX[] = {NY, NX, 1}, YU[] = {NY, NU, 1}, YP[] = {NY, NP, 1};
static const casadi_int *const ARGUMENTS[] = {T, X_, U_, P_, NO_X, NO_Y};
static const casadi_int *const RESULTS[] = {X_, Y_};
static const casadi_int *const BLOCKS[] = {XT, XX, XU, XP, YT, YX, YU, YP};

API casadi_int OF(_n_in)(void) { return 4; }
API casadi_int OF(_n_out)(void) { return 2; }
API const casadi_int *OF(_sparsity_in)(casadi_int i) { return ARGUMENTS[i]; }
API const casadi_int *OF(_sparsity_out)(casadi_int i) { return RESULTS[i]; }
API const char *OF(_name_in)(casadi_int i) {
    static const char *const names[] = {"t", "x", "u", "p"};
    return names[i];
}
API const char *OF(_name_out)(casadi_int i) { return i ? "y" : RATES; }
API int OF(_checkout)(void) { return checked_out(); }
API void OF(_release)(int k) { atomic_flag_clear(&taken[k]); }

API casadi_int JACOBIAN_OF(_n_in)(void) { return 6; }
API casadi_int JACOBIAN_OF(_n_out)(void) { return 8; }
API const casadi_int *JACOBIAN_OF(_sparsity_in)(casadi_int i) { return ARGUMENTS[i]; }
API const casadi_int *JACOBIAN_OF(_sparsity_out)(casadi_int i) { return BLOCKS[i]; }
API int JACOBIAN_OF(_checkout)(void) { return checked_out(); }
API void JACOBIAN_OF(_release)(int k) { atomic_flag_clear(&taken[k]); }

/* -- evaluation ------------------------------------------------------------------------------------------------------ */

API int FUNCTION(const double **arg, double **res, casadi_int *iw, double *w, int k) {
    memory *m = &memories[k];
    (void)iw, (void)w;
    take(m->a[VALUE_X], arg);
    if (VALUE(m->a)) return 1;
    const double *Y = m->a[VALUE_Y];
    if (res[0]) memcpy(res[0], Y, NX * sizeof *Y);
    if (res[1]) memcpy(res[1], Y + NX, NY * sizeof *Y);
    return 0;
}

API int JOIN(jac_, FUNCTION)(const double **arg, double **res, casadi_int *iw, double *w, int k) {
    static const int sizes[4] = {1, NX, NU, NP};
    memory *m = &memories[k];
    (void)iw, (void)w;
    take(m->a[JACOBIAN_X], arg);
    JACOBIAN(m->a);
    const double *Y = m->a[JACOBIAN_Y];
    int direction = 0;
    for (int i = 0; i < 4; i++)
        for (int column = 0; column < sizes[i]; column++, direction++) {
            const double *J = Y + (size_t)(1 + direction / LANES) * WIDTH * LANES + direction % LANES;
            for (int row = 0; row < NX && res[i]; row++) res[i][column * NX + row] = J[row * LANES];
            for (int row = 0; row < NY && res[4 + i]; row++) res[4 + i][column * NY + row] = J[(NX + row) * LANES];
        }
    return 0;
}
