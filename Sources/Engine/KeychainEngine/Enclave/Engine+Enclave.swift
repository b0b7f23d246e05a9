// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

/// The enclave operations in one transaction, which change nothing: keys are stored by their creators.
extension Engine {
    func makeEnclaveKey(
        _ algorithm: EnclaveAlgorithm,
        accessControl: AccessControl,
        under authorization: Authorization
    ) throws(KeychainError) -> EnclaveKey {
        try read { (_) throws(KeychainError) in
            try device.checkAvailable(accessControl.protection)
            let bound = accessControl.bound(to: authorization.enrolledSet)
            if let obstacle = authorization.obstacle(toStoring: bound, on: device) { throw obstacle }
            let passwordKey = authorization.keyForNewItems
            guard passwordKey != nil || !bound.needsPassword else {
                throw authorization.require(AuthenticationDemand(needsNewPassword: true))
            }
            return try protected { () throws(ProtectionError) in
                try device.makeEnclaveKey(algorithm, bound, passwordKey: passwordKey)
            }
        }
    }

    func enclaveKey(_ sealed: SecretBytes) throws(KeychainError) -> EnclaveKey {
        let key = try read { (_) throws(KeychainError) in try sealedKey(sealed) }
        return EnclaveKey(
            algorithm: key.algorithm,
            publicKey: key.publicKey,
            accessControl: key.accessControl,
            sealed: sealed
        )
    }

    func perform(
        _ operation: EnclaveOperation,
        with sealed: SecretBytes,
        _ authorization: Authorization
    ) throws(KeychainError) -> SecretBytes {
        try read { (_) throws(KeychainError) in
            let key = try sealedKey(sealed)
            guard let use = EnclaveUse(operation, key.algorithm) else {
                throw .parameter("the key does not have this use, or not with these parameters")
            }
            try device.checkAvailable(key.accessControl.protection)
            let passwordKey = try permission(toUse: key, for: operation, authorization)
            return try protected { () throws(ProtectionError) in
                try device.perform(use, with: key, passwordKey: passwordKey)
            }
        }
    }

    private func sealedKey(_ sealed: SecretBytes) throws(KeychainError) -> SealedKey {
        try protected { () throws(ProtectionError) in try device.sealedKey(sealed) }
    }

    /// What the owner has to show, and the program has to supply, before a key is used.
    ///
    /// An access control without constraints on the use of a private key permits no use, and no prompt is shown
    /// (Semantics, "Access control").
    ///
    /// - Returns: The key of its application password, if it has one.
    private func permission(
        toUse key: SealedKey,
        for operation: EnclaveOperation,
        _ authorization: Authorization
    ) throws(KeychainError) -> PasswordKey? {
        guard let constraints = key.accessControl.constraints, !constraints.required.isEmpty else { return nil }
        if authorization.enforcesAccessControl, !constraints.guardsPrivateKeyUsage {
            throw .notPermitted(operation.name)
        }
        var demand = AuthenticationDemand()
        if !authorization.isSatisfied(key.accessControl) { demand.accessControls = [key.accessControl] }
        let header = try protected { () throws(ProtectionError) in try device.passwordHeader(of: key) }
        let passwordKey = header.flatMap { authorization.passwordKey($0) }
        if let header, passwordKey == nil { demand.passwords = [header] }
        guard demand.isEmpty else { throw authorization.require(demand) }
        return passwordKey
    }

    private func protected<Result>(
        _ body: () throws(ProtectionError) -> Result
    ) throws(KeychainError) -> Result {
        do { return try body() } catch { throw KeychainError(error) }
    }
}

extension EnclaveOperation {
    /// The name that access controls have for it.
    fileprivate var name: String {
        switch self {
        case .sign, .signMessage: "osgn"
        case .agree, .decapsulate: "ock"
        }
    }
}

extension KeychainError {
    fileprivate static func notPermitted(_ operation: String) -> KeychainError {
        KeychainError(
            .authenticationFailed,
            "ACL operation is not allowed: '\(operation)'",
            kind: .keys(.operationNotAllowed)
        )
    }
}

extension AccessControl {
    fileprivate var needsPassword: Bool { constraints?.requiresApplicationPassword ?? false }

    /// The access control for a new key, bound to the currently enrolled biometry.
    fileprivate func bound(to enrolledSet: Bytes16?) -> AccessControl {
        var bound = self
        let asksForSet = constraints?.required.contains(.biometryCurrentSet) ?? false
        bound.enrolledSet = asksForSet ? enrolledSet : nil
        return bound
    }
}
