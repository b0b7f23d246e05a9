// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

/// `kill -9` while a store gets another root key: it opens with the former one or the next one, has all of its items,
/// and whoever opens it next ends the replacement.
///
/// `STORM_ROUNDS` sets how often it is killed, for `Scripts/storm`.
@Suite(.timeLimit(.minutes(30)))
struct RootKeyKillTests {
    private static let rounds = getenv("STORM_ROUNDS").flatMap { Int(String(cString: $0)) } ?? 20
    private static let passcode = Array("storm".utf8)
    private static let accounts = (0..<12).map { "item-\($0)" }

    /// What is replaced: keys of one kind; or a key in a file by one in a chip, which is found by settings, and back.
    enum Replacements: String, CaseIterable {
        case ofOneKind = "root-keys"
        case ofTwoKinds = "root-key-kinds"
    }

    @Test(
        "a store whose root key is being replaced outlives a kill",
        arguments: Replacements.allCases,
        [false, true]
    )
    func killedReplacements(_ replacements: Replacements, _ hasPasscode: Bool) throws {
        let folder = try StormFolder()
        let filling = try folder.start()
        if hasPasscode { #expect(try filling.ask("passcode", Self.passcode).isDone) }
        try filling.send("adds item \(Self.accounts.count)")
        expectDone(try filling.steps(upTo: "done"))
        try filling.end()
        var (replaced, interrupted) = (0, 0)
        for round in 0..<Self.rounds {
            let process = try folder.start()
            try process.send("\(replacements.rawValue) all 100000")
            for _ in 0..<(round % 3) { _ = try process.nextStep() }
            // Not a wait for anything: the delay moves the kill to any point of a replacement.
            usleep(.random(in: 0..<40_000))
            try process.kill9()
            let steps = try process.remainingSteps()
            expectDone(steps)
            replaced += steps.count
            interrupted += try Self.remains(of: folder).isEmpty ? 0 : 1
            try expectWhole(folder, hasPasscode)
            #expect(try Self.remains(of: folder) == [])
            let places = try folder.fileNames?.filter { ["root.key", "root-key.settings"].contains($0) }
            #expect(places?.count == 1)
        }
        print("replacements between kills: \(replaced), interrupted with remains: \(interrupted)")
    }

    @Test("of processes that replace the root key at once, each does so, or finds another one at it")
    func racing() throws {
        let folder = try StormFolder()
        let filling = try folder.start()
        try filling.send("adds item \(Self.accounts.count)")
        expectDone(try filling.steps(upTo: "done"))
        try filling.end()
        let processes = try (0..<3).map { _ in try folder.start() }
        for process in processes { try process.send("root-keys all 10") }
        let reader = try folder.start()
        for account in Self.accounts { #expect(try reader.ask("read \(account)").isDone) }
        for process in processes {
            let steps = try process.steps(upTo: "done")
            #expect(steps.count == 10)
            expectDone(steps)
            try process.end()
        }
        for account in Self.accounts { #expect(try reader.ask("read \(account)").isDone) }
        try reader.end()
        try expectWhole(folder, false)
        #expect(try Self.remains(of: folder) == [])
    }

    @Test("a store that gets root keys of two kinds in turn is open to other processes all the time")
    func followed() throws {
        let folder = try StormFolder()
        let (replacing, reader) = (try folder.start(), try folder.start())
        try replacing.send("adds item \(Self.accounts.count)")
        expectDone(try replacing.steps(upTo: "done"))
        try replacing.send("root-key-kinds all 25")
        for _ in 0..<20 {
            for account in Self.accounts { #expect(try reader.ask("read \(account)").isDone) }
        }
        expectDone(try replacing.steps(upTo: "done"))
        for account in Self.accounts { #expect(try reader.ask("read \(account)").isDone) }
        try replacing.end()
        try reader.end()
        try expectWhole(folder, false)
        #expect(try Self.remains(of: folder) == [])
    }

    private func expectWhole(_ folder: StormFolder, _ hasPasscode: Bool) throws {
        let keychain = folder.keychain()
        if hasPasscode { try keychain.device.unlock(passcode: SecretBytes(Self.passcode)) }
        expectKept(Self.accounts, in: try StormFolder.items(of: keychain))
    }

    /// Files of a replacement that did not come to its end; one that was not begun leaves `replacement.mark.new`.
    private static func remains(of folder: StormFolder) throws -> [String] {
        try folder.fileNames?.filter {
            $0.hasPrefix("root.key.") || $0.hasPrefix("root-key.settings.") || $0 == "replacement.mark"
        } ?? []
    }
}
