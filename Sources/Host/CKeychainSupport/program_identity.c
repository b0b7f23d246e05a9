// SPDX-License-Identifier: Apache-2.0
// The identity that a build has put into the program: a note (elf(5), "Notes") named swift-keychain, of type 1, whose
// description is the identity.
#define _GNU_SOURCE
#include "include/CKeychainSupport.h"

#include <elf.h>
#include <limits.h>
#include <link.h>
#include <string.h>

#ifdef SWIFT_KEYCHAIN_IDENTITY
// What the environment variable of that name was when the manifest was read (Package.swift, which has checked it).
struct identity_note {
    ElfW(Nhdr) header;
    char name[(sizeof "swift-keychain" + 3) & ~(size_t)3];
    char identity[(sizeof SWIFT_KEYCHAIN_IDENTITY + 3) & ~(size_t)3];
};
__attribute__((used, retain, section(".note.swift-keychain"), aligned(4)))
static const struct identity_note identity_note = {
    {sizeof "swift-keychain", sizeof SWIFT_KEYCHAIN_IDENTITY - 1, 1}, "swift-keychain", SWIFT_KEYCHAIN_IDENTITY,
};
#endif

struct search {
    char *identity;
    size_t capacity;
    int length;
};

// A number of bytes up to the next multiple of four.
static size_t padded(size_t count) { return (count + 3) & ~(size_t)3; }

static void search_notes(const char *bytes, size_t count, struct search *search) {
    static const char owner[] = "swift-keychain";
    ElfW(Nhdr) note;
    while (search->length < 0 && count >= sizeof note) {
        memcpy(&note, bytes, sizeof note);
        size_t name = padded(note.n_namesz), length = note.n_descsz;
        if (name > count - sizeof note || padded(length) > count - sizeof note - name) return;
        const char *start = bytes + sizeof note;
        if (note.n_type == 1 && note.n_namesz == sizeof owner && memcmp(start, owner, sizeof owner) == 0) {
            search->length = length <= INT_MAX ? (int)length : INT_MAX;
            if (length <= search->capacity) memcpy(search->identity, start + name, length);
        }
        bytes += sizeof note + name + padded(length);
        count -= sizeof note + name + padded(length);
    }
}

// The first object is the program; libraries have no identity.
static int search_program(struct dl_phdr_info *program, size_t size, void *context) {
    (void)size;
    for (int index = 0; index < program->dlpi_phnum; index += 1) {
        const ElfW(Phdr) *header = &program->dlpi_phdr[index];
        // Of an alignment of eight are notes of another format.
        if (header->p_type != PT_NOTE || header->p_align > 4) continue;
        search_notes((const char *)(program->dlpi_addr + header->p_vaddr), header->p_memsz, context);
    }
    return 1;
}

int keychain_program_identity(char *identity, size_t capacity) {
    struct search search = {identity, capacity, -1};
    dl_iterate_phdr(search_program, &search);
    return search.length;
}
