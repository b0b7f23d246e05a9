// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection
import KeychainTestSupport
import Testing

/// A check and a repair with the passcode.
struct UnlockedRepairTests {
    private static let passcode = SecretBytes(Array("1234".utf8))

    @Test(
        "a store that no program opens is repaired with a passcode as without one, and a line says so",
        arguments: ["first page", "end", "schema"]
    )
    func unreadable(_ damage: String) throws {
        let store = try TestStore()
        let keychain = store.open()
        for number in 0..<40 { try #require(keychain.add("account \(number)", "secret \(number)") == .done) }
        try keychain.device.setPasscode(Self.passcode)
        try store.checkpoint()
        var files = try store.contents().mapValues { Array($0) }
        let count = try #require(files["keychain.db"]?.count)
        switch damage {
        case "first page": files["keychain.db"]?.replaceSubrange(0..<4_096, with: [UInt8](repeating: 0, count: 4_096))
        case "end": files["keychain.db"]?.removeSubrange((count / 8_192 * 4_096)...)
        default: files["keychain.db"]?.replaceSubrange(100..<108, with: [UInt8](repeating: 0xA5, count: 8))
        }
        let (damaged, same) = (try TestStore.of(files), try TestStore.of(files))
        let expected = try same.repair().run(acceptsLostLog: true, date: "D") { _ in true }
        #expect(expected.isDone)
        let check = try damaged.check(passcode: Self.passcode)
        #expect(check.verdict == .damaged && check.findings.contains { $0.text.contains("could not be tried") })
        let plan = try damaged.repair().plan(passcode: Self.passcode)
        #expect(plan.rows == expected.rows)
        let outcome = try damaged.repair().run(passcode: Self.passcode, acceptsLostLog: true, date: "D") { _ in true }
        #expect(outcome.isDone && outcome.rows == expected.rows)
        let notes = outcome.before.findings.filter { $0.text.contains("the passcode could not be tried") }
        #expect(notes.count == 1 && notes.allSatisfy { !$0.isDamage })
        // Then it can be.
        #expect(try damaged.check(passcode: Self.passcode).lockedRows == 0)
    }
}
