/* The same for FMI 3.0: LIBRARY TOKEN STEP COUNT. */
#include "api3.h"

static void print_message(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                          fmi3String text) {
    (void)environment;
    fprintf(stderr, "%s, status %d: %s\n", category, (int)status, text);
}

int main(int count, char **arguments) {
    static Api api;
    fmi3ValueReference clock = 0;
    fmi3Boolean event, terminate, early;
    double time = 0.0, last;
    int k = 0;
    if (count < 5) return 2;
    load(&api, arguments[1]);
    const double size = strtod(arguments[3], NULL);
    const int steps = atoi(arguments[4]);
    fmi3Instance c = api.InstantiateCoSimulation("long", arguments[2], "", 0, 1, 0, 0, NULL, 0, NULL, print_message,
                                                 NULL);
    if (!c || api.EnterInitializationMode(c, 0, 0.0, 0.0, 0, 0.0) || api.ExitInitializationMode(c)) return 1;
    while (k < steps && api.DoStep(c, k * size, size, 1, &event, &terminate, &early, &last) == fmi3OK) k++;
    if (api.GetFloat64(c, &clock, 1, &time, 1)) return 1;
    printf("%d %.17g\n", k, time);
    api.FreeInstance(c);
    return 0;
}
