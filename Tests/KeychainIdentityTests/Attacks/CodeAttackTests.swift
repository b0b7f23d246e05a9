// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to have a signed program execute other code than it was signed with.
struct CodeAttackTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// A library that copies a part of itself into memory without a file, and has its file not executable from there.
    private static let vanishing = #"""
        #define _GNU_SOURCE
        #include <stdint.h>
        #include <stdio.h>
        #include <string.h>
        #include <sys/mman.h>
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

        static void begin(void);
        static void *page;
        static uintptr_t start, end;

        static __attribute__((noinline)) void prepare(void) {
            page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            memcpy(page, (void *)&vanish, 64);
            __builtin___clear_cache((char *)page, (char *)page + 64);
            mprotect(page, 4096, PROT_READ | PROT_EXEC);
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
            // A jump, so that nothing returns to what cannot be executed any more.
            ((long (*)(uintptr_t, uintptr_t, long))page)(start, end - start, PROT_READ);
        }
        """#

    @Test("a library by LD_PRELOAD that leaves no file behind")
    func vanishingLibrary() throws {
        let library = try bench.library("vanishing.so", Self.vanishing)
        let program = try PeerProgram(["/usr/bin/env", "LD_PRELOAD=\(library)", tool, bench.socketPath])
        let maps = try String(contentsOfFile: "/proc/\(program.identifier)/maps", encoding: .utf8)
        let code = maps.split(separator: "\n").filter { $0.contains(" r-xp ") }
        #expect(!code.contains { $0.hasSuffix(library) }, "the library is among the code still")
        expectAnonymous(try bench.identify(bench.accept()).identity, "anonymous executable memory")
    }

    @Test("code that was written to")
    func writtenCode() throws {
        let (program, connection) = try bench.start(tool)
        let peer = try bench.identify(connection)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        #expect(try program.ask("write") == "written")
        expectAnonymous(try bench.identify(connection).identity, "was modified")
    }

    @Test("a library that is loaded after the program was looked at: it is not answered")
    func loadedLater() throws {
        let library = try bench.library("plugin.so", "int plugin(void) { return 1; }")
        try bench.expectRefusal(of: tool, after: "load \(library)", answering: "loaded")
    }

    @Test("code that is generated after the program was looked at: it is not answered")
    func generatedLater() throws {
        try bench.expectRefusal(of: tool, after: "generate", answering: "generated")
    }

    @Test("the same in memory that stays writable, which the kernel does not count as code: after a second")
    func writableLater() throws {
        let (program, connection) = try bench.start(tool)
        let peer = try bench.identify(connection)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        #expect(try program.ask("generate writable") == "generated")
        #expect(eventually("it is noticed") { (try? peer.confirm()) == nil })
        withExtendedLifetime(connection) {}
    }

    @Test("a program whose manifest says that it generates code is itself, and loads no library for that")
    func justInTime() throws {
        try bench.sign(tool) { $0.isJIT = true }
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("generate") == "generated")
        let peer = try bench.identify(connection)
        #expect(peer.identity.kind == .signed(bench.team), "\(peer.identity.reasons)")
        try peer.confirm()
        let library = try bench.library("plugin.so", "int plugin(void) { return 1; }")
        #expect(try program.ask("load \(library)") == "loaded")
        #expect(throws: KeychainError.self) { try peer.confirm() }
        #expect(try program.ask("write") == "written")
        expectAnonymous(try bench.identify(connection).identity, "was modified")
    }

    @Test("a library that the manifest names and that is changed through a mapping, which leaves its times as they are")
    func mappedLibrary() throws {
        let library = try bench.library("own.so", "int own(void) { return 1; }")
        let mapping = try Workbench.mapping(library)
        let digest = try ProgramFile.digest(ofLibrary: library)
        try bench.sign(tool) { contents in
            contents.libraries = [digest]
            contents.allowsPreload = true
        }
        let examiner = ProgramExaminer(bench.options)
        try Workbench.waitUntilSettled(library)
        let program = try PeerProgram(["/usr/bin/env", "LD_PRELOAD=\(library)", tool, bench.socketPath])
        let peer = try bench.identify(bench.accept(), by: examiner)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        try peer.confirm()
        #expect(try mapping.ask("flip") == "flipped")
        #expect(throws: KeychainError.self) { try peer.confirm() }
        withExtendedLifetime(program) {}
    }

    @Test("a library that the manifest names and that is changed in its place: the program is not answered")
    func changedLibrary() throws {
        let library = try bench.library("own.so", "int own(void) { return 1; }")
        let digest = try ProgramFile.digest(ofLibrary: library)
        try bench.sign(tool) { contents in
            contents.libraries = [digest]
            contents.allowsPreload = true
        }
        let program = try PeerProgram(["/usr/bin/env", "LD_PRELOAD=\(library)", tool, bench.socketPath])
        let peer = try bench.identify(bench.accept())
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        try peer.confirm()
        // What is not loaded, so that the program goes on to run.
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: library))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        #expect(throws: KeychainError.self) { try peer.confirm() }
        withExtendedLifetime(program) {}
    }
}
