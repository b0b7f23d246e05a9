// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
public import Keychain
import PortableLocalAuthentication
import PortableSecurity

/// Keys of the Secure Enclave, or software keys if there is none, by name in the keychain.
///
/// The kind of a key is decided once, when it is created, and recorded with it. A software key is used only if there is
/// no enclave: a locked device or a cancelled prompt is an error, not a reason to create a weaker key.
///
/// No key is ever replaced silently. Reading returns `nil` only if there is none, creating fails if there is one, and a
/// key that can never be used again, such as one from the backup of another device, is an error that contains its
/// public key: inform the parties that trust it, and call `replaceSigningKey`.
public struct DeviceKeyStore: Sendable {
    private let service: String
    private let accessGroup: String?
    private let keychain: any KeychainProtocol
    private let isEnclaveAvailable: @Sendable () -> Bool

    /// Creates a store.
    ///
    /// - Parameters:
    ///   - service: the service of the items.
    ///   - accessGroup: their access group; `nil` for the app's default group.
    ///   - keychain: the keychain.
    ///   - isEnclaveAvailable: whether there is a Secure Enclave; `nil` to ask the system. For tests of the fallback.
    public init(
        service: String,
        accessGroup: String? = nil,
        in keychain: any KeychainProtocol,
        isEnclaveAvailable: (@Sendable () -> Bool)? = nil
    ) {
        self.service = service
        self.accessGroup = accessGroup
        self.keychain = keychain
        self.isEnclaveAvailable = isEnclaveAvailable ?? { SecureEnclave.isAvailable }
    }

    /// Deletes a key of either kind; it can never sign again.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: ``DeviceKeyError``
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    @discardableResult
    public func deleteKey(named name: String) throws(DeviceKeyError) -> Bool {
        do throws(KeychainItemError) { return try keychain.delete(item(name)) } catch {
            throw DeviceKeyError(error, name)
        }
    }

    /// Does the same on a thread of its own.
    @discardableResult
    public func deleteKey(named name: String) async throws(DeviceKeyError) -> Bool {
        try await waiting { () throws(DeviceKeyError) in try deleteKey(named: name) }
    }

    func read<Purpose: DeviceKeyPurpose>(
        _: Purpose.Type,
        named name: String,
        context: LAContext?,
        authentication: Authentication?
    ) throws(DeviceKeyError) -> NamedKey<Purpose>? {
        let authentication = authentication ?? context.map { .context($0) } ?? .forbidden
        guard let record = try record(name, authentication) else { return nil }
        guard record.purpose == Purpose.recorded else { throw DeviceKeyError(.otherPurpose, name) }
        if record.origin == .secureEnclave, !isEnclaveAvailable() {
            throw DeviceKeyError(.noEnclave, name, publicKey: record.publicKey)
        }
        let key: DevicePrivateKey<Purpose>
        do { key = try DevicePrivateKey(record, context) } catch {
            let otherwise: DeviceKeyError.Reason = record.origin == .software ? .malformed : .failed
            throw DeviceKeyError(use: error, name, record.publicKey, otherwise: otherwise)
        }
        guard key.record.publicKey == record.publicKey else { throw DeviceKeyError(.malformed, name) }
        return NamedKey(key: key, name: name)
    }

    func make<Purpose: DeviceKeyPurpose>(
        _: Purpose.Type,
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext?
    ) throws(DeviceKeyError) -> NamedKey<Purpose> {
        let (key, contents, protection) = try prepared(
            Purpose.self,
            named: name,
            protection: protection,
            fallback: fallback,
            context: context
        )
        do throws(KeychainItemError) {
            try keychain.add(
                .data(contents),
                for: item(name),
                protection: protection,
                details: .none,
                authentication: Self.storing(context)
            )
        } catch { throw DeviceKeyError(error, name) }
        return NamedKey(key: key, name: name)
    }

    func replace<Purpose: DeviceKeyPurpose>(
        _: Purpose.Type,
        named name: String,
        lost: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext?
    ) throws(DeviceKeyError) -> NamedKey<Purpose> {
        let authentication = Self.storing(context)
        guard let old = try record(name, authentication), old.publicKey == lost, old.purpose == Purpose.recorded else {
            throw DeviceKeyError(.replacedMeanwhile, name)
        }
        let (key, contents, protection) = try prepared(
            Purpose.self,
            named: name,
            protection: protection,
            fallback: fallback,
            context: context
        )
        let update = ItemUpdate(data: contents, protection: protection)
        let wasThere: Bool
        do throws(KeychainItemError) {
            wasThere = try keychain.update(item(name), with: update, authentication: authentication)
        } catch { throw DeviceKeyError(error, name) }
        // The update does not compare: another process's update may have followed it.
        guard wasThere, try record(name, authentication)?.publicKey == key.record.publicKey else {
            throw DeviceKeyError(.replacedMeanwhile, name)
        }
        return NamedKey(key: key, name: name)
    }

    private func prepared<Purpose: DeviceKeyPurpose>(
        _: Purpose.Type,
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext?
    ) throws(DeviceKeyError) -> (DevicePrivateKey<Purpose>, Data, Protection) {
        guard let level = protection.accessibility.ofThisDeviceOnly else {
            throw DeviceKeyError(.notThisDeviceOnly, name)
        }
        let origin: DeviceKeyOrigin = isEnclaveAvailable() ? .secureEnclave : .software
        guard origin == .secureEnclave || fallback == .software else { throw DeviceKeyError(.noEnclave, name) }
        do {
            let constraints = protection.constraints.union(.privateKeyUsage)
            let control = SecAccessControlCreateWithFlags(nil, level, constraints, nil)
            if origin == .secureEnclave, control == nil { throw DeviceKeyError(.failed, name) }
            let key = try DevicePrivateKey<Purpose>(origin, accessControl: control, context: context)
            let contents = try JSONEncoder().encode(key.record)
            // The enclave's key prompts itself, and its sealed form is useless without the enclave: the item does not
            // prompt as well.
            return (
                key, contents, origin == .secureEnclave ? .accessible(protection.accessibility) : protection.ofData
            )
        } catch let error as DeviceKeyError {
            throw error
        } catch {
            throw DeviceKeyError(use: error, name, Data(), otherwise: .failed)
        }
    }

    private func record(
        _ name: String,
        _ authentication: Authentication
    ) throws(DeviceKeyError) -> DeviceKeyRecord? {
        let contents: ItemContents?
        do throws(KeychainItemError) {
            contents = try keychain.contents(of: item(name), authentication: authentication)
        } catch { throw DeviceKeyError(error, name) }
        guard let contents else { return nil }
        guard case .data(let data) = contents, let record = try? JSONDecoder().decode(DeviceKeyRecord.self, from: data),
            record.version == 1
        else { throw DeviceKeyError(.malformed, name) }
        return record
    }

    private func item(_ name: String) -> GenericPassword {
        GenericPassword(service: service, account: name, accessGroup: accessGroup)
    }

    /// Making and replacing a key may prompt, as storing does elsewhere.
    private static func storing(_ context: LAContext?) -> Authentication {
        context.map { .context($0) } ?? .allowed
    }
}

extension Protection {
    /// The same for an item that is not a key: it could not be read under the flag for a key's use.
    fileprivate var ofData: Protection {
        let rest = constraints.subtracting(.privateKeyUsage)
        return isGuarded && !rest.isEmpty ? .guarded(rest, accessible: accessibility) : .accessible(accessibility)
    }
}

extension Protection.Accessibility {
    /// The value of `kSecAttrAccessible`; `nil` for a level that leaves its device, or that has no lock.
    fileprivate var ofThisDeviceOnly: CFString? {
        switch self {
        case .whenUnlockedThisDeviceOnly: kSecAttrAccessibleWhenUnlockedThisDeviceOnly
        case .afterFirstUnlockThisDeviceOnly: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
        case .whenPasscodeSetThisDeviceOnly: kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly
        case .whenUnlocked, .afterFirstUnlock, .always, .alwaysThisDeviceOnly: nil
        }
    }
}
