// SPDX-License-Identifier: Apache-2.0

public import Crypto
public import Foundation
public import KeychainServices
public import PortableLocalAuthentication

extension SecureEnclave.MLKEM768 {
    /// A private key for ML-KEM-768.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.MLKEM768.PublicKey

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
            try self.init(EnclaveHandle(.mlKEM768, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            try self.init(EnclaveHandle(.mlKEM768, dataRepresentation: Data(dataRepresentation), authenticationContext))
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.MLKEM768.PublicKey(rawRepresentation: handle.publicKey)
        }

        /// Creates a key with the default access control.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public static func generate() throws -> SecureEnclave.MLKEM768.PrivateKey { try Self() }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// The shared secret that was encapsulated for the public key.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecParam` for a wrong number of bytes.
        public func decapsulate<D: DataProtocol>(_ encapsulated: D) throws -> SymmetricKey {
            try handle.withDecapsulated(encapsulated) { SymmetricKey(data: $0) }
        }
    }
}

extension SecureEnclave.MLKEM768.PrivateKey: KEMPrivateKey {}

extension SecureEnclave.MLKEM1024 {
    /// A private key for ML-KEM-1024.
    public struct PrivateKey: Sendable {
        private let handle: EnclaveHandle

        /// The public key.
        public let publicKey: Crypto.MLKEM1024.PublicKey

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
            try self.init(EnclaveHandle(.mlKEM1024, accessControl: accessControl, context: authenticationContext))
        }

        /// Reads a key from its data representation.
        ///
        /// - Parameters:
        ///   - dataRepresentation: the value of ``dataRepresentation`` on this device.
        ///   - authenticationContext: for prompts; `nil` for a new one at each use.
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecDecode` for anything else.
        public init<D: DataProtocol>(dataRepresentation: D, authenticationContext: LAContext? = nil) throws {
            try self.init(
                EnclaveHandle(.mlKEM1024, dataRepresentation: Data(dataRepresentation), authenticationContext)
            )
        }

        private init(_ handle: EnclaveHandle) throws {
            self.handle = handle
            publicKey = try Crypto.MLKEM1024.PublicKey(rawRepresentation: handle.publicKey)
        }

        /// Creates a key with the default access control.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`.
        public static func generate() throws -> SecureEnclave.MLKEM1024.PrivateKey { try Self() }

        /// The key, sealed: useless on another device.
        public var dataRepresentation: Data { handle.dataRepresentation }

        /// The shared secret that was encapsulated for the public key.
        ///
        /// - Throws: An error of the domain `NSOSStatusErrorDomain`; `errSecParam` for a wrong number of bytes.
        public func decapsulate<D: DataProtocol>(_ encapsulated: D) throws -> SymmetricKey {
            try handle.withDecapsulated(encapsulated) { SymmetricKey(data: $0) }
        }
    }
}

extension SecureEnclave.MLKEM1024.PrivateKey: KEMPrivateKey {}
