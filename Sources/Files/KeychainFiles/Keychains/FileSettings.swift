// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The settings in a keychain file: an item in a separate group, sealed under the password like every secret, so that a
/// writer of the file cannot prevent it from locking.
///
/// The engine locks after its interval by the policy of its device, which is set when the keychain is unlocked.
enum FileSettings {
    /// The access group of the settings, which no item is in.
    static let group = "settings"

    private static let client = Client(accessGroups: [group])
    private static let query: PropertyDictionary = PropertyDictionary([
        PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue),
        AttributeName.service.description: .string("settings"),
    ])

    /// The settings of an unlocked keychain.
    static func of(_ keychain: EmbeddedKeychain) throws(KeychainError) -> KeychainFileSettings {
        var query = query
        query[PropertyKey.returnData] = .boolean(true)
        let answer: KeychainAnswer
        do throws(KeychainError) {
            answer = try keychain.observe(KeychainRequest(.copyMatching(query), client: client))
        } catch {
            // Every keychain file has them.
            guard error.status == .itemNotFound else { throw error }
            throw damaged
        }
        guard case .single(.data(let bytes)) = answer, let settings = decoded(bytes) else { throw damaged }
        return settings
    }

    private static let damaged = KeychainError.damagedItem("the settings of the keychain are damaged")

    /// Puts the settings of a keychain that was just unlocked into effect.
    static func apply(to keychain: EmbeddedKeychain) throws(KeychainError) {
        try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: try of(keychain).lockInterval))
    }

    /// Changes the settings of an unlocked keychain.
    static func set(_ settings: KeychainFileSettings, in keychain: EmbeddedKeychain) throws(KeychainError) {
        if let interval = settings.lockInterval, !(1...Int(Int32.max)).contains(interval) {
            throw .parameter("a keychain locks after one second or more")
        }
        do throws(KeychainError) {
            try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: settings.lockInterval))
        } catch {
            guard case .device(.locked) = error.kind else { throw error }
            throw KeychainError(.interactionNotAllowed, "the keychain is locked", kind: error.kind)
        }
        let value = PropertyDictionary([PropertyKey.valueData: .data(encoded(settings))])
        var addition = query
        addition.entries.merge(value.entries) { $1 }
        let operation = KeychainRequest.Operation.set(query, attributes: value, addition: addition)
        _ = try keychain.perform(KeychainRequest(operation, client: client))
    }

    /// Sets what people see as the name of an unlocked keychain, which is empty for the name of the file.
    static func setLabel(_ label: String, in keychain: EmbeddedKeychain) throws(KeychainError) {
        let value = PropertyDictionary([AttributeName.label.description: .string(label)])
        _ = try keychain.perform(KeychainRequest(.update(query, attributes: value), client: client))
    }

    /// The label of a keychain, which anybody who can write the file can change; and when the keychain was created.
    static func labelAndCreation(
        of keychain: EmbeddedKeychain
    ) throws(KeychainError) -> (label: String?, created: Timestamp?) {
        var query = query
        query[PropertyKey.returnAttributes] = .boolean(true)
        let answer: KeychainAnswer
        do throws(KeychainError) {
            answer = try keychain.observe(KeychainRequest(.copyMatching(query), client: client))
        } catch {
            guard error.status == .itemNotFound || error.status == .decode else { throw error }
            return (nil, nil)
        }
        guard case .single(.dictionary(let attributes)) = answer else { return (nil, nil) }
        var (label, created): (String?, Timestamp?)
        if case .string(let text)? = attributes[AttributeName.label.description], !text.isEmpty,
            !text.utf8.contains(0)
        {
            label = text
        }
        if case .date(let date)? = attributes[AttributeName.creationDate.description] { created = date }
        return (label, created)
    }

    /// A byte that is 1 for a keychain that locks on sleep, and the seconds in four, the highest first, or 0.
    private static func encoded(_ settings: KeychainFileSettings) -> SecretBytes {
        let seconds = UInt32(settings.lockInterval ?? 0)
        let bytes = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: seconds >> $0) }
        return SecretBytes([settings.locksOnSleep ? 1 : 0] + bytes)
    }

    private static func decoded(_ bytes: SecretBytes) -> KeychainFileSettings? {
        let bytes = bytes.unprotectedCopy
        guard bytes.count == 5 else { return nil }
        let seconds = bytes.dropFirst().reduce(0) { $0 << 8 | Int($1) }
        return KeychainFileSettings(locksOnSleep: bytes[0] != 0, lockInterval: seconds == 0 ? nil : seconds)
    }
}
