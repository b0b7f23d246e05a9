// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// `kill -9` while a recovery key is used, and while the device is erased: each happens as a whole or not at all.
///
/// `STORM_ROUNDS` sets how often it is killed, for `Scripts/storm`.
@Suite(.timeLimit(.minutes(30)))
struct RecoveryKillTests {
    private static let rounds = getenv("STORM_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 20
    private static let accounts = (0..<12).map { "item-\($0)" }

    private func fill(_ folder: StormFolder) throws {
        let filling = try folder.start()
        try filling.send("adds item \(Self.accounts.count)")
        expectDone(try filling.steps(upTo: "done"))
        try filling.end()
        let device = folder.keychain().device
        try device.setPasscode(.numbered(0))
        try device.createRecoveryKey(.numbered(0), passcode: .numbered(0))
    }

    @Test(
        "of a recovery, passcode and recovery key are those of before or those of afterwards",
        arguments: [true, false]
    )
    func recoveries(_ hasRootKey: Bool) throws {
        let folder = try StormFolder()
        try fill(folder)
        var (number, interrupted) = (0, 0)
        for round in 0..<Self.rounds {
            if !hasRootKey { #expect(unlink("\(folder.path)/root.key") == 0) }
            let process = try folder.start()
            _ = try process.ask("ready")
            // One at a time where the root key is lost: the first one brings another.
            try process.send("recoveries \(number) \(hasRootKey ? 100_000 : 1)")
            for _ in 0..<(hasRootKey ? round % 3 : 0) { _ = try process.nextStep() }
            // Not a wait for anything: the delay moves the kill to any point of a recovery.
            usleep(.random(in: 0..<60_000))
            try process.kill9()
            let steps = try process.remainingSteps().filter { $0.operation == "recovery" }
            expectDone(steps)
            let acknowledged = steps.last.flatMap { Int($0.subject) } ?? number
            let keychain = folder.keychain()
            // Those that were read before the kill count as well.
            let valid = (number...max(number, acknowledged) + 4).filter { number in
                (try? keychain.device.checkRecoveryKey(.numbered(number))) != nil
            }
            try #require(valid.count == 1, "\(valid) of \(number) and later")
            #expect(valid[0] >= acknowledged)
            interrupted += valid[0] > acknowledged ? 1 : 0
            number = valid[0]
            if (try? keychain.device.status()) == nil {
                // Without its root key nothing opens, and the recovery key that is valid is the way out.
                #expect(!hasRootKey)
                try keychain.device.useRecoveryKey(
                    .numbered(number),
                    newPasscode: .numbered(number + 1),
                    newRecoveryKey: .numbered(number + 1)
                )
                number += 1
            }
            let next = folder.keychain()
            try next.device.unlock(passcode: .numbered(number))
            expectKept(Self.accounts, in: try StormFolder.items(of: next))
            #expect(try Self.remains(of: folder) == [])
        }
        print("recoveries between kills: \(number), of them not acknowledged: \(interrupted)")
    }

    @Test("of an erasure, everything is there, or an empty device", arguments: [true, false])
    func erasures(_ hasRootKey: Bool) throws {
        let folder = try StormFolder()
        var erased = 0
        for _ in 0..<Self.rounds {
            if try folder.fileNames == nil || folder.items().isEmpty { try fill(folder) }
            if !hasRootKey { #expect(unlink("\(folder.path)/root.key") == 0) }
            let process = try folder.start()
            _ = try process.ask("ready")
            try process.send("erasures all 1")
            usleep(.random(in: 0..<60_000))
            try process.kill9()
            let steps = try process.remainingSteps().filter { $0.operation == "erase" }
            expectDone(steps)
            let keychain = folder.keychain()
            let summary = try keychain.device.summary()
            if summary.hasPasscode == true {
                #expect(steps.isEmpty && summary.itemCount == Self.accounts.count && summary.recoveryKeyDate != nil)
                try keychain.device.checkRecoveryKey(.numbered(0))
                if hasRootKey {
                    try keychain.device.unlock(passcode: .numbered(0))
                    expectKept(Self.accounts, in: try StormFolder.items(of: keychain))
                }
                try folder.keychain().device.erase()
            } else {
                erased += 1
            }
            #expect(try folder.keychain().device.summary().hasRootKey)
            #expect(try folder.items().isEmpty)
            #expect(try Self.remains(of: folder) == [])
        }
        print("erasures that a kill did not prevent: \(erased) of \(Self.rounds)")
    }

    /// Files of a replacement of the root key that did not come to its end.
    private static func remains(of folder: StormFolder) throws -> [String] {
        try folder.fileNames?.filter { $0.hasPrefix("root.key.") || $0 == "replacement.mark" } ?? []
    }
}
