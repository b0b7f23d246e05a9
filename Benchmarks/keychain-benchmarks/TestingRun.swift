// SPDX-License-Identifier: Apache-2.0

import CSQLite
import KeychainSimulation
import Security

/// What a device for a test costs that gets one item, beside a database in memory that gets one row.
struct TestingRun {
    let rounds: Int

    private static let devicesInATurn = 50

    func run(_ report: inout Report) throws {
        print(Report.testingHeading(rounds: rounds))
        var samples = Samples(participants: 2)
        for round in -1..<rounds {
            for turn in 0..<2 {
                let participant = (turn + round + 1) % 2
                let times = try self.times(participant == 0 ? Self.makeDatabase : Self.makeDevice)
                if round >= 0 { samples.append(times, participant) }
            }
        }
        print(report.testing("a device with one item", samples))
    }

    /// Nothing but SQLite: one table, one row.
    private static func makeDatabase() throws {
        let database = try Database(":memory:")
        try database.execute("CREATE TABLE items (id INTEGER PRIMARY KEY, account BLOB UNIQUE, secret BLOB)")
        let insertion = try database.prepare("INSERT INTO items (account, secret) VALUES (?, ?)")
        insertion.bind(Array("account".utf8), at: 1)
        insertion.bind(Array("secret".utf8), at: 2)
        try insertion.run()
    }

    /// A device as a test makes it: with a passcode and an app, which stores a password.
    private static func makeDevice() throws {
        let device = try VirtualDevice()
        let app = device.install()
        let item: [CFString: Any] = [
            kSecClass: kSecClassGenericPassword, kSecAttrService: "service", kSecAttrAccount: "account",
            kSecValueData: Data("secret".utf8),
        ]
        let status = app.run { SecItemAdd(item as CFDictionary, nil) }
        guard status == errSecSuccess else { throw Failure("SecItemAdd gave \(status)") }
    }

    private func times(_ body: () throws -> Void) throws -> [Clock: Double] {
        let (wall, processor) = (Clock.wall.now, Clock.processor.now)
        for _ in 0..<Self.devicesInATurn { try body() }
        let count = Double(Self.devicesInATurn)
        return [.wall: (Clock.wall.now - wall) / count, .processor: (Clock.processor.now - processor) / count]
    }
}
