// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Keys that the device seals and that no other device opens.
extension Sealer {
    /// Generates a sealed key.
    ///
    /// - Parameters:
    ///   - algorithm: its algorithm.
    ///   - accessControl: when it can be used; includes the enrolled biometry, if relevant.
    ///   - passwordKey: the key of the application password that the access control requires, if any.
    /// - Returns: The key.
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` if its protection class has no available key,
    ///   ``ProtectionError/noPasscode``, ``ProtectionError/passwordMissing``.
    package func makeEnclaveKey(
        _ algorithm: EnclaveAlgorithm,
        _ accessControl: AccessControl,
        passwordKey: PasswordKey? = nil
    ) throws(ProtectionError) -> EnclaveKey {
        let protection = accessControl.protection
        let generation = try generation(of: protection)
        // Before a key is generated in vain.
        _ = try key(.classKey(protection))
        let needsPassword = accessControl.constraints?.requiresApplicationPassword ?? false
        guard passwordKey != nil || !needsPassword else { throw .passwordMissing }
        let sealed = try SealedKey(
            algorithm,
            keyPair: EnclaveKeyPair(generating: algorithm),
            accessControl: accessControl,
            generation: generation,
            by: self,
            passwordKey: needsPassword ? passwordKey : nil
        )
        return EnclaveKey(
            algorithm: algorithm,
            publicKey: sealed.publicKey,
            accessControl: accessControl,
            sealed: SecretBytes(sealed.encoded(keybag))
        )
    }

    /// Parses a sealed key and authenticates it; works in every lock state.
    ///
    /// - Throws: ``ProtectionError/damagedKey`` for bytes that this device did not seal, or not in this form;
    ///   ``ProtectionError/destroyedKey`` for a key that was destroyed with an earlier passcode.
    package func sealedKey(_ bytes: SecretBytes) throws(ProtectionError) -> SealedKey {
        let parsed = try SealedKey.Parsed(bytes.unprotectedCopy)
        guard parsed.isAuthentic(keybag) else { throw .damagedKey }
        let key = parsed.key
        if key.accessControl.protection == .whenPasscodeSetThisDeviceOnly, key.generation < keybag.passcodeGeneration {
            throw .destroyedKey
        }
        guard key.generation == keybag.keybag.generation(of: key.accessControl.protection) else { throw .damagedKey }
        return key
    }

    /// The parameters for deriving the key of a sealed key's application password; `nil` if it has none.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` on a locked device, ``ProtectionError/damagedKey``.
    package func passwordHeader(of sealed: SealedKey) throws(ProtectionError) -> PasswordHeader? {
        try sealed.passwordHeader(self)
    }

    /// Uses a private key, which is unencrypted only during this call.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` on a locked device, ``ProtectionError/passwordMissing``
    ///   without the key for its header.
    package func perform(
        _ use: EnclaveUse,
        with sealed: SealedKey,
        passwordKey: PasswordKey? = nil
    ) throws(ProtectionError) -> SecretBytes {
        try sealed.withPrivateKey(openedBy: self, passwordKey: passwordKey) { bytes throws(ProtectionError) in
            try use.result(bytes)
        }
    }
}
