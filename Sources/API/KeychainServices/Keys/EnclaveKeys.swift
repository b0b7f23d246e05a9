// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainKeys

/// Private keys of the Secure Enclave as `SecKey`: those with `kSecAttrTokenIDSecureEnclave`.
///
/// On Linux they are kept by software (``KeyEnclaveKind/software``): the device of the keychain seals them, and a key
/// has that sealed form in place of its bytes. A stored key is a row with the token's identifier, the access control
/// and the sealed form as its data; anyone with a copy of the sealed form can use the key after the row is deleted.
enum EnclaveKeys {
    /// `kSecAttrTokenIDSecureEnclave`.
    static let tokenID = "com.apple.setoken"

    /// Creates a key from the parameters of `SecKeyCreateRandomKey`, and stores it unless declined.
    ///
    /// - Throws: `errSecItemNotFound` for another token; `errSecParam` for a token identifier that is not a string, and
    ///   for anything except a 256-bit elliptic-curve key (Semantics, "Creating keys"); the errors of the enclave and
    ///   `SecItemAdd`.
    static func randomKey(_ parameters: KeyPairParameters) throws(KeychainError) -> SecKey {
        guard let named = parameters.tokenID, !named.isEmpty else { throw .parameter("kSecAttrTokenID names no token") }
        guard named == tokenID else { throw KeychainError(.itemNotFound, "there is no such token") }
        guard parameters.type == KeyType.ellipticCurve.attributeValue, parameters.sizeInBits == 256 else {
            throw .parameter("the Secure Enclave has keys on the curve P-256 only")
        }
        let keychain = KeychainContext.inEffect.backend
        let context = context(parameters.privateAttributes[PropertyKey.useAuthenticationContext])
        let made = try keychain.enclave.makeKey(
            .p256,
            accessControl: try accessControl(parameters.privateAttributes),
            context: context?.value(for: keychain)
        )
        guard let (privateKey, sealed) = key(for: made, in: keychain, context: context) else {
            throw KeychainError(.internalComponent, "the enclave made a key that is none")
        }
        let key = SecKey(privateKey, sealed: sealed)
        try KeyStorage.add(key, as: parameters)
        return key
    }

    /// The key of a stored item, with what an add of it would store; `nil` when this device did not seal it.
    static func key(_ reference: KeyReference) -> (key: PrivateKey, sealed: KeyReference)? {
        guard let data = reference.data else { return nil }
        let keychain = KeychainContext.inEffect.backend
        var context = reference.context
        if case .authenticationContext(let given)? = reference.attributes[PropertyKey.useAuthenticationContext] {
            context = given.identifier
        }
        guard let read = try? keychain.enclave.key(data) else { return nil }
        return key(for: read, in: keychain, context: context.flatMap(ClientContext.existing))
    }

    private static func key(
        for key: EnclaveKey,
        in keychain: any KeychainBackend,
        context: ClientContext?
    ) -> (key: PrivateKey, sealed: KeyReference)? {
        guard key.algorithm == .p256,
            let publicKey = try? PublicKey(externalRepresentation: key.publicKey, .ellipticCurve)
        else { return nil }
        let operations = EnclaveOperations(keychain: keychain, sealed: key.sealed, context: context)
        let privateKey = PrivateKey(publicKey: publicKey, operations: operations)
        var attributes = KeyAttributes.of(privateKey)
        attributes[AttributeName.tokenID.description] = .string(tokenID)
        attributes[AttributeName.accessControl.description] = .accessControl(key.accessControl)
        attributes["extr"] = .boolean(false)
        for name in ["sens", "asen", "next"] { attributes[name] = .boolean(true) }
        return (privateKey, KeyReference(attributes: attributes, data: key.sealed, context: context?.value))
    }

    /// The access control in the parameters, or the default for any item.
    private static func accessControl(_ attributes: KeyPairParameters.Attributes) throws(KeychainError) -> AccessControl
    {
        let given = attributes[AttributeName.accessControl.description]
        let level = attributes[AttributeName.accessible.description]
        switch (given, level) {
        case (let given as SecAccessControl, nil): return given.value
        case (nil, let level as String):
            guard let accessibility = Accessibility(rawValue: level) else { break }
            return AccessControl(synthesizedFor: accessibility)
        case (nil, nil): return AccessControl(synthesizedFor: .whenUnlocked)
        default: break
        }
        throw .parameter("kSecAttrAccessControl or kSecAttrAccessible is wrong, or both are given")
    }

    private static func context(_ value: Any?) -> ClientContext? {
        (value as? any AuthenticationContextHolder)?.authenticationContext
    }
}

/// The enclave's operations on one key, in a context.
private struct EnclaveOperations: EllipticKeyOperations {
    let keychain: any KeychainBackend
    let sealed: SecretBytes
    let context: ClientContext?

    func signature(of digest: [UInt8]) throws(KeyError) -> [UInt8] {
        try perform(.sign(digest: digest)).unprotectedCopy
    }

    func sharedSecret(with publicKey: PublicKey) throws(KeyError) -> SecretBytes {
        try perform(.agree(publicKey: publicKey.externalRepresentation))
    }

    private func perform(_ operation: EnclaveOperation) throws(KeyError) -> SecretBytes {
        do throws(KeychainError) {
            return try keychain.enclave.perform(operation, with: sealed, context?.value(for: keychain))
        } catch {
            if error.isOperationNotAllowed { throw .operationNotAllowed(error.reason) }
            throw .failed(error.status, error.reason)
        }
    }
}
