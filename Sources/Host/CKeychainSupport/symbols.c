// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The symbol table in the file of the program or of a library: the loader has only the symbols that other images need.
struct image {
    struct image *next;
    char *path;
    // The offset to add to the addresses of the file.
    uintptr_t bias;
    const unsigned char *file;
    size_t size;
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t names_size;
};

// Images are never removed: a library that is loaded again, elsewhere, is another one.
static struct image *images;
static pthread_mutex_t images_lock = PTHREAD_MUTEX_INITIALIZER;

static const void *part(const struct image *image, uint64_t offset, uint64_t size) {
    if (offset > image->size || size > image->size - offset || offset % _Alignof(Elf64_Sym) != 0) return NULL;
    return image->file + offset;
}

static void find_symbols(struct image *image) {
    const Elf64_Ehdr *header = part(image, 0, sizeof *header);
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) return;
    const Elf64_Shdr *sections = part(image, header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
    if (sections == NULL) return;
    for (size_t index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *section = &sections[index];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *strings = &sections[section->sh_link];
        const Elf64_Sym *symbols = part(image, section->sh_offset, section->sh_size);
        if (symbols == NULL || strings->sh_offset > image->size) return;
        if (strings->sh_size == 0 || strings->sh_size > image->size - strings->sh_offset) return;
        image->names = (const char *)image->file + strings->sh_offset;
        image->names_size = strings->sh_size;
        // A name ends within the table.
        if (image->names[image->names_size - 1] != 0) return;
        image->symbols = symbols;
        image->count = section->sh_size / sizeof *symbols;
        return;
    }
}

static void map_file(struct image *image) {
    int file = open(image->path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
        void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED) {
            image->file = mapped;
            image->size = (size_t)status.st_size;
            find_symbols(image);
        }
    }
    close(file);
}

// The image with this path at this address, whose table is read on first use; NULL if out of memory.
static const struct image *image_at(const char *path, uintptr_t bias) {
    pthread_mutex_lock(&images_lock);
    struct image *image = images;
    while (image != NULL && (image->bias != bias || strcmp(image->path, path) != 0)) image = image->next;
    if (image == NULL && (image = calloc(1, sizeof *image)) != NULL) {
        image->bias = bias;
        image->path = strdup(path);
        if (image->path == NULL) {
            free(image);
            image = NULL;
        } else {
            map_file(image);
            image->next = images;
            images = image;
        }
    }
    pthread_mutex_unlock(&images_lock);
    return image;
}

// The location of an address.
struct place {
    uintptr_t address, bias;
    char path[PATH_MAX];
    bool is_found, is_in_program;
    size_t visited;
};

static int find_place(struct dl_phdr_info *info, size_t size, void *argument) {
    (void)size;
    struct place *place = argument;
    // The program is the first of all, and its name is empty.
    bool is_program = place->visited++ == 0;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
        uintptr_t start = info->dlpi_addr + info->dlpi_phdr[index].p_vaddr;
        if (place->address < start || place->address - start >= info->dlpi_phdr[index].p_memsz) continue;
        const char *path = is_program ? "/proc/self/exe" : info->dlpi_name;
        if (strlen(path) >= sizeof place->path) return 1;
        strcpy(place->path, path);
        place->bias = info->dlpi_addr;
        place->is_in_program = is_program;
        place->is_found = true;
        return 1;
    }
    return 0;
}

static const char *name_in(const struct image *image, uintptr_t address) {
    uintptr_t value = address - image->bias;
    for (size_t index = 0; index < image->count; index++) {
        const Elf64_Sym *symbol = &image->symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= image->names_size) continue;
        if (value >= symbol->st_value && value - symbol->st_value < symbol->st_size) return image->names + symbol->st_name;
    }
    return NULL;
}

const char *keychain_function_name(uintptr_t address, int *is_in_program) {
    struct place place = {.address = address};
    dl_iterate_phdr(find_place, &place);
    *is_in_program = place.is_in_program;
    const struct image *image = place.is_found ? image_at(place.path, place.bias) : NULL;
    const char *name = image != NULL ? name_in(image, address) : NULL;
    Dl_info info;
    // A library may have no table but the loader's.
    if (name == NULL && !place.is_in_program && dladdr((const void *)address, &info) != 0) name = info.dli_sname;
    return name;
}

static int find_program(struct dl_phdr_info *info, size_t size, void *bias) {
    (void)size;
    *(uintptr_t *)bias = info->dlpi_addr;
    return 1;
}

void keychain_each_function(const char *part, void (*callback)(const char *name, void *context), void *context) {
    uintptr_t bias = 0;
    dl_iterate_phdr(find_program, &bias);
    const struct image *program = image_at("/proc/self/exe", bias);
    for (size_t index = 0; program != NULL && index < program->count; index++) {
        const Elf64_Sym *symbol = &program->symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= program->names_size) continue;
        const char *name = program->names + symbol->st_name;
        if (strstr(name, part) != NULL) callback(name, context);
    }
}
