// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainEngine
import Testing

@testable import KeychainControl

/// The exit statuses of the commands for passwords: each command in each situation.
struct ItemStatusTests {
    /// What a command finds.
    enum Situation: CaseIterable {
        case present
        case missing
        case ambiguous
        case locked
        case cancelledPasscode
        case wrongUsage
        case unreadable
        case unavailableForAnotherReason
    }

    struct Row: Sendable {
        let words: [String]
        /// Of the name that is given for the password.
        var takesName = true
        /// By situation, where it is not that of most commands.
        var others: [Situation: Int32] = [:]

        func status(in situation: Situation) -> Int32 {
            if let other = others[situation] { return other }
            return switch situation {
            case .present: 0
            case .unavailableForAnotherReason: 1
            case .wrongUsage: 2
            case .missing: 3
            case .ambiguous: 4
            case .locked, .cancelledPasscode: 5
            case .unreadable: 6
            }
        }
    }

    static let rows = [
        Row(words: ["show"]), Row(words: ["get"]), Row(words: ["otp"], others: [.present: 1]),
        Row(words: ["edit", "--label", "x"]), Row(words: ["delete", "--yes"]),
        Row(words: ["delete", "--dry-run"]), Row(words: ["delete"], others: [.present: 1]),
        Row(words: ["move", "--to-group", "g"]), Row(words: ["rename", "NAME", "new"]),
        Row(words: ["copy", "NAME", "new"]), Row(words: ["set"], others: [.missing: 0]),
        Row(words: ["generate", "--set"], others: [.present: 1, .missing: 0]),
        Row(words: ["generate", "--replace", "--set"], others: [.missing: 0]),
        Row(words: ["list"], takesName: false, others: [.missing: 0, .ambiguous: 0]),
        Row(words: ["search", "svc"], takesName: false, others: [.ambiguous: 0]),
        Row(words: ["note"], others: [.present: 3]), Row(words: ["note", "--set"]), Row(words: ["attachments"]),
        Row(words: ["attach", "NAME", "/dev/null"]),
        Row(words: ["detach", "NAME", "x", "--yes"], others: [.present: 3]),
        Row(words: ["expire", "NAME", "90d"]), Row(words: ["expire"], others: [.present: 3]),
        Row(words: ["expire", "--due"], takesName: false, others: [.present: 3, .ambiguous: 3]),
    ]

    @Test("each command ends with the status of its situation", arguments: rows, Situation.allCases)
    func statuses(_ row: Row, _ situation: Situation) throws {
        var scene = try ItemScene()
        if situation != .missing { _ = try scene.run("set", "svc/ada", input: "1") }
        switch situation {
        case .ambiguous: try scene.add(.internetPassword, ["srvr": .string("svc"), "acct": .string("ada")])
        case .locked: try scene.lock()
        case .cancelledPasscode:
            try scene.lock()
            scene.control.answers = [.cancelled]
        case .unreadable:
            scene.control.keychain = UnavailableKeychain(
                KeychainError(.notAvailable, "the store is of a later release", kind: .storage(.newerFormat))
            )
        case .unavailableForAnotherReason:
            scene.control.keychain = UnavailableKeychain(KeychainError(.notAvailable, "no passcode is set"))
        case .present, .missing, .wrongUsage: break
        }
        var words = row.words.map { $0 == "NAME" ? "svc/ada" : $0 }
        if row.takesName, words == row.words { words.append("svc/ada") }
        if situation == .wrongUsage { words.append("--nosuch") }
        let outcome = try scene.run(words, input: "2")
        #expect(outcome.status == row.status(in: situation), "\(outcome)")
        #expect(outcome.status == 0 || !outcome.error.isEmpty)
    }
}
