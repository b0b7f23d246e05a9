// SPDX-License-Identifier: Apache-2.0

import Glibc
import Testing

@testable import KeychainIdentity

/// A process of many supplementary groups, whose `/proc/PID/status` is longer than the rest of it ever is.
@Suite(.enabled(if: geteuid() == 0, "only the superuser gives a process groups"))
struct ManyGroupsTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    @Test("a process is identified and looked at however many groups it has", arguments: [0, 1_100, 4_000, 9_000])
    func identified(_ count: Int) throws {
        let groups = (0..<count).map { "\(1_000_000_000 + $0)" }.joined(separator: ",")
        let words = count == 0 ? ["--clear-groups"] : ["--groups", groups]
        let program = try PeerProgram(["/usr/bin/setpriv"] + words + [tool, bench.socketPath])
        let connection = try bench.accept()
        let peer = try PeerProcess(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        #expect(try peer.threadStates().count == 1)
        #expect(try PeerProcess(identifier: program.identifier).user == 0)
        let identified = try bench.identify(connection)
        #expect(identified.identity.isKnown, "\(identified.identity.reasons)")
        #expect(identified.keptByteCount > 0, "its manifest counts")
    }
}
