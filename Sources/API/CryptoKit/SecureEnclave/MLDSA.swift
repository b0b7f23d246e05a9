// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Foundation
public import KeychainServices
public import PortableLocalAuthentication

extension SecureEnclave.MLDSA65 {
    /// A private key for ML-DSA-65.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.MLDSA65.PublicKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - accessControl: the access control of the key.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public init(
            accessControl: SecAccessControl = SecureEnclave.defaultAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            try self.init(EnclaveHandle(.mlDSA65, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.mlDSA65, dataRepresentation: Data(dataRepresentation), authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.MLDSA65.PublicKey(rawRepresentation: handle.publicKey)
        }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs some data.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try handle.signature(of: data, context: [])
        }

        /// Signs some data in a context of at most 255 bytes.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecParam` for a longer context.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try handle.signature(of: data, context: context)
        }
    }
}

extension SecureEnclave.MLDSA87 {
    /// A private key for ML-DSA-87.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.MLDSA87.PublicKey

        /// Creates a key.
        ///
        /// - Parameters:
        ///   - accessControl: the access control of the key.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public init(
            accessControl: SecAccessControl = SecureEnclave.defaultAccessControl,
            authenticationContext: LAContext? = nil
        ) throws {
            try self.init(EnclaveHandle(.mlDSA87, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.mlDSA87, dataRepresentation: Data(dataRepresentation), authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.MLDSA87.PublicKey(rawRepresentation: handle.publicKey)
        }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// Signs some data.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public func signature<D: DataProtocol>(for data: D) throws -> Data {
            try handle.signature(of: data, context: [])
        }

        /// Signs some data in a context of at most 255 bytes.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecParam` for a longer context.
        public func signature<D: DataProtocol, C: DataProtocol>(for data: D, context: C) throws -> Data {
            try handle.signature(of: data, context: context)
        }
    }
}
