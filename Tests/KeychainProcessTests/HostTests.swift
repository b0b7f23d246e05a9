// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

/// What the process that uses a keychain looks like from outside and inside.
@Suite(.timeLimit(.minutes(30)))
struct HostTests {
    @Test("the library leaves its host as it is")
    func hostIsLeftAlone() throws {
        let process = try StormFolder().start()
        try process.send("host item")
        let steps = try process.steps(upTo: "dumpable")
        #expect(steps.count > 8)
        expectDone(steps)
    }

    @Test("a hardened program is not dumpable, and others of its user cannot look at its memory")
    func hardened() throws {
        let process = try Self.startUnprivileged()
        #expect(Self.owner(of: process) == Self.unprivilegedUser)
        #expect(try process.ask("harden x").description == "harden 0")
        #expect(Self.owner(of: process) == 0, "the kernel gives what is not dumpable to root")
    }

    @Test("a stored secret leaves no copy in the memory of the process")
    func secretIsWiped() throws {
        let process = try StormFolder.started().process
        try process.send("search item")
        var found: [String: Int] = [:]
        for _ in 0..<10 {
            let step = try #require(try process.nextStep())
            guard step.operation == "found" else { continue }
            found[step.subject] = step.status
            if step.subject != "while" { #expect(step.isDone, "\(step)") }
        }
        #expect(found.keys.sorted() == ["add", "before", "read", "update", "while", "wire"])
        #expect(found["while"] ?? 0 >= 4, "the search finds what is there")
    }

    private static let unprivilegedUser: uid_t = geteuid() == 0 ? 65_534 : geteuid()

    /// Root owns the memory of root's processes, dumpable or not: another user has to run the helper then.
    private static func startUnprivileged() throws -> StormProcess {
        let drop = ["setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"]
        return try StormProcess("/nonexistent", prefix: geteuid() == 0 ? drop : [])
    }

    private static func owner(of process: StormProcess) -> uid_t? {
        // An answer means that the program runs, and not setpriv before it.
        guard (try? process.ask("descriptors")) != nil else { return nil }
        var status = stat()
        return stat("/proc/\(process.identifier)/mem", &status) == 0 ? status.st_uid : nil
    }
}
