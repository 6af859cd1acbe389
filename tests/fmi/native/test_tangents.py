"""Derivatives of native FMUs by the C sources alone: a known matrix stands for the tangents of a model's kernels."""

from __future__ import annotations

import itertools
from importlib import resources
from pathlib import Path

import numpy as np
import pytest

import mbs_fmu.fmi.native
from mbs_fmu.compile.build import compile_model
from mbs_fmu.fmi.description.variables import published, variable_table
from mbs_fmu.fmi.experiment import MOST_STEPS, Experiment
from mbs_fmu.fmi.native.source import model_header
from mbs_fmu.record.blocks import HeadNumbers
from mbs_fmu.run.step_control import StepControl
from support.c_programs import call, compiled
from support.comparisons import assert_close
from support.generators.vector_signals import vectors

FOLDER = resources.files(mbs_fmu.fmi.native) / "c"
PROGRAM = """
#include "tangents.c"

/* What tangents.c calls of other sources, for a model that has started and has no loops. */
Status core_report(Instance *I, Status status, const char *format, ...) { return (void)I, (void)format, status; }
Status core_start(Instance *I) { return (void)I, OK; }
double *call_refresh(Instance *I) { return I->R; }
size_t core_length(uint32_t reference) { return LENGTHS[reference]; }
Status unknown_reference(Instance *I, uint32_t reference) { return (void)I, (void)reference, FAILED; }
const char *phase_name(Phase phase) { return (void)phase, ""; }
void loops_configure(const Instance *I, double *R) { (void)I, (void)R; }
void loops_exchange_rates(Instance *I, double *R) { (void)I, (void)R; }
void loops_exchange_tangent(Instance *I) { (void)I; }
double loops_mass(const double *R) { return (void)R, 1.0; }

static const double *matrix; /* N_VARS rows of N_VARS numbers: elements of variables by elements */
static double product[N_VARS], record[N_R], tangents[N_R], scratch[N_R];
static int64_t multiply(double *R, double *D) {
    (void)R;
    for (size_t i = 0; i < N_VARS; i++) {
        product[i] = 0.0;
        for (size_t j = 0; j < N_VARS; j++) product[i] += matrix[i * N_VARS + j] * D[SLOTS[j]];
    }
    for (size_t i = 0; i < N_VARS; i++) D[SLOTS[i]] = product[i];
    return 0;
}
static Instance *instance(const double *J, const double *R) {
    static struct Kernels kernels;
    static Instance I;
    kernels.tangent = multiply, matrix = J, memcpy(record, R, sizeof record);
    I.kernels = &kernels, I.phase = STEPPING, I.R = record, I.D = tangents, I.scratch = scratch;
    return &I;
}
int64_t directional(const double *J, const double *R, const uint32_t *unknowns, int64_t n_unknowns,
                    const uint32_t *knowns, int64_t n_knowns, const double *seeds, double *results) {
    return core_directional(instance(J, R), unknowns, n_unknowns, knowns, n_knowns, seeds, results);
}
int64_t adjoint(const double *J, const double *R, const uint32_t *unknowns, int64_t n_unknowns,
                const uint32_t *knowns, int64_t n_knowns, const double *seeds, double *results) {
    return core_adjoint(instance(J, R), unknowns, n_unknowns, knowns, n_knowns, seeds, results);
}
int64_t slope(const double *J, const double *R, int64_t reference, double *slopes) {
    return core_output_slope(instance(J, R), reference, slopes);
}
"""


KNOWN, UNKNOWN = ("time", "input", "state", "coordinate", "momentum"), ("output", "derivative")


@pytest.mark.quick
def test_derivatives_are_products_with_the_jacobian(tmp_path: Path) -> None:
    """J v, Jᵀ w and the slopes of outputs along the motion: one, two and all knowns and unknowns in any order, with
    arrays among the unknowns.
    """
    program, experiment = compile_model(vectors()), Experiment(1.0, 0.01, StepControl.of("rk4", 1e-3), MOST_STEPS)
    (tmp_path / "model.h").write_text(model_header(program, experiment, "{token}", "3.0"), encoding="utf-8")
    with resources.as_file(FOLDER) as folder:
        library = compiled(PROGRAM, tmp_path, ["-O1", "-I", str(folder), "-I", str(tmp_path)])
    rows, rng = variable_table(program, experiment.naming), np.random.default_rng(3)
    slots = [row.slot for row in rows]
    assert len(set(slots)) == len(rows)
    J, R = rng.normal(size=(len(rows), len(rows))), rng.normal(size=program.regions["end"][0])
    elements = {v.rows[0].reference: [row.reference for row in v.rows] for v in published(rows, True)}
    known, unknown = ([k for k in elements if rows[k].role in roles] for roles in (KNOWN, UNKNOWN))
    assert max(len(elements[k]) for k in unknown) > 1

    for m, n in itertools.product((1, 2, len(unknown)), (1, 2, len(known))):
        unknowns, knowns = (rng.permutation(x)[:k].astype(np.uint32) for x, k in ((unknown, m), (known, n)))
        part = J[np.ix_(*([i for k in references for i in elements[k]] for references in (unknowns, knowns)))]
        for name, matrix in (("directional", part), ("adjoint", part.T)):
            seeds, results = rng.normal(size=matrix.shape[1]), np.full(matrix.shape[0], np.nan)
            assert call(library, name, J, R, unknowns, m, knowns, n, seeds, results) == 0
            bound = 1e-14 * (np.abs(matrix) @ np.abs(seeds))  # some 20 terms, each rounded
            assert_close(results, matrix @ seeds, bound, f"{name} derivative, {m} unknowns and {n} knowns")

    motion = np.zeros(R.size)
    motion[program.state_slice], motion[HeadNumbers.time] = R[program.rate_slice], 1.0
    for reference in (k for k in unknown if rows[k].role == "output"):
        matrix, results = J[elements[reference]], np.full(len(elements[reference]), np.nan)
        assert call(library, "slope", J, R, reference, results) == 0
        bound = 1e-14 * (np.abs(matrix) @ np.abs(motion[slots]))
        assert_close(results, matrix @ motion[slots], bound, f"slope of {rows[reference].name}")
