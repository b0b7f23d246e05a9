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

    @Test("a library by LD_PRELOAD that leaves no file behind")
    func vanishingLibrary() throws {
        let library = try bench.library("vanishing.so", VanishingLibrary.leavingAnonymousCode)
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
