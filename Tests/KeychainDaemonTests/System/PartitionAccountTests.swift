// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainHost
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

@Suite("A folder of the system service is that of one account")
struct PartitionAccountTests {
    @Test("programs that connect at the same time as the first ones all get in")
    func together() throws {
        for _ in 0..<50 {
            let temporary = try TemporaryFolder()
            let folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "1000")))
            let failures = Mutex<[String]>([])
            DispatchQueue.concurrentPerform(iterations: 8) { _ in
                do throws(DaemonFailure) {
                    try PartitionAccount.bind(folder, to: "anna", 1000)
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
            #expect(failures.withLock(\.self) == [])
            #expect(folder.names(beginningWith: PartitionAccount.fileName) == [PartitionAccount.fileName])
        }
    }

    @Test("another account that has got the user ID is refused, also as the first one of a start")
    func other() throws {
        let temporary = try TemporaryFolder()
        let folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "1000")))
        try PartitionAccount.bind(folder, to: nil, 1000)
        try PartitionAccount.bind(folder, to: "anna", 1000)
        try PartitionAccount.bind(folder, to: "anna", 1000)
        #expect(throws: DaemonFailure.self) { try PartitionAccount.bind(folder, to: "berta", 1000) }
    }

    @Test("while the account of a user ID cannot be determined, the folder of any account is refused")
    func unknown() throws {
        let temporary = try TemporaryFolder()
        let folder = try PrivateDirectory(KeychainLocation(path: temporary.path(of: "1000")))
        try PartitionAccount.bind(folder, to: "anna", 1000)
        let refusal = #expect(throws: DaemonFailure.self) { try PartitionAccount.bind(folder, to: nil, 1000) }
        #expect(refusal?.description.contains("getent passwd 1000") == true, "\(refusal as Any)")
        try PartitionAccount.bind(folder, to: "anna", 1000)
    }
}
