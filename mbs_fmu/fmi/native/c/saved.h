/* Saved states. */
#ifndef SAVED_H
#define SAVED_H

#include "instance.h"

LOCAL size_t core_state_size(void); /* bytes */
/* Save into *state if it is a state of this FMU; allocate one if *state is NULL. */
LOCAL Status core_save(Instance *, void **state);
LOCAL Status core_serialize(Instance *, const void *state, void *bytes); /* writes core_state_size() bytes */
LOCAL Status core_deserialize(Instance *, const void *bytes, size_t size, void **state);
LOCAL Status core_restore(Instance *, const void *state);

#endif
