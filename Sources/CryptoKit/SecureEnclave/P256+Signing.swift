// swift-format-ignore-file: NeverForceUnwrap
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

        /// Makes a key.
        ///
        /// - Parameters:
        ///   - compactRepresentable: whether the public key can be given by its x-coordinate alone; it always can.
        ///   - accessControl: when the key can be used, and what the owner shows first.
        ///   - authenticationContext: in which the owner is asked; `nil` for a context of its own at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public init(
            compactRepresentable: Bool = true,
            accessControl: SecAccessControl = SecAccessControlCreateWithFlags(
                nil,
                kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
                [],
                nil
            )!,
            authenticationContext: LAContext? = nil
        ) throws {
            try self.init(EnclaveHandle(.p256, accessControl, authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: what ``dataRepresentation`` gave on this device.
        ///   - authenticationContext: in which the owner is asked; `nil` for a context of its own at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init(dataRepresentation: Data, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.p256, dataRepresentation: dataRepresentation, authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.P256.Signing.PublicKey(x963Representation: handle.publicKey)
        }

        /// The key, sealed: worth nothing on another device.
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
