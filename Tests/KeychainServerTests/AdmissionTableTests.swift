// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import Testing

@testable import KeychainServer

/// Which identifications begin while others are overdue.
struct AdmissionTableTests {
    private static func candidate(_ number: Int32, of user: uid_t) -> AdmissionTable.Candidate {
        AdmissionTable.Candidate(socket: number, process: number, user: user, since: 0)
    }

    @Test("once too many identifications are overdue, the users who have some are refused, and no other one")
    func otherUsers() throws {
        let options = ServerOptions.systemService
        let table = AdmissionTable(options)
        let attackers = uid_t((options.maximumOverdueAdmissions + 7) / options.maximumAdmissionsPerUser)
        for number in 0..<Int32(options.maximumOverdueAdmissions) {
            try table.begin(Self.candidate(number, of: 1000 + uid_t(number) % attackers), tick: 0)
        }
        table.refuseOverdue(tick: 1_000) { _ in }
        for user in 1000..<(1000 + attackers) {
            let refusal = #expect(throws: KeychainError.self) {
                try table.begin(Self.candidate(100, of: user), tick: 1_000)
            }
            #expect(refusal?.status == .notAvailable)
        }
        for number in 200..<Int32(208) { try table.begin(Self.candidate(number, of: 2000), tick: 1_000) }
        try table.end(200)
    }
}
