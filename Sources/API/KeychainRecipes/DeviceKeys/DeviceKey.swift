// SPDX-License-Identifier: Apache-2.0

public import CryptoKit
public import Foundation

/// Where a device key is held.
public enum DeviceKeyOrigin: String, Sendable, Hashable, Codable, CaseIterable {
    /// In the Secure Enclave: it cannot leave the device, and no code sees it.
    case secureEnclave
    /// In the keychain, as bytes that the program sees when it uses the key.
    case software
}

/// A key for signatures that belongs to a device, wherever it lives.
public protocol DeviceSigningKey: Sendable {
    /// Where it is held.
    var origin: DeviceKeyOrigin { get }

    /// The public key.
    var publicKey: P256.Signing.PublicKey { get }

    /// Signs the SHA-256 digest of some data; blocks the thread during a prompt.
    ///
    /// - Throws: ``DeviceKeyError``
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    func makeSignature(for data: Data) throws(DeviceKeyError) -> P256.Signing.ECDSASignature
}

extension DeviceSigningKey {
    /// Signs the SHA-256 digest of some data; blocks the thread during a prompt.
    ///
    /// - Throws: ``DeviceKeyError``
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func signature(for data: Data) throws(DeviceKeyError) -> P256.Signing.ECDSASignature {
        try makeSignature(for: data)
    }

    /// Signs the SHA-256 digest of some data; blocks no thread of Swift's pool.
    ///
    /// Cancelling the task does not end the prompt; invalidating the context of the key does.
    ///
    /// - Throws: ``DeviceKeyError``
    public func signature(for data: Data) async throws(DeviceKeyError) -> P256.Signing.ECDSASignature {
        try await waiting { () throws(DeviceKeyError) in try makeSignature(for: data) }
    }
}

/// A key for agreement that belongs to a device, wherever it lives.
public protocol DeviceAgreementKey: Sendable {
    /// Where it is held.
    var origin: DeviceKeyOrigin { get }

    /// The public key.
    var publicKey: P256.KeyAgreement.PublicKey { get }

    /// Computes the secret shared with the owner of a public key; blocks the thread during a prompt.
    ///
    /// - Throws: ``DeviceKeyError``
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    func makeSharedSecret(with publicKey: P256.KeyAgreement.PublicKey) throws(DeviceKeyError) -> SharedSecret
}

extension DeviceAgreementKey {
    /// Computes the secret shared with the owner of a public key; blocks the thread during a prompt.
    ///
    /// - Throws: ``DeviceKeyError``
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func sharedSecret(with publicKey: P256.KeyAgreement.PublicKey) throws(DeviceKeyError) -> SharedSecret {
        try makeSharedSecret(with: publicKey)
    }

    /// Computes the secret shared with the owner of a public key; blocks no thread of Swift's pool.
    ///
    /// Cancelling the task does not end the prompt; invalidating the context of the key does.
    ///
    /// - Throws: ``DeviceKeyError``
    public func sharedSecret(with publicKey: P256.KeyAgreement.PublicKey) async throws(DeviceKeyError) -> SharedSecret {
        try await waiting { () throws(DeviceKeyError) in try makeSharedSecret(with: publicKey) }
    }
}

/// What to do if there is no Secure Enclave.
public enum DeviceKeyFallback: String, Sendable, Hashable, CaseIterable {
    /// Create a software key, which is recorded in its origin.
    case software
    /// Fail.
    case refuse
}
