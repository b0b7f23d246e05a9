// SPDX-License-Identifier: Apache-2.0

import CryptoKit
public import Foundation
public import Keychain
public import PortableLocalAuthentication
import PortableSecurity

extension DeviceKeyStore {
    /// Reads a key.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - context: for prompts; `nil` for a new one at each use.
    ///   - authentication: whether and how the user may be prompted to read the key; `nil` for the context, and never
    ///     where there is none. A software key under an access control is read with a prompt, one of the Secure
    ///     Enclave without.
    /// - Returns: The key; `nil` only if there is none.
    /// - Throws: ``DeviceKeyError``, with ``DeviceKeyError/Reason/noLongerOpens`` for a key that can never be used
    ///   here, and with ``DeviceKeyError/Reason/locked`` for one that cannot be read without a prompt.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func signingKey(
        named name: String,
        context: LAContext? = nil,
        authentication: Authentication? = nil
    ) throws(DeviceKeyError) -> (any DeviceSigningKey)? {
        try read(SigningMaterial.self, name, context, authentication)
    }

    /// Makes a key, and stores it.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - protection: when it can be used and which authentication it requires; a this-device-only level.
    ///   - fallback: what to do where there is no Secure Enclave.
    ///   - context: for prompts; `nil` for a new one at each use.
    /// - Returns: The key.
    /// - Throws: ``DeviceKeyError``, with ``DeviceKeyError/Reason/alreadyExists`` if there is one of that name.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func makeSigningKey(
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) throws(DeviceKeyError) -> any DeviceSigningKey {
        try make(SigningMaterial.self, name, protection, fallback, context)
    }

    /// Puts a new key in the place of one that is lost, in one step: enrols the device again.
    ///
    /// The keychain cannot compare and replace at once. Of two replacements at the same moment the last one counts, and
    /// the first may have succeeded, too: before a server trusts the new key, compare it with the one that the store
    /// reads.
    ///
    /// - Parameters:
    ///   - name: the name of both.
    ///   - publicKey: the public key of the one that is lost, as ``DeviceKeyError/publicKey`` says it. If another one
    ///     is there by now, nothing is replaced.
    ///   - protection: as for a new key.
    ///   - fallback: as for a new key.
    ///   - context: for prompts; `nil` for a new one at each use.
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError``. The old one is there still, except when only looking at the new one failed, and
    ///   with ``DeviceKeyError/Reason/replacedMeanwhile``: read the key again.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func replaceSigningKey(
        named name: String,
        lost publicKey: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) throws(DeviceKeyError) -> any DeviceSigningKey {
        try replace(SigningMaterial.self, name, publicKey, protection, fallback, context)
    }
}

/// A private key for signatures.
enum SigningMaterial: DevicePrivateKey {
    case enclave(SecureEnclave.P256.Signing.PrivateKey)
    case software(P256.Signing.PrivateKey)

    static let purpose = DeviceKeyRecord.Purpose.signing

    static func make(_ origin: DeviceKeyOrigin, _ control: SecAccessControl?, _ context: LAContext?) throws -> Self {
        guard let control, origin == .secureEnclave else { return .software(P256.Signing.PrivateKey()) }
        return .enclave(try .init(accessControl: control, authenticationContext: context))
    }

    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws {
        switch record.origin {
        case .secureEnclave:
            self = .enclave(try .init(dataRepresentation: record.privateKey, authenticationContext: context))
        case .software: self = .software(try .init(rawRepresentation: record.privateKey))
        }
    }

    var record: DeviceKeyRecord {
        let (origin, privateKey): (DeviceKeyOrigin, Data) =
            switch self {
            case .enclave(let key): (.secureEnclave, key.dataRepresentation)
            case .software(let key): (.software, key.rawRepresentation)
            }
        return DeviceKeyRecord(
            purpose: Self.purpose,
            origin: origin,
            publicKey: publicKey.x963Representation,
            privateKey: privateKey
        )
    }

    var publicKey: P256.Signing.PublicKey {
        switch self {
        case .enclave(let key): key.publicKey
        case .software(let key): key.publicKey
        }
    }
}

extension NamedKey: DeviceSigningKey where Material == SigningMaterial {
    func makeSignature(for data: Data) throws(DeviceKeyError) -> P256.Signing.ECDSASignature {
        do {
            switch material {
            case .enclave(let key): return try key.signature(for: data)
            case .software(let key): return try key.signature(for: data)
            }
        } catch { throw failure(error) }
    }
}
