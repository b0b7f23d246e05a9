// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// Something else in the place of a file: a check and a repair name it, and neither open it nor wait for it.
@Suite(.timeLimit(.minutes(2)))
struct WrongKindOfFileTests {
    private let store: TestStore

    init() throws {
        store = try TestStore()
        let keychain = store.open()
        for account in ["anna", "bert", "carl"] { try #require(keychain.add(account, "secret of \(account)") == .done) }
        try store.checkpoint()
    }

    private func replace(_ name: String, by kind: String) throws {
        let path = store.file(name)
        unlink(path)
        switch kind {
        case "FIFO": #expect(mkfifo(path, 0o600) == 0)
        case "folder": #expect(mkdir(path, 0o700) == 0)
        default:
            let other = store.folder.path(of: "elsewhere")
            try Data().write(to: URL(fileURLWithPath: other))
            #expect(symlink(other, path) == 0)
        }
    }

    private func expectRefusal(naming name: String) {
        let refusal = #expect(throws: KeychainError.self) { try store.repair().plan() }
        #expect(refusal?.reason.contains("\(name) is not a file") == true)
    }

    @Test(
        "what is in the place of a file of the store is named",
        arguments: ["keychain.db", "keychain.db-wal", "keychain.db-shm"],
        ["FIFO", "folder", "link"]
    )
    func store(_ name: String, _ kind: String) throws {
        try replace(name, by: kind)
        let report = try store.check()
        #expect(report.verdict == .unreadable && report.obstacle?.contains("\(name) is not a file") == true)
        expectRefusal(naming: name)
    }

    @Test(
        "what is in the place of a lock file is named: no program takes such a lock",
        arguments: [
            "setup.lock", "attempt.lock", "service.lock", "daemon.lock", "backup-schedule.lock", "shared.lock",
        ],
        ["FIFO", "folder", "link"]
    )
    func lock(_ name: String, _ kind: String) throws {
        try replace(name, by: kind)
        let report = try store.check()
        #expect(report.verdict == .damaged && report.intactRows == 3)
        #expect(report.findings.map(\.text) == ["\(store.path)/\(name) is not a file"])
        expectRefusal(naming: name)
    }
}
