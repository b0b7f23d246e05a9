// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to have a signed program do something else by a library that is gone when it is looked at, and by code of
/// the system's that does what it is told.
struct PreloadTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// A library that leaves no code behind.
    private func vanishing() throws -> String { try bench.library("vanishing.so", VanishingLibrary.source) }

    private static let isRoot = geteuid() == 0

    /// The program after a library that vanishes was loaded into it.
    private func identity(_ variables: String..., options: IdentityOptions? = nil) throws -> ClientIdentity {
        let library = try vanishing()
        return try identity(of: tool, after: library, ["LD_PRELOAD=\(library)"] + variables, options)
    }

    private func identity(
        of tool: String,
        after library: String,
        _ variables: [String],
        _ options: IdentityOptions? = nil
    ) throws -> ClientIdentity {
        let program = try PeerProgram(["/usr/bin/env"] + variables + [tool, bench.socketPath])
        let maps = try String(contentsOfFile: "/proc/\(program.identifier)/maps", encoding: .utf8)
        #expect(!maps.split(separator: "\n").contains { $0.contains(" r-xp ") && $0.hasSuffix(library) })
        let examiner = ProgramExaminer(options ?? bench.options)
        return try bench.identify(bench.accept(), by: examiner).identity
    }

    @Test("a library that leaves nothing behind but the variable by which it was loaded")
    func variable() throws {
        expectAnonymous(try identity(), "was started with LD_PRELOAD")
        expectAnonymous(try identity("LD_AUDIT=/nowhere"), "was started with LD_PRELOAD and LD_AUDIT")
    }

    @Test("the same in a program whose manifest allows that")
    func allowed() throws {
        try bench.sign(tool) { $0.allowsPreload = true }
        let identity = try identity()
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
    }

    @Test("variables that name no library do not matter")
    func emptyVariable() throws {
        let identity = try bench.identity("/usr/bin/env", "LD_PRELOAD=", "LD_AUDIT= :", "NO_LD_PRELOAD=x", tool)
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
    }

    @Test("a library in the place of one of the system's that leaves nothing behind but the folder it was found in")
    func libraryPath() throws {
        let folder = bench.folder.path(of: "libraries")
        try bench.write("", to: "\(folder)/none")
        let library = try bench.library("libraries/substitute.so", VanishingLibrary.source)
        let tool = try bench.program("needing", "-L\(folder)", "-l:substitute.so")
        try bench.sign(tool)
        expectAnonymous(
            try identity(of: tool, after: library, ["LD_LIBRARY_PATH=/usr/lib:\(folder)"]),
            "was started with LD_LIBRARY_PATH (\(folder) is "
        )
        try bench.sign(tool) { $0.allowsPreload = true }
        let allowed = try identity(of: tool, after: library, ["LD_LIBRARY_PATH=\(folder)"])
        #expect(allowed.kind == .signed(bench.team), "\(allowed.reasons)")
    }

    @Test(
        "a library beside the program that leaves nothing behind, where the program is linked to look for it",
        arguments: ["--enable-new-dtags", "--disable-new-dtags"]
    )
    func libraryBeside(_ tags: String) throws {
        let folder = bench.folder.path
        let library = try bench.library("libneeded.so", VanishingLibrary.source)
        let tool = try bench.program("needing", "-L\(folder)", "-lneeded", "-Wl,-rpath,$ORIGIN,\(tags)")
        try bench.sign(tool)
        expectAnonymous(
            try identity(of: tool, after: library, []),
            "\(tool) is linked to look for libraries in $ORIGIN (RUNPATH), which is \(folder), which is "
        )
        try bench.sign(tool) { $0.allowsPreload = true }
        let allowed = try identity(of: tool, after: library, [])
        #expect(allowed.kind == .signed(bench.team), "\(allowed.reasons)")
    }

    @Test("a folder of libraries, or of modules of the C library, that others than root can change")
    func folders() throws {
        let folder = bench.folder.path
        for name in ["LD_LIBRARY_PATH", "GCONV_PATH", "LD_ORIGIN_PATH"] {
            for path in [folder, "\(folder)/nowhere", "/usr/lib:\(folder)"] {
                expectAnonymous(try bench.identity("/usr/bin/env", "\(name)=\(path)", tool), "started with \(name) (")
            }
            let identity = try bench.identity("/usr/bin/env", "\(name)=/usr/lib:/nowhere", tool)
            #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
        }
    }

    @Test("a link that anybody can make is no folder that only root can change", .enabled(if: isRoot))
    func linkedFolder() throws {
        let trust = FileTrust(base: bench.folder.path)
        let (link, folder) = (bench.folder.path(of: "link"), bench.folder.path(of: "folder"))
        #expect(mkdir(folder, 0o755) == 0 && symlink(folder, link) == 0)
        #expect(trust.objection(toFolder: "\(link)/lib") == nil)
        #expect(chmod(folder, 0o777) == 0)
        #expect(trust.objection(toFolder: "\(link)/lib")?.contains("writable") == true)
        #expect(chmod(folder, 0o755) == 0 && chmod(bench.folder.path, 0o777) == 0)
        #expect(trust.objection(toFolder: link)?.contains("writable") == true)
    }

    @Test(
        "a library that also hides that, and leaves an interpreter of the system, unless a manifest lists that",
        .enabled(if: isRoot, "only root has libraries that only root can change")
    )
    func interpreter() throws {
        let interpreter = try bench.library("libpython3.99.so.1.0", "int Py_Main(void) { return 0; }")
        var options = bench.options
        options.trust = FileTrust(base: bench.folder.path)
        let words = ["CAREFUL=1", "INTERPRETER=\(interpreter)"]
        let identity = try identity(words[0], words[1], options: options)
        expectAnonymous(identity, "libpython3.99.so.1.0, which is an interpreter")
        let digest = try ProgramFile.digest(ofLibrary: interpreter)
        try bench.sign(tool) { $0.libraries = [digest] }
        let listed = try self.identity(words[0], words[1], options: options)
        #expect(listed.kind == .signed(bench.team), "\(listed.reasons)")
    }

    @Test("not defended: a library that also hides that, and leaves nothing but what it wrote")
    func careful() throws {
        let identity = try identity("CAREFUL=1")
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
    }

    @Test(
        "code of another program that only root can change, and of a shell, before it was looked at and afterwards",
        arguments: [("/usr/bin/env", "is another program"), ("/bin/sh", "is an interpreter")]
    )
    func otherProgram(_ path: String, _ words: String) throws {
        let (program, connection) = try bench.start(tool)
        let real = try #require(realpath(path, nil).map { String(cString: $0) })
        #expect(try program.ask("map-code \(real)") == "mapped")
        expectAnonymous(try bench.identify(connection).identity, "\(real), which \(words)")
        try bench.expectRefusal(of: tool, after: "map-code \(real)", answering: "mapped")
    }

    @Test("data that only root can change, before it was looked at and afterwards")
    func data() throws {
        let (program, connection) = try bench.start(tool)
        let real = try #require(realpath("/etc/passwd", nil).map { String(cString: $0) })
        #expect(try program.ask("map-code \(real)") == "mapped")
        expectAnonymous(try bench.identify(connection).identity, "\(real), which is no library")
        try bench.expectRefusal(of: tool, after: "map-code \(real)", answering: "mapped")
    }

    @Test("libraries of the system are no programs, and its programs are none of its libraries")
    func kinds() throws {
        let system = SystemCode()
        let program = try PeerProgram([tool, "-"])
        let memory = try PeerProcess(identifier: program.identifier).executableMemory()
        #expect(memory.files.count > 2)
        for mapping in memory.files {
            guard let file = Descriptor(mapping.path, O_RDONLY) else { throw PeerProgram.Failure(mapping.path) }
            let parts = try #require(memory.parts[mapping])
            let objection = system.objection(to: file, mapping.path, parts)
            #expect((objection == nil) == (mapping.path != tool), "\(mapping.path): \(objection ?? "")")
            #expect(system.objection(to: file, mapping.path, parts) == objection)
            let whole = system.objection(to: file, mapping.path, [0..<1 << 40])
            #expect(whole?.hasPrefix(mapping.path == tool ? "is another" : "has no code") == true, "\(mapping.path)")
        }
    }
}
