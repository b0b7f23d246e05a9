// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Programs whose system calls another process may answer, by a filter (seccomp(2)) of who started them.
struct FilterTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    /// Who the signed program is with such a filter, in a control group.
    private func identity(group: String? = nil) throws -> ClientIdentity {
        let program = try PeerProgram([PeerProgram.path(), "filtered", tool, "-"])
        let peer = try PeerProcess(identifier: program.identifier)
        let group = group.flatMap { ControlGroup(text: Array($0.utf8)) }
        defer { withExtendedLifetime(program) {} }
        return ProgramExaminer(bench.options).identify(peer, label: nil, group: group, record: &bench.record).identity
    }

    @Test("the signed program with a filter is not identified, unless its manifest allows that")
    func filtered() throws {
        expectAnonymous(try identity(), "its system calls are filtered (seccomp)")
        try bench.sign(tool) { $0.allowsFilters = true }
        let allowed = try identity()
        #expect(allowed.kind == .signed(bench.team), "\(allowed.reasons)")
    }

    @Test("in a service of the system, filters are the service's")
    func ofService() throws {
        let identity = try identity(group: "0::/system.slice/tool.service\n")
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
        expectAnonymous(try self.identity(group: "0::/user.slice/tool.service\n"), "filtered")
    }

    @Test("as many filters as the first process has, every process has")
    func ofContainer() throws {
        func states(_ counts: Int...) throws -> [PeerProcess.State] {
            try counts.map { count in
                let status = "Uid:\t1\t1\t1\t1\nTracerPid:\t0\nCapPrm:\t0\nNoNewPrivs:\t1\nSeccomp:\t2\n"
                return try #require(PeerProcess.State(Array("\(status)Seccomp_filters:\t\(count)\n".utf8)))
            }
        }
        try SystemCallFilters.check(states(1, 1), common: 1)
        #expect(throws: IdentityError.self) { try SystemCallFilters.check(states(1, 2), common: 1) }
        #expect(throws: IdentityError.self) { try SystemCallFilters.check(states(1), common: 0) }
    }
}
