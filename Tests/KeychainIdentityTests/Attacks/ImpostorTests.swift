// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to be taken for a signed program by a program of which the kernel says that it runs the same executable
/// (prctl(2), `PR_SET_MM`): that takes a capability, which everybody has in a user namespace of their own.
@Suite(.enabled(if: UserNamespaces.arePossible, "this system lets this user make no user namespaces"))
struct ImpostorTests {
    private let bench: Workbench
    private let tool: String
    private let other: String

    init() throws {
        (bench, tool) = try Workbench.withSignedTool()
        other = try bench.install("other")
        // It is another executable, and has the same code.
        try PeerProgram.run(["/bin/sh", "-c", "printf x >> \"$0\"", other])
    }

    /// The other program, connected, after it has carried out some commands, by which it appears as the signed one.
    private func impostor(_ steps: [(String, String)]) throws -> (PeerProgram, Workbench.Connection) {
        let (program, connection) = try bench.start(other)
        for (command, answer) in steps { #expect(try program.ask(command) == answer, "\(command)") }
        let link = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(program.identifier)/exe")
        #expect(link == tool, "the attack does not work any more")
        return (program, connection)
    }

    @Test("a program that appears as it in a user namespace of its own counts as in a sandbox")
    func userNamespace() throws {
        let (program, connection) = try impostor([("isolate", "isolated"), ("become \(tool) \(tool)", "become")])
        expectSandboxed(try bench.identify(connection).identity, "user namespace")
        withExtendedLifetime(program) {}
    }

    /// The other process is gone by then, and this one was never in a user namespace of its own.
    @Test("a program that another process made appear as it, which shared its memory, does not run its code")
    func sharedMemory() throws {
        let code = try bench.install("code")
        try PeerProgram.run(["/bin/sh", "-c", "printf xx >> \"$0\"", code])
        let digest = try ProgramFile.digest(ofLibrary: code)
        // Otherwise it would be refused for that.
        try bench.sign(tool) { $0.libraries = [digest] }
        let (program, connection) = try impostor([("become-by-child \(tool) \(code)", "become")])
        let identity = try bench.identify(connection).identity
        expectAnonymous(identity, "does not run the code of its executable")
        #expect(!identity.isSandboxed)
        withExtendedLifetime(program) {}
    }

    @Test("not defended: the same with the code of the signed program in memory, and with no other")
    func sharedMemoryWithCode() throws {
        let (program, connection) = try impostor([("become-by-child \(tool) \(tool)", "become")])
        #expect(try bench.identify(connection).identity.kind == .signed(bench.team))
        withExtendedLifetime(program) {}
    }

    @Test("a program that has a part of its code in memory does not run it")
    func partOfCode() throws {
        let (program, _) = try bench.start(tool)
        let text = try String(contentsOfFile: "/proc/\(program.identifier)/maps", encoding: .utf8)
        let lines = text.split(separator: "\n").map(String.init)
        let own = try #require(lines.firstIndex { $0.contains(" r-xp ") && $0.hasSuffix(tool) })
        let addresses = try #require(MemoryMapping.addresses(ArraySlice(lines[own].prefix { $0 != " " }.utf8)))
        let page = UInt64(sysconf(Int32(_SC_PAGESIZE)))
        let words = lines[own].drop { $0 != " " }
        let offset = try #require(UInt64(words.split(separator: " ")[1], radix: 16))
        func line(_ addresses: Range<UInt64>, _ offset: UInt64) -> String {
            let ends = [addresses.lowerBound, addresses.upperBound].map { String($0, radix: 16) }
            let digits = String(offset, radix: 16)
            return "\(ends[0])-\(ends[1])"
                + words.replacingOccurrences(of: words.split(separator: " ")[1], with: digits)
        }
        let code = LoadedCode(trust: FileTrust(), hashes: ExecutableHashes(), system: SystemCode())
        let executable = try Executable(path: tool)
        #expect(!executable.code.isEmpty)
        func check(_ replaced: [String]) throws {
            let rest = lines.enumerated().filter { $0.offset != own }.map(\.element)
            let memory = try #require(ExecutableMemory(text: Array((rest + replaced).joined(separator: "\n").utf8)))
            let allowance = LoadedCode.Allowance(
                executable: executable.mark,
                code: executable.code,
                libraries: [],
                isJIT: false
            )
            _ = try code.check(memory, allowance)
        }
        let (start, end) = (addresses.lowerBound, addresses.upperBound)
        try check([lines[own]])
        try check([line(start + page..<end, offset + page), line(start..<start + page, offset)])
        for parts in [
            [], [line(start..<end - page, offset)], [line(start + page..<end, offset + page)],
            [line(start..<end, offset + page)],
        ] {
            let refusal = #expect(throws: IdentityError.self) { try check(parts) }
            #expect(refusal?.description.contains("not all of it") == true, "\(parts)")
        }
    }

    /// The numbers of capabilities (capabilities(7)).
    @Test(
        "a user's program with a capability to appear as another is not identified, and one with others is",
        .enabled(if: geteuid() == 0, "only root gives capabilities away"),
        arguments: [(21, "CAP_SYS_ADMIN"), (40, "CAP_CHECKPOINT_RESTORE"), (12, nil)]
    )
    func privileges(_ capability: Int, _ name: String?) throws {
        #expect(chmod(bench.folder.path, 0o755) == 0)
        let sets = ["--inh-caps=+cap_\(capability)", "--ambient-caps=+cap_\(capability)"]
        let user = ["/usr/bin/setpriv", "--reuid=1", "--regid=1", "--clear-groups"]
        let program = try PeerProgram(user + sets + [tool, "-"])
        let identity = try bench.identify(program).identity
        guard let name else { return #expect(identity.kind == .signed(bench.team), "\(identity.reasons)") }
        expectAnonymous(identity, name)
        withExtendedLifetime(program) {}
    }

    @Test(
        "a capability counts while the process could take it, and not for root",
        arguments: [
            (1, 1 << 21, "CAP_SYS_ADMIN"), (1, 1 << 24, "CAP_SYS_RESOURCE"), (1, 1 << 40, "CAP_CHECKPOINT_RESTORE"),
            (1, ~(1 << 21 | 1 << 24 | 1 << 40), nil), (0, ~0, nil), (1, 0, nil),
        ] as [(Int, UInt64, String?)]
    )
    func capabilities(user: Int, permitted: UInt64, name: String?) throws {
        let status = """
            Name:\tx
            TracerPid:\t0
            Uid:\t0\t\(user)\t0\t0
            CapPrm:\t\(String(permitted, radix: 16))
            CapEff:\t0000000000000000

            """
        let state = try #require(PeerProcess.State(Array(status.utf8)))
        var reason: String?
        do throws(IdentityError) { try state.checkPrivileges() } catch { reason = error.description }
        #expect((reason == nil) == (name == nil))
        #expect(name.map { reason?.contains($0) == true } ?? true, "\(reason ?? "")")
    }
}
