/* Saved states. */
#ifndef SAVED_H
#define SAVED_H

#include "instance.h"

size_t core_state_size(void);
void core_save(const Instance *, void *state);
Status core_restore(Instance *, const void *state);
Status core_deserialize(Instance *, const void *bytes, size_t size, void **state); /* with memory for it where none is */

#endif
