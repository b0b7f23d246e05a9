// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Keychain
public import PortableLocalAuthentication

// The calls for signing keys, and the same for agreement keys.

extension DeviceKeyStore {
    /// Reads a key.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - context: for prompts; `nil` for a new one at each use.
    ///   - authentication: whether and how the user may be prompted to read the key; `nil` to use the context, and not
    ///     to prompt without one. A software key under an access control is read with a prompt, one in the Secure
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
        try read(SigningPurpose.self, named: name, context: context, authentication: authentication)
    }

    /// Creates a key, and stores it.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - protection: when it can be used and which authentication it requires; a this-device-only level.
    ///   - fallback: what to do if there is no Secure Enclave.
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
        try make(SigningPurpose.self, named: name, protection: protection, fallback: fallback, context: context)
    }

    /// Replaces a lost key by a new one in one step: enrols the device again.
    ///
    /// The keychain cannot compare and replace atomically. If two replacements run at the same time, the last one
    /// counts, and the first may also have succeeded: before a server trusts the new key, compare it with the one that
    /// the store reads.
    ///
    /// - Parameters:
    ///   - name: the name of both.
    ///   - publicKey: the public key of the lost one, as in ``DeviceKeyError/publicKey``. If there is another one by
    ///     now, nothing is replaced.
    ///   - protection: as for a new key.
    ///   - fallback: as for a new key.
    ///   - context: for prompts; `nil` for a new one at each use.
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError``. The old key still exists, except if only reading the new one failed, and with
    ///   ``DeviceKeyError/Reason/replacedMeanwhile``: read the key again.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func replaceSigningKey(
        named name: String,
        lost publicKey: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) throws(DeviceKeyError) -> any DeviceSigningKey {
        try replace(
            SigningPurpose.self,
            named: name,
            lost: publicKey,
            protection: protection,
            fallback: fallback,
            context: context
        )
    }

    /// Reads a key, as ``signingKey(named:context:authentication:)``; blocks no thread of Swift's pool.
    public func signingKey(
        named name: String,
        context: LAContext? = nil,
        authentication: Authentication? = nil
    ) async throws(DeviceKeyError) -> (any DeviceSigningKey)? {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try signingKey(named: name, context: context?.value, authentication: authentication)
        }
    }

    /// Creates a key and stores it, like ``makeSigningKey(named:protection:fallback:context:)``; blocks no thread of
    /// Swift's pool.
    public func makeSigningKey(
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) async throws(DeviceKeyError) -> any DeviceSigningKey {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try makeSigningKey(named: name, protection: protection, fallback: fallback, context: context?.value)
        }
    }

    /// Replaces a lost key by a new one, like ``replaceSigningKey(named:lost:protection:fallback:context:)``; no thread
    /// of Swift's pool waits for the owner.
    public func replaceSigningKey(
        named name: String,
        lost publicKey: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) async throws(DeviceKeyError) -> any DeviceSigningKey {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try replaceSigningKey(
                named: name,
                lost: publicKey,
                protection: protection,
                fallback: fallback,
                context: context?.value
            )
        }
    }
}

extension DeviceKeyStore {
    /// Reads a key.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - context: for prompts; `nil` for a new one at each use.
    ///   - authentication: whether and how the user may be prompted to read the key; `nil` to use the context, and not
    ///     to prompt without one. A software key under an access control is read with a prompt, one in the Secure
    ///     Enclave without.
    /// - Returns: The key; `nil` only if there is none.
    /// - Throws: ``DeviceKeyError``, with ``DeviceKeyError/Reason/noLongerOpens`` for a key that can never be used
    ///   here, and with ``DeviceKeyError/Reason/locked`` for one that cannot be read without a prompt.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func agreementKey(
        named name: String,
        context: LAContext? = nil,
        authentication: Authentication? = nil
    ) throws(DeviceKeyError) -> (any DeviceAgreementKey)? {
        try read(AgreementPurpose.self, named: name, context: context, authentication: authentication)
    }

    /// Creates a key, and stores it.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - protection: when it can be used and which authentication it requires; a this-device-only level.
    ///   - fallback: what to do if there is no Secure Enclave.
    ///   - context: for prompts; `nil` for a new one at each use.
    /// - Returns: The key.
    /// - Throws: ``DeviceKeyError``, with ``DeviceKeyError/Reason/alreadyExists`` if there is one of that name.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func makeAgreementKey(
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) throws(DeviceKeyError) -> any DeviceAgreementKey {
        try make(AgreementPurpose.self, named: name, protection: protection, fallback: fallback, context: context)
    }

    /// Replaces a lost key by a new one in one step: enrols the device again.
    ///
    /// The keychain cannot compare and replace atomically. If two replacements run at the same time, the last one
    /// counts, and the first may also have succeeded: before a server trusts the new key, compare it with the one that
    /// the store reads.
    ///
    /// - Parameters:
    ///   - name: the name of both.
    ///   - publicKey: the public key of the lost one, as in ``DeviceKeyError/publicKey``. If there is another one by
    ///     now, nothing is replaced.
    ///   - protection: as for a new key.
    ///   - fallback: as for a new key.
    ///   - context: for prompts; `nil` for a new one at each use.
    /// - Returns: The new key.
    /// - Throws: ``DeviceKeyError``. The old key still exists, except if only reading the new one failed, and with
    ///   ``DeviceKeyError/Reason/replacedMeanwhile``: read the key again.
    @available(*, noasync, message: "it blocks the thread; await it, or use keychain.blocking { … } if intended")
    public func replaceAgreementKey(
        named name: String,
        lost publicKey: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) throws(DeviceKeyError) -> any DeviceAgreementKey {
        try replace(
            AgreementPurpose.self,
            named: name,
            lost: publicKey,
            protection: protection,
            fallback: fallback,
            context: context
        )
    }

    /// Reads a key, as ``agreementKey(named:context:authentication:)``; blocks no thread of Swift's pool.
    public func agreementKey(
        named name: String,
        context: LAContext? = nil,
        authentication: Authentication? = nil
    ) async throws(DeviceKeyError) -> (any DeviceAgreementKey)? {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try agreementKey(named: name, context: context?.value, authentication: authentication)
        }
    }

    /// Creates a key and stores it, like ``makeAgreementKey(named:protection:fallback:context:)``; blocks no thread of
    /// Swift's pool.
    public func makeAgreementKey(
        named name: String,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) async throws(DeviceKeyError) -> any DeviceAgreementKey {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try makeAgreementKey(named: name, protection: protection, fallback: fallback, context: context?.value)
        }
    }

    /// Replaces a lost key by a new one, like ``replaceAgreementKey(named:lost:protection:fallback:context:)``; no
    /// thread of Swift's pool waits for the owner.
    public func replaceAgreementKey(
        named name: String,
        lost publicKey: Data,
        protection: Protection,
        fallback: DeviceKeyFallback,
        context: LAContext? = nil
    ) async throws(DeviceKeyError) -> any DeviceAgreementKey {
        let context = context.map(SharedContext.init)
        return try await waiting { () throws(DeviceKeyError) in
            try replaceAgreementKey(
                named: name,
                lost: publicKey,
                protection: protection,
                fallback: fallback,
                context: context?.value
            )
        }
    }
}
