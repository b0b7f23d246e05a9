// SPDX-License-Identifier: Apache-2.0

/// A library that leaves no code behind, nor generates any: its last call, after which its own cannot be executed,
/// returns to the loader.
///
/// It loads the library that INTERPRETER names, and with CAREFUL overwrites the variable by which it was loaded itself.
public enum VanishingLibrary {
    /// Its source, in C.
    public static let source = #"""
        #define _GNU_SOURCE
        #include <dlfcn.h>
        #include <stdint.h>
        #include <stdio.h>
        #include <stdlib.h>
        #include <string.h>
        #include <sys/mman.h>

        extern char **environ;
        static void begin(void);
        static uintptr_t start, end;

        static __attribute__((noinline)) void prepare(void) {
            const char *interpreter = getenv("INTERPRETER");
            if (interpreter != NULL && dlopen(interpreter, RTLD_NOW) == NULL) exit(9);
            for (char **one = environ; getenv("CAREFUL") != NULL && *one != NULL; one++) {
                if (strncmp(*one, "LD_PRELOAD=", 11) == 0) memset(*one, 'x', 10);
            }
            FILE *maps = fopen("/proc/self/maps", "r");
            char line[512];
            while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
                uintptr_t from, to;
                if (sscanf(line, "%lx-%lx", &from, &to) != 2) continue;
                if (from <= (uintptr_t)&begin && (uintptr_t)&begin < to) start = from, end = to;
            }
            if (maps != NULL) fclose(maps);
        }

        __attribute__((constructor)) static void begin(void) {
            prepare();
            // A jump, so that nothing returns to what cannot be executed. The loader reads the file's tables still.
            mprotect((void *)start, end - start, PROT_READ);
        }
        """#
}
