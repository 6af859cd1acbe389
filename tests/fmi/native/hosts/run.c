/* A host without Python: loads the library of an FMU, runs it, prints a line of values after each step. */
#include "host.h"

int main(int count, char **arguments) {
    static Run run;
    double values[MOST];
    parse(&run, count, arguments);
    fmi2Component c = started(&run, "run", 0.0);
    for (int k = 0; k < run.count; k++) {
        step(&run, c, k, values);
        for (size_t i = 0; i < run.n_read; i++) printf("%.17g%c", values[i], i + 1 < run.n_read ? ' ' : '\n');
    }
    require(run.api.Terminate(c), "terminate");
    run.api.FreeInstance(c);
    return 0;
}
