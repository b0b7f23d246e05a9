// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Keys that the device seals and nobody else opens.
extension Sealer {
    /// Makes a key, sealed.
    ///
    /// - Parameters:
    ///   - algorithm: what it is for.
    ///   - accessControl: when it can be used; it says which biometry is enrolled, if that matters.
    ///   - passwordKey: the key of the application password that the access control names, if it names one.
    /// - Returns: The key.
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` when its protection class has no key now,
    ///   ``ProtectionError/noPasscode``, ``ProtectionError/passwordMissing``.
    package func makeEnclaveKey(
        _ algorithm: EnclaveAlgorithm,
        _ accessControl: AccessControl,
        passwordKey: PasswordKey? = nil
    ) throws(ProtectionError) -> EnclaveKey {
        let protection = accessControl.protection
        let generation = try generation(of: protection)
        // Before a key is made for nothing.
        _ = try key(.classKey(protection))
        let needsPassword = accessControl.constraints?.requiresApplicationPassword ?? false
        guard passwordKey != nil || !needsPassword else { throw .passwordMissing }
        let sealed = try SealedKey(
            algorithm,
            EnclaveKeyPair(generating: algorithm),
            accessControl,
            generation: generation,
            self,
            needsPassword ? passwordKey : nil
        )
        return EnclaveKey(
            algorithm: algorithm,
            publicKey: sealed.publicKey,
            accessControl: accessControl,
            sealed: SecretBytes(sealed.encoded(keybag))
        )
    }

    /// Reads a sealed key and authenticates it; works in every lock state.
    ///
    /// - Throws: ``ProtectionError/damagedKey`` for what this device did not seal, or not like this;
    ///   ``ProtectionError/destroyedKey`` for a key that went with an earlier passcode.
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

    /// What it takes to make the key of a sealed key's application password; `nil` when it has none.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` on a locked device, ``ProtectionError/damagedKey``.
    package func passwordHeader(of sealed: SealedKey) throws(ProtectionError) -> PasswordHeader? {
        try sealed.passwordHeader(self)
    }

    /// Uses a private key, which is in the open during this call only.
    ///
    /// - Throws: ``ProtectionError/classUnavailable(_:)`` on a locked device, ``ProtectionError/passwordMissing``
    ///   without the key for its header.
    package func perform(
        _ use: EnclaveUse,
        with sealed: SealedKey,
        passwordKey: PasswordKey? = nil
    ) throws(ProtectionError) -> SecretBytes {
        try sealed.withPrivateKey(self, passwordKey) { bytes throws(ProtectionError) in
            try use.result(bytes)
        }
    }
}
