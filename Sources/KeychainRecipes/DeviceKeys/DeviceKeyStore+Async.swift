// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import Keychain
public import PortableLocalAuthentication

extension DeviceKeyStore {
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

    /// Makes a key and stores it, as ``makeSigningKey(named:protection:fallback:context:)``; blocks no
    /// thread of Swift's pool.
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

    /// Puts a new key in the place of one that is lost, as
    /// ``replaceSigningKey(named:lost:protection:fallback:context:)``; no thread of Swift's pool waits for the owner.
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

    /// Makes a key and stores it, as ``makeAgreementKey(named:protection:fallback:context:)``; blocks no
    /// thread of Swift's pool.
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

    /// Puts a new key in the place of one that is lost, as
    /// ``replaceAgreementKey(named:lost:protection:fallback:context:)``; no thread of Swift's pool waits for the owner.
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
