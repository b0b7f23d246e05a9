// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainProtection

/// Why a backup was not found to be sound.
enum BackupVerificationFailure: Error {
    /// It was not looked at.
    case refused(Refusal)
    /// It cannot be read, or the secret does not open it.
    case unreadable(KeychainError)
    /// Something in it is not as it was put there.
    case damaged(BackupDamage)

    /// The reason in words, and what does not open.
    var refusal: Refusal {
        switch self {
        case .refused(let refusal): return refusal
        case .unreadable(let error): return Refusal(error)
        case .damaged(let damage):
            let parts = [Self.altered.reason] + (damage.text.map { ["Of it do not open: \($0)."] } ?? [])
            return Refusal(parts.joined(separator: "\n"))
        }
    }

    /// The outcome as JSON; values that are not known are `null`.
    var json: [String: JSONValue] {
        [
            "sound": .boolean(false), "status": status.map { .string("\($0)") } ?? .null,
            "reason": .string(refusal.description), "damage": damage,
        ]
    }

    private var status: Status? {
        switch self {
        case .refused: nil
        case .unreadable(let error): error.status
        case .damaged: Self.altered.status
        }
    }

    private var damage: JSONValue {
        switch self {
        case .refused: .null
        case .unreadable(let error):
            switch error.kind {
            case .storage(.notABackup): .object(["part": .string("file")])
            case .keys(.damagedKeybag): .object(["part": .string("header")])
            default: .null
            }
        case .damaged(let damage):
            .object([
                "part": .string("contents"), "keychainFiles": .integer(damage.files),
                "items": .object(
                    Dictionary(
                        uniqueKeysWithValues: damage.items.map { (BackupText.className($0.key), .integer($0.value)) }
                    )
                ),
            ])
        }
    }

    private static let altered = KeychainError(ProtectionError.alteredBackup)
}

extension BackupDamage {
    /// What does not open; `nil` if all of it does.
    fileprivate var text: String? {
        var parts = ItemClass.stored.compactMap { itemClass in
            items[itemClass].map { Count.text($0, "\(BackupText.className(itemClass)) item") }
        }
        if files > 0 { parts.append(Count.text(files, "keychain file")) }
        return parts.isEmpty ? nil : parts.joined(separator: ", ")
    }
}
