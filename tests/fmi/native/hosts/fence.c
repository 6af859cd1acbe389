/* Loaded before all else: what an unpacked FMU's library frees can't be touched again, the process dies of it.
 *
 * Each of its objects has pages of its own, which are shut when it is deleted and never used again. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define FENCED 0x9D1F00B4C7E25A63u

typedef struct { uint64_t mark; size_t size; } Head;

static int of_an_fmu(void *caller) {
    Dl_info found;
    return dladdr(caller, &found) && found.dli_fname && strstr(found.dli_fname, "/binaries/");
}

/* operator new */
void *_Znwm(size_t size) {
    if (!of_an_fmu(__builtin_return_address(0))) return malloc(size);
    size_t whole = (size + sizeof(Head) + PAGE - 1) / PAGE * PAGE;
    Head *head = mmap(NULL, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (head == MAP_FAILED) abort();
    *head = (Head){FENCED, whole};
    return head + 1;
}

/* operator delete, without and with the size */
void _ZdlPv(void *object) {
    Head *head = (Head *)object - 1;
    if (object && (uintptr_t)head % PAGE == 0 && head->mark == FENCED) mprotect(head, head->size, PROT_NONE);
    else free(object);
}

void _ZdlPvm(void *object, size_t size) {
    (void)size;
    _ZdlPv(object);
}
