// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "CKeychainSupport.h"

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The table of symbols of the running program, as its file has it: the loader sees those only that libraries need.
static struct {
    const unsigned char *file;
    size_t size;
    const Elf64_Sym *symbols;
    size_t count;
    const char *names;
    size_t names_size;
    // What is added to the addresses of the file, and what of them is mapped.
    uintptr_t bias, lowest, end;
} program;

static pthread_once_t program_is_read = PTHREAD_ONCE_INIT;

static int note_segments(struct dl_phdr_info *info, size_t size, void *unused) {
    (void)size;
    (void)unused;
    program.bias = info->dlpi_addr;
    program.lowest = UINTPTR_MAX;
    for (int index = 0; index < info->dlpi_phnum; index++) {
        if (info->dlpi_phdr[index].p_type != PT_LOAD) continue;
        uintptr_t start = program.bias + info->dlpi_phdr[index].p_vaddr;
        uintptr_t end = start + info->dlpi_phdr[index].p_memsz;
        if (start < program.lowest) program.lowest = start;
        if (end > program.end) program.end = end;
    }
    // The program is the first of all.
    return 1;
}

static const void *part(uint64_t offset, uint64_t size) {
    if (offset > program.size || size > program.size - offset || offset % _Alignof(Elf64_Sym) != 0) return NULL;
    return program.file + offset;
}

static void find_symbols(void) {
    const Elf64_Ehdr *header = part(0, sizeof *header);
    if (header == NULL || memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return;
    if (header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_shentsize != sizeof(Elf64_Shdr)) return;
    const Elf64_Shdr *sections = part(header->e_shoff, (uint64_t)header->e_shnum * sizeof *sections);
    if (sections == NULL) return;
    for (size_t index = 0; index < header->e_shnum; index++) {
        const Elf64_Shdr *section = &sections[index];
        if (section->sh_type != SHT_SYMTAB || section->sh_link >= header->e_shnum) continue;
        const Elf64_Shdr *strings = &sections[section->sh_link];
        const Elf64_Sym *symbols = part(section->sh_offset, section->sh_size);
        if (symbols == NULL || strings->sh_offset > program.size) return;
        if (strings->sh_size == 0 || strings->sh_size > program.size - strings->sh_offset) return;
        program.names = (const char *)program.file + strings->sh_offset;
        program.names_size = strings->sh_size;
        // A name ends within the table.
        if (program.names[program.names_size - 1] != 0) return;
        program.symbols = symbols;
        program.count = section->sh_size / sizeof *symbols;
        return;
    }
}

static void read_program(void) {
    dl_iterate_phdr(note_segments, NULL);
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status;
    if (fstat(file, &status) == 0 && status.st_size > 0) {
        void *mapped = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (mapped != MAP_FAILED) {
            program.file = mapped;
            program.size = (size_t)status.st_size;
            find_symbols();
        }
    }
    close(file);
}

static const char *name_in_program(uintptr_t address) {
    uintptr_t value = address - program.bias;
    for (size_t index = 0; index < program.count; index++) {
        const Elf64_Sym *symbol = &program.symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= program.names_size) continue;
        if (value >= symbol->st_value && value - symbol->st_value < symbol->st_size) return program.names + symbol->st_name;
    }
    return NULL;
}

const char *keychain_function_name(uintptr_t address, int *is_in_program) {
    pthread_once(&program_is_read, read_program);
    *is_in_program = address >= program.lowest && address < program.end;
    if (*is_in_program) return name_in_program(address);
    Dl_info info;
    return dladdr((const void *)address, &info) != 0 ? info.dli_sname : NULL;
}

void keychain_each_function(const char *part, void (*callback)(const char *name, void *context), void *context) {
    pthread_once(&program_is_read, read_program);
    for (size_t index = 0; index < program.count; index++) {
        const Elf64_Sym *symbol = &program.symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_name >= program.names_size) continue;
        const char *name = program.names + symbol->st_name;
        if (strstr(name, part) != NULL) callback(name, context);
    }
}
