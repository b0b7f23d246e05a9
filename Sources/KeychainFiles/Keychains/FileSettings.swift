// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine

/// The settings in a keychain file.
///
/// When it locks without use is what the engine knows as the policy of a device; whether it locks on sleep is kept in
/// an item of a group of its own, sealed as every secret.
enum FileSettings {
    private static let client = Client(accessGroups: ["settings"])
    private static let query: PropertyDictionary = PropertyDictionary([
        PropertyKey.itemClass: .string(ItemClass.genericPassword.rawValue),
        AttributeName.service.description: .string("locks on sleep"),
    ])

    /// The settings of an unlocked keychain.
    static func of(_ keychain: EmbeddedKeychain) throws(KeychainError) -> KeychainFileSettings {
        var query = query
        query[PropertyKey.returnData] = .boolean(true)
        let answer = try keychain.perform(KeychainRequest(.copyMatching(query), client: client))
        guard case .single(.data(let flag)) = answer else { throw .unexpectedReply }
        return KeychainFileSettings(
            locksOnSleep: flag != off,
            lockInterval: try keychain.device.status().policy.autoLockAfterSeconds
        )
    }

    /// Changes the settings of an unlocked keychain.
    static func set(_ settings: KeychainFileSettings, in keychain: EmbeddedKeychain) throws(KeychainError) {
        let flag = PropertyDictionary([PropertyKey.valueData: .data(settings.locksOnSleep ? on : off)])
        var addition = query
        addition.entries.merge(flag.entries) { $1 }
        let operation = KeychainRequest.Operation.set(query, attributes: flag, addition: addition)
        _ = try keychain.perform(KeychainRequest(operation, client: client))
        do throws(KeychainError) {
            try keychain.device.setPolicy(DevicePolicy(autoLockAfterSeconds: settings.lockInterval))
        } catch {
            guard case .device(.locked) = error.kind else { throw error }
            throw KeychainError(.interactionNotAllowed, "the keychain is locked", kind: error.kind)
        }
    }

    private static let off = SecretBytes([0])
    private static let on = SecretBytes([1])
}
