/* All functions of FMI 2.0 in a structure, under the names that FMI 3.0 has for them where it has. */
#ifndef API_H
#define API_H

#include "fmi2FunctionTypes.h"
#include "library.h"

#define FUNCTIONS(X) \
    X(GetTypesPlatform, fmi2GetTypesPlatform) X(GetVersion, fmi2GetVersion) X(SetDebugLogging, fmi2SetDebugLogging) \
    X(Instantiate, fmi2Instantiate) X(FreeInstance, fmi2FreeInstance) X(SetupExperiment, fmi2SetupExperiment) \
    X(EnterInitializationMode, fmi2EnterInitializationMode) X(ExitInitializationMode, fmi2ExitInitializationMode) \
    X(Terminate, fmi2Terminate) X(Reset, fmi2Reset) X(GetReal, fmi2GetReal) X(GetInteger, fmi2GetInteger) \
    X(GetBoolean, fmi2GetBoolean) X(GetString, fmi2GetString) X(SetReal, fmi2SetReal) X(SetInteger, fmi2SetInteger) \
    X(SetBoolean, fmi2SetBoolean) X(SetString, fmi2SetString) X(GetFMUState, fmi2GetFMUstate) \
    X(SetFMUState, fmi2SetFMUstate) X(FreeFMUState, fmi2FreeFMUstate) \
    X(SerializedFMUStateSize, fmi2SerializedFMUstateSize) X(SerializeFMUState, fmi2SerializeFMUstate) \
    X(DeserializeFMUState, fmi2DeSerializeFMUstate) X(GetDirectionalDerivative, fmi2GetDirectionalDerivative) \
    X(EnterEventMode, fmi2EnterEventMode) X(NewDiscreteStates, fmi2NewDiscreteStates) \
    X(EnterContinuousTimeMode, fmi2EnterContinuousTimeMode) X(CompletedIntegratorStep, fmi2CompletedIntegratorStep) \
    X(SetTime, fmi2SetTime) X(SetContinuousStates, fmi2SetContinuousStates) \
    X(GetContinuousStateDerivatives, fmi2GetDerivatives) X(GetEventIndicators, fmi2GetEventIndicators) \
    X(GetContinuousStates, fmi2GetContinuousStates) \
    X(GetNominalsOfContinuousStates, fmi2GetNominalsOfContinuousStates) \
    X(SetRealInputDerivatives, fmi2SetRealInputDerivatives) \
    X(GetRealOutputDerivatives, fmi2GetRealOutputDerivatives) X(DoStep, fmi2DoStep) X(CancelStep, fmi2CancelStep) \
    X(GetStatus, fmi2GetStatus) X(GetRealStatus, fmi2GetRealStatus) X(GetIntegerStatus, fmi2GetIntegerStatus) \
    X(GetBooleanStatus, fmi2GetBooleanStatus) X(GetStringStatus, fmi2GetStringStatus)

typedef struct {
#define FIELD(field, name) name##TYPE *field;
    FUNCTIONS(FIELD)
#undef FIELD
} Api;

static void load(Api *api, const char *path) {
    void *library = opened(path);
#define TAKE(field, name) take(library, #name, &api->field);
    FUNCTIONS(TAKE)
#undef TAKE
}

#endif
