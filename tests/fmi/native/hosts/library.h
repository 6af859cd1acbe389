/* The functions of an FMU's library, as any host finds them at run time. */
#ifndef LIBRARY_H
#define LIBRARY_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef _WIN32
#include <windows.h>

static void *opened(const char *path) { return (void *)LoadLibraryA(path); }

static void *symbol(void *library, const char *name) { return (void *)GetProcAddress((HMODULE)library, name); }

static const char *problem(void) { return "LoadLibrary or GetProcAddress failed"; }
#else
#include <dlfcn.h>

static void *opened(const char *path) { return dlopen(path, RTLD_NOW | RTLD_LOCAL); }

static void *symbol(void *library, const char *name) { return dlsym(library, name); }

static const char *problem(void) { return dlerror(); }
#endif

/* Stores a function where `place` points; ends the program where there is none of this name. */
static void take(void *library, const char *name, void *place) {
    void *found = library ? symbol(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "%s: %s\n", name, problem());
        exit(2);
    }
    memcpy(place, &found, sizeof found);
}

#endif
