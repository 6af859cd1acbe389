/* A long run of an FMI 2.0 co-simulation whose communication points are counted, k STEP: a step that is refused ends the
 * program with an error; prints how many were made, and what was read after the last. Arguments: those of host.h. */
#include "host.h"

int main(int count, char **arguments) {
    static Run run;
    double values[MOST];
    parse(&run, count, arguments);
    fmi2Component c = started(&run, "long", 0.0);
    for (int k = 0; k < run.count; k++) step(&run, c, k, values);
    printf("%d %.17g\n", run.count, values[0]);
    run.api.FreeInstance(c);
    return 0;
}
