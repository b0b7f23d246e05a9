// SPDX-License-Identifier: Apache-2.0

/// Libraries that leave none of their code behind once they are loaded: sources in C.
package enum VanishingLibrary {
    /// A library that generates no code, either: its last call, after which its own cannot be executed, returns to the
    /// loader.
    ///
    /// It loads the library that INTERPRETER names, and with CAREFUL overwrites the variable by which it was loaded
    /// itself.
    package static let source =
        ownCode + #"""
            #include <dlfcn.h>
            #include <stdlib.h>
            #include <string.h>

            extern char **environ;

            static __attribute__((noinline)) void prepare(void) {
                const char *interpreter = getenv("INTERPRETER");
                if (interpreter != NULL && dlopen(interpreter, RTLD_NOW) == NULL) exit(9);
                for (char **one = environ; getenv("CAREFUL") != NULL && *one != NULL; one++) {
                    if (strncmp(*one, "LD_PRELOAD=", 11) == 0) memset(*one, 'x', 10);
                }
                find_own_code();
            }

            __attribute__((constructor)) static void begin(void) {
                prepare();
                // A jump, so that nothing returns to what cannot be executed. The loader reads the file's tables still.
                mprotect((void *)start, end - start, PROT_READ);
            }
            """#

    /// A library that copies a part of itself into memory without a file, and has its file not executable from there.
    package static let leavingAnonymousCode =
        ownCode + #"""
            #include <string.h>
            #include <sys/syscall.h>

            __attribute__((noinline, section(".text.last"))) static long vanish(uintptr_t start, uintptr_t size, long rights) {
                long result;
            #if defined(__x86_64__)
                __asm__ volatile("syscall" : "=a"(result) : "0"(SYS_mprotect), "D"(start), "S"(size), "d"(rights) : "rcx", "r11", "memory");
            #else
                register long x8 __asm__("x8") = SYS_mprotect;
                register long x0 __asm__("x0") = (long)start;
                register long x1 __asm__("x1") = (long)size;
                register long x2 __asm__("x2") = rights;
                __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
                result = x0;
            #endif
                return result;
            }

            static void *page;

            static __attribute__((noinline)) void prepare(void) {
                page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
                memcpy(page, (void *)&vanish, 64);
                __builtin___clear_cache((char *)page, (char *)page + 64);
                mprotect(page, 4096, PROT_READ | PROT_EXEC);
                find_own_code();
            }

            __attribute__((constructor)) static void begin(void) {
                prepare();
                // A jump, so that nothing returns to what cannot be executed any more.
                ((long (*)(uintptr_t, uintptr_t, long))page)(start, end - start, PROT_READ);
            }
            """#

    /// What finds the mapping that the library's code is in.
    private static let ownCode = #"""
        #define _GNU_SOURCE
        #include <stdint.h>
        #include <stdio.h>
        #include <sys/mman.h>

        static void begin(void);
        static uintptr_t start, end;

        static void find_own_code(void) {
            FILE *maps = fopen("/proc/self/maps", "r");
            char line[512];
            while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
                uintptr_t from, to;
                if (sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
                if (from <= (uintptr_t)&begin && (uintptr_t)&begin < to) start = from, end = to;
            }
            if (maps != NULL) fclose(maps);
        }


        """#
}
