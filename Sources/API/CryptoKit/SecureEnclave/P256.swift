// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Foundation
public import KeychainServices
public import PortableLocalAuthentication

extension SecureEnclave.P256.Signing {
    /// A private key for ECDSA signatures over P-256.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.P256.Signing.PublicKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key can be given by its x-coordinate alone; it always can.
        ///   - accessControl: the access control of the key.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public init(
            compactRepresentable: Bool = true,
            accessControl: SecAccessControl = SecureEnclave.defaultAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            try self.init(EnclaveHandle(.p256, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.p256, dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: handle.publicKey)
        }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs a digest.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public func signature<D: Digest>(for digest: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try Crypto.P256.Signing.ECDSASignature(rawRepresentation: handle.signature(ofDigest: digest))
        }

        /// Signs the SHA-256 digest of some data.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public func signature<D: DataProtocol>(for data: D) throws -> Crypto.P256.Signing.ECDSASignature {
            try signature(for: SHA256.hash(data: data))
        }
    }
}

extension SecureEnclave.P256.KeyAgreement {
    /// A private key for ECDH over P-256.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.P256.KeyAgreement.PublicKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key can be given by its x-coordinate alone; it always can.
        ///   - accessControl: the access control of the key.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public init(
            compactRepresentable: Bool = true,
            accessControl: SecAccessControl = SecureEnclave.defaultAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            try self.init(EnclaveHandle(.p256, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.p256, dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.P256.KeyAgreement.PublicKey(x963Representation: handle.publicKey)
        }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Computes the secret shared with the owner of a public key.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public func sharedSecretFromKeyAgreement(
            with publicKeyShare: Crypto.P256.KeyAgreement.PublicKey
        ) throws -> SharedSecret {
            try handle.withSharedSecret(with: publicKeyShare.x963Representation) { try SharedSecret(coordinate: $0) }
        }
    }
}

extension SecureEnclave.P256.KeyAgreement.PrivateKey: DiffieHellmanKeyAgreement {}

extension SharedSecret {
    /// The shared secret with this x-coordinate of a point of P-256.
    ///
    /// swift-crypto creates shared secrets only by key agreement. With the private key 1, the secret shared with the
    /// owner of a point is the x-coordinate of the point itself, for either of the two points that have it.
    fileprivate init(coordinate: UnsafeRawBufferPointer) throws {
        let one = [UInt8](repeating: 0, count: 31) + [1]
        let point = try P256.KeyAgreement.PublicKey(compressedRepresentation: [2] + Array(coordinate))
        self = try P256.KeyAgreement.PrivateKey(rawRepresentation: one).sharedSecretFromKeyAgreement(with: point)
    }
}
