// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// In which folders a program has the loader look for libraries, with this user in root's place.
struct LibrarySearchTests {
    private let bench: Workbench
    private let trust: FileTrust

    init() throws {
        bench = try Workbench()
        trust = FileTrust(owner: geteuid(), base: bench.folder.path)
        let folders: [(String, mode_t)] = [("bin", 0o755), ("lib", 0o755), ("open", 0o777), ("open/bin", 0o755)]
        for (name, mode) in folders {
            let folder = bench.folder.path(of: name)
            #expect(mkdir(folder, 0o755) == 0 && chmod(folder, mode) == 0)
        }
    }

    private func objection(_ bytes: [UInt8], at path: String = "bin/tool") throws -> String? {
        let file = ELFFile { offset, count in
            offset <= UInt64(bytes.count) ? Array(bytes[Int(offset)...].prefix(count)) : []
        }
        return LibrarySearch.objection(to: try #require(file), at: bench.folder.path(of: path), trust)
    }

    private func objection(_ program: String) throws -> String? {
        try objection(Array(try Data(contentsOf: URL(fileURLWithPath: program))))
    }

    @Test("folders count as the loader reads them: from where the program is, from where it runs, and others")
    func folders() throws {
        let place = String(repeating: "/replaced", count: 32)
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: bench.program("tool", "-Wl,-rpath,\(place)"))))
        let start = try #require(bytes.firstRange(of: Array(place.utf8) + [0])).lowerBound
        let folder = bench.folder.path
        let writable = "is writable by others than its owner"
        for (list, reason) in [
            ("", nil), ("\(folder)/lib", nil), ("\(folder)/nowhere/lib", nil), ("$ORIGIN", nil),
            ("${ORIGIN}/../lib", nil), ("$ORIGIN/../lib:\(folder)/bin/", nil),
            (":", "an empty name (RUNPATH), which is the current folder"),
            ("\(folder)/lib:", "an empty name (RUNPATH), which is the current folder"),
            ("lib", "lib (RUNPATH), which is no absolute path"), (".", ". (RUNPATH), which is no absolute path"),
            ("\(folder)/lib:\(folder)/open", "\(folder)/open (RUNPATH), which \(writable)"),
            ("\(folder)/open/nowhere", "which is in \(folder)/open, which \(writable)"),
            ("$ORIGIN/../open", "$ORIGIN/../open (RUNPATH), which is \(folder)/bin/../open, which \(writable)"),
            ("$ORIGIN/$LIB", "that the loader expands"), ("$ORIGINAL", "that the loader expands"),
            ("/usr/$PLATFORM", "that the loader expands"),
        ] as [(String, String?)] {
            var changed = bytes
            changed.replaceSubrange(start..<(start + list.utf8.count + 1), with: Array(list.utf8) + [0])
            let found = try objection(changed)
            #expect(reason.map { found?.contains($0) == true } ?? (found == nil), "\(list): \(found ?? "")")
        }
    }

    @Test("a name that begins with a combining mark is one of its own, although Swift sees no slash before it")
    func mark() throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: bench.program("tool", "-Wl,-rpath,$ORIGIN"))))
        #expect(try objection(bytes) == nil)
        #expect(try objection(bytes, at: "open/\u{301}tool")?.contains("is writable by others") == true)
    }

    @Test("names and lists of folders that together are longer than any that are used make it no executable")
    func long() throws {
        let name = String(repeating: "a", count: 10_000)
        let library = bench.folder.path(of: "lib/lib.so")
        try bench.write("int one(void) { return 1; }", to: "\(library).c")
        let words = ["/usr/bin/env", "clang", "-shared", "-fPIC", "-Wl,-soname,\(name)", "-o", library, "\(library).c"]
        try PeerProgram.run(words)
        for (count, isRead) in [(50_000, true), (60_000, false)] {
            let list = "/" + String(repeating: "b", count: count)
            let program = try bench.program("tool", library, "-Wl,-rpath,\(list)")
            let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: program)))
            let file = ELFFile { offset, count in Array(bytes[Int(offset)...].prefix(count)) }
            #expect((file?.searchFolders == [list] && file?.libraries.contains(name) == true) == isRead)
        }
    }

    @Test("a name of a folder that is not UTF-8 makes it no executable")
    func unreadable() throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: bench.program("tool", "-Wl,-rpath,/replaced"))))
        let start = try #require(bytes.firstRange(of: Array("/replaced\0".utf8))).lowerBound
        var changed = bytes
        changed[start + 1] = 0xFF
        #expect(ELFFile { offset, count in Array(changed[Int(offset)...].prefix(count)) } == nil)
    }

    @Test("the dump of a process's memory is no library, though it has code")
    func dump() throws {
        let library = try bench.library("lib.so", "int one(void) { return 1; }")
        var bytes = Array(try Data(contentsOf: URL(fileURLWithPath: library)))
        func file() -> ELFFile? { ELFFile { offset, count in Array(bytes[Int(offset)...].prefix(count)) } }
        #expect(file()?.code.isEmpty == false)
        // ET_CORE
        bytes[16] = 4
        #expect(file() == nil)
    }

    @Test("a library, or the loader, that is named with its folder")
    func namedFolders() throws {
        for (name, isObjected) in [("lib", false), ("open", true)] {
            let library = try bench.library("\(name)/lib.so", "int one(void) { return 1; }")
            let program = try bench.program("to-\(name)", library)
            let words = "is linked to the library \(library), whose folder is writable"
            #expect(try (objection(program)?.contains(words) ?? false) == isObjected)
            let loaded = try bench.program("by-\(name)", "-Wl,--dynamic-linker=\(bench.folder.path(of: name))/ld.so")
            #expect(try (objection(loaded)?.contains("/ld.so, whose folder is writable") ?? false) == isObjected)
        }
    }
}
