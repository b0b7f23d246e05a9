// SPDX-License-Identifier: Apache-2.0

public import Foundation

// The reference types of keys and certificates. Their names and shapes let code compile; this version cannot make one,
// and every function that would answers errSecUnimplemented or nil.

/// A cryptographic key.
public final class SecKey: Hashable, Sendable {
    private init() {}

    /// Whether both are the same key.
    public static func == (left: SecKey, right: SecKey) -> Bool { left === right }

    /// Feeds the key's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// An X.509 certificate.
public final class SecCertificate: Hashable, Sendable {
    private init() {}

    /// Whether both are the same certificate.
    public static func == (left: SecCertificate, right: SecCertificate) -> Bool { left === right }

    /// Feeds the certificate's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A certificate together with its private key.
public final class SecIdentity: Hashable, Sendable {
    private init() {}

    /// Whether both are the same identity.
    public static func == (left: SecIdentity, right: SecIdentity) -> Bool { left === right }

    /// Feeds the identity's identity.
    public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

/// A rule by which certificates are judged.
public final class SecPolicy: Sendable {
    private init() {}
}

/// The judgement of a certificate.
public final class SecTrust: Sendable {
    private init() {}
}

/// An access control list of a macOS keychain file; there are no such files here.
public final class SecAccess: Sendable {
    private init() {}
}

/// A program in an access control list of a macOS keychain file.
public final class SecTrustedApplication: Sendable {
    private init() {}
}

/// A parameter of a key exchange.
public struct SecKeyKeyExchangeParameter: RawRepresentable, Hashable, @unchecked Sendable {
    // The string never changes.
    /// The name of the parameter.
    public let rawValue: CFString

    /// A parameter of this name.
    public init(rawValue: CFString) { self.rawValue = rawValue }
}

/// An algorithm of a key, by its name.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
    // The string never changes.
    /// The name of the algorithm.
    public let rawValue: CFString

    /// An algorithm of this name.
    public init(rawValue: CFString) { self.rawValue = rawValue }
}

/// What a key is used for.
public enum SecKeyOperationType: Int, Sendable {
    /// Making a signature.
    case sign = 0
    /// Checking a signature.
    case verify = 1
    /// Encrypting.
    case encrypt = 2
    /// Decrypting.
    case decrypt = 3
    /// Agreeing on a secret.
    case keyExchange = 4
}
