// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to be taken for a signed program by its file: each with a real process on a real socket.
struct ExecutableAttackTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    @Test("a signed program is who its manifest says it is")
    func signed() throws {
        let identity = try bench.identity(tool)
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
        #expect(identity.applicationIdentifier == bench.team.prefix + "com.example.tool")
        let groups = identity.groups(claimed: ["swift-keychain.common", "*"])
        #expect(groups == [bench.team.prefix + "com.example.tool", bench.team.prefix + "com.example.shared"])
    }

    @Test("a program without a manifest is anonymous, and has no group of a team")
    func unsigned() throws {
        let identity = try bench.identity(try bench.install("other"))
        #expect(identity.kind == .anonymous)
        let stolen = bench.team.prefix + "com.example.shared"
        #expect(identity.groups(claimed: [stolen, "mine", "*"]) == ["mine"])
        #expect(identity.refusal(of: stolen) != nil)
    }

    @Test("a program that was changed after it was signed")
    func changed() throws {
        let file = try FileHandle(forWritingTo: URL(fileURLWithPath: tool))
        try file.seekToEnd()
        try file.write(contentsOf: Data([0]))
        try file.close()
        // Not executed while this process, or a child of another test, may have it open for writing.
        let copy = bench.folder.path(of: "changed")
        try PeerProgram.run(["/bin/cp", tool, copy])
        try PeerProgram.run(["/bin/cp", tool + ProgramManifest.fileSuffix, copy + ProgramManifest.fileSuffix])
        expectAnonymous(try bench.identity(copy), "another version")
    }

    @Test("the manifest of another program")
    func othersManifest() throws {
        let evil = bench.folder.path(of: "evil")
        try PeerProgram.run(["/bin/cp", "/bin/cat", evil])
        try PeerProgram.run(["/bin/cp", tool + ProgramManifest.fileSuffix, evil + ProgramManifest.fileSuffix])
        let found = ProgramExaminer(bench.options).identify(programAt: evil, bench.record)
        expectAnonymous(found.identity, "another version")
    }

    @Test(
        "a symbolic link to a signed program is the signed program, and a manifest beside the link counts for nothing"
    )
    func symbolicLink() throws {
        let link = bench.folder.path(of: "link")
        #expect(symlink(tool, link) == 0)
        #expect(try bench.identity(link).kind == .signed(bench.team))
        let unsigned = try bench.install("unsigned")
        let other = bench.folder.path(of: "other")
        #expect(symlink(unsigned, other) == 0)
        try bench.sign(unsigned, to: other + ProgramManifest.fileSuffix)
        #expect(try bench.identity(other).kind == .anonymous)
    }

    @Test("a program that was replaced while it runs")
    func replaced() throws {
        let (program, connection) = try bench.start(tool)
        let next = try bench.install("next")
        #expect(rename(next, tool) == 0)
        expectAnonymous(try bench.identify(connection).identity, "restart the program")
        withExtendedLifetime(program) {}
    }

    @Test("a program that was renamed while it runs, with another one in its place")
    func moved() throws {
        let (program, connection) = try bench.start(tool)
        #expect(rename(tool, bench.folder.path(of: "elsewhere")) == 0)
        _ = try bench.install()
        // The kernel follows the file to its new name, where it has no manifest.
        #expect(try bench.identify(connection).identity.kind == .anonymous)
        withExtendedLifetime(program) {}
    }

    @Test("a program that was removed while it runs")
    func removed() throws {
        let (program, connection) = try bench.start(tool)
        #expect(unlink(tool) == 0)
        expectAnonymous(try bench.identify(connection).identity, "removed or replaced")
        withExtendedLifetime(program) {}
    }

    @Test(
        "a program in a folder that the daemon cannot enter is told to be elsewhere, and not to be restarted",
        .enabled(if: geteuid() != 0, "root enters every folder")
    )
    func outOfReach() throws {
        guard let file = Descriptor(tool, O_RDONLY) else { throw PeerProgram.Failure("open") }
        #expect(chmod(bench.folder.path, 0) == 0)
        defer { chmod(bench.folder.path, 0o700) }
        var reason = ""
        do throws(IdentityError) { _ = try Executable(file, path: tool) } catch { reason = error.description }
        #expect(reason.contains("cannot read \(tool): other users cannot enter the folder"), "\(reason)")
        #expect(reason.hasSuffix("; install it where other users can read it"), "\(reason)")
    }

    @Test("of folders that other users cannot enter, the outermost is named: they cannot see the others")
    func closedFolders() throws {
        let (outer, inner) = (bench.folder.path(of: "outer"), bench.folder.path(of: "outer/inner"))
        #expect(chmod(bench.folder.path, 0o755) == 0)
        #expect(mkdir(outer, 0o700) == 0 && mkdir(inner, 0o700) == 0)
        // The folder of temporary files may be closed itself.
        let closed = OtherUsers.objection(toReading: bench.folder.path)
        let expected = closed ?? "other users cannot enter the folder \(outer)"
        #expect(OtherUsers.objection(toReading: "\(inner)/tool") == expected)
    }

    @Test("a program that runs from memory, with a manifest for its contents")
    func memory() throws {
        let digest = try ProgramFile(path: tool).digest
        try bench.sign(tool, to: "\(bench.options.manifestFolders[0])/\(digest)\(ProgramManifest.fileSuffix)")
        expectAnonymous(try bench.identity(tool, "memfd"), "runs from memory")
    }

    @Test("scripts, interpreters, shells, debuggers and loaders are not signed")
    func interpreters() throws {
        let script = bench.folder.path(of: "script")
        try bench.write("#!/bin/sh\n", to: script)
        #expect(throws: IdentityError.self) { try ProgramFile(path: script) }
        let data = bench.folder.path(of: "data")
        try bench.write("nothing", to: data)
        #expect(throws: IdentityError.self) { try ProgramFile(path: data) }
        for path in [
            "/bin/sh", "/bin/bash", "/usr/bin/perl", "/lib64/ld-linux-x86-64.so.2", "/lib/ld-linux-aarch64.so.1",
        ]
        where access(path, F_OK) == 0 {
            #expect(throws: IdentityError.self, "\(path)") { try ProgramFile(path: path) }
        }
    }

    @Test(
        "libraries that are interpreters",
        arguments: [
            "libpython3.11.so.1.0", "libpython3.13t.so.1.0", "libperl.so.5.36", "libruby-3.1.so.3.1", "liblua5.4.so.0",
            "libluajit-5.1.so.2", "libnode.so.108", "libjvm.so", "libguile-3.0.so.1", "/opt/lib/libpython3.so",
        ]
    )
    func interpreterLibraries(_ name: String) { #expect(InterpreterNames.isInterpreterLibrary(name)) }

    @Test(
        "libraries that are none",
        arguments: [
            "libc.so.6", "libperl", "libpythonic.so", "librt.so.1", "libresolv.so.2", "libluna.so", "python.so", "",
        ]
    )
    func otherLibraries(_ name: String) { #expect(!InterpreterNames.isInterpreterLibrary(name)) }

    @Test(
        "a program that is linked to an interpreter is not signed under any name, and a manifest of it counts for nothing"
    )
    func linkedInterpreter() throws {
        let program = bench.folder.path(of: "editor")
        let script = """
            cd "$1"; echo 'int Py_Main(void) { return 0; }' > library.c
            echo 'int Py_Main(void); int main(void) { return Py_Main(); }' > main.c
            clang -shared -fPIC -Wl,-soname,libpython3.99.so.1.0 -o libpython3.99.so library.c
            clang -o editor main.c -L. -lpython3.99
            """
        try PeerProgram.run(["/bin/sh", "-ec", script, "sh", bench.folder.path])
        let refusal = #expect(throws: IdentityError.self) { try ProgramFile(path: program) }
        #expect(
            refusal?.description.contains("libpython3.99.so.1.0, an interpreter") == true,
            "\(String(describing: refusal))"
        )
        var contents = try bench.contents(tool)
        contents.executable = try ProgramFile.digest(ofLibrary: program)
        let manifest = try ProgramManifest(signing: contents, by: bench.key)
        try bench.write(manifest.document.text, to: program + ProgramManifest.fileSuffix)
        let found = ProgramExaminer(bench.options).identify(programAt: program, bench.record)
        expectAnonymous(found.identity, "an interpreter")
    }

    @Test("the libraries that programs are linked to are read from them, and a damaged file is read safely")
    func neededLibraries() throws {
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: tool)))
        func file(_ bytes: [UInt8]) -> ELFFile? {
            ELFFile { offset, count in
                guard offset <= UInt64(bytes.count) else { return [] }
                return Array(bytes[Int(offset)...].prefix(count))
            }
        }
        #expect(file(bytes)?.libraries.contains("libc.so.6") == true)
        for count in [0, 4, 15, 63, 100] { #expect(file(Array(bytes.prefix(count))) == nil) }
        // Each byte of the header and of the first program headers, with the values that exceed most.
        for index in 4..<400 {
            for value in [0, 0x7F, 0xFF] as [UInt8] {
                var damaged = bytes
                damaged[index] = value
                _ = file(damaged)
            }
        }
    }

    @Test("a manifest that was made for an interpreter counts for nothing")
    func signedInterpreter() throws {
        let shell = bench.folder.path(of: "bash")
        try PeerProgram.run(["/bin/cp", tool, shell])
        var contents = try bench.contents(tool)
        contents.executable = try ProgramFile(path: tool).digest
        let manifest = try ProgramManifest(signing: contents, by: bench.key)
        try bench.write(manifest.document.text, to: shell + ProgramManifest.fileSuffix)
        expectAnonymous(try bench.identity(shell), "an interpreter")
    }

    @Test(
        "names of interpreters, with and without versions",
        arguments: [
            "python3.11", "python3", "Python", "perl5.36.0", "lua5.4", "bash", "node", "ruby3.1", "php8.2", "gdb",
            "lldb-17",
            "tclsh8.6", "ld-linux-x86-64.so.2", "pypy3", "python3.11m", "guile-3.0", "busybox", "vim.basic", "R",
            "java", "perl5.36-x86_64-linux-gnu", "emacs-gtk", "emacs-nox", "emacs-pgtk", "gdb-multiarch", "python3.13t",
            "python3.11-dbg", "zsh-static", "luajit-2.1.0-beta3", "qemu-i386-static", "qemu-aarch64", "micropython",
            "dart", "swipl", "sqlite3", "script", "r2", "ruby-3.1",
        ]
    )
    func names(_ name: String) { #expect(InterpreterNames.isInterpreter(name)) }

    @Test(
        "names of other programs",
        arguments: [
            "tool", "git", "m", "shell-helper", "pythonic", "node-gyp-tool", "a", "7", "swift-keychain-tool", "sh2elf",
            "r-helper", "fish-finder", "scripted", "perfect",
        ]
    )
    func otherNames(_ name: String) { #expect(!InterpreterNames.isInterpreter(name)) }

    @Test(
        "a program that was identified, and was then changed through a shared mapping, which leaves its times as they are",
        .enabled(if: TemporaryFolder.memory != nil, "there is no tmpfs")
    )
    func sharedMapping() throws {
        let (bench, tool) = try Workbench.withSignedTool(in: TemporaryFolder.memory)
        let examiner = ProgramExaminer(bench.options)
        try Workbench.waitUntilSettled(tool)
        #expect(try bench.identity(tool, by: examiner).isKnown)
        let mark = try Workbench.mark(tool)
        // It ends before the tool is executed, which nobody may have open for writing then.
        #expect(try Workbench.mapping(tool).ask("flip") == "flipped")
        #expect(try Workbench.mark(tool) == mark)
        expectAnonymous(try bench.identity(tool, by: examiner), "another version")
    }

    @Test(
        "a file is hashed once if only root can change it, and each time otherwise",
        .enabled(if: TemporaryFolder.memory != nil, "there is no tmpfs")
    )
    func cachedHashes() throws {
        let bench = try Workbench(in: TemporaryFolder.memory)
        let path = bench.folder.path(of: "data")
        try bench.write("one", to: path)
        try Workbench.waitUntilSettled(path)
        // As if this user were root.
        let (ofRoot, ofOthers) = (FileTrust(owner: geteuid(), base: bench.folder.path), FileTrust())
        let caches = [ofRoot, ofOthers].map { ExecutableHashes($0) }
        guard let file = Descriptor(path, O_RDONLY) else { throw PeerProgram.Failure("open") }
        let before = try caches.map { try $0.digest(of: file.number, path).0 }
        #expect(try Workbench.mapping(path).ask("flip") == "flipped")
        let after = try caches.map { try $0.digest(of: file.number, path).0 }
        #expect(after[0] == before[0])
        #expect(after[1] != before[1])
    }

    @Test("a file is hashed again after it was changed, whatever its dates say")
    func changedDates() throws {
        let hashes = ExecutableHashes()
        let path = bench.folder.path(of: "data")
        try bench.write("one", to: path)
        guard let file = Descriptor(path, O_RDWR) else { throw PeerProgram.Failure("open") }
        let (first, _) = try hashes.digest(of: file.number, path)
        var before = stat()
        fstat(file.number, &before)
        #expect(pwrite(file.number, "two", 3, 0) == 3)
        var times = [before.st_atim, before.st_mtim]
        #expect(futimens(file.number, &times) == 0)
        #expect(try hashes.digest(of: file.number, path).0 != first)
    }
}
