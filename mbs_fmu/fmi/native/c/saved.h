/* Saved states. */
#ifndef SAVED_H
#define SAVED_H

#include "instance.h"

size_t core_state_size(void);
/* Into a state of this FMU that is there, else into memory for one. */
Status core_save(Instance *, void **state);
Status core_serialize(Instance *, const void *state, void *bytes); /* `core_state_size` of them */
Status core_deserialize(Instance *, const void *bytes, size_t size, void **state);
Status core_restore(Instance *, const void *state);

#endif
