// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import Keychain

#if canImport(Darwin)
import LocalAuthentication
import Security
#else
import PortableLocalAuthentication
#endif

/// What the keychain holds of a device key; which of the two kinds it is, is recorded with it.
struct DeviceKeyRecord: Codable, Sendable {
    var version = 1
    var purpose: Purpose
    var origin: DeviceKeyOrigin
    /// X9.63.
    var publicKey: Data
    /// The enclave's sealed form, or the raw key.
    var privateKey: Data

    enum Purpose: String, Codable, Sendable {
        case signing
        case agreement
    }
}

/// A private key of either purpose and origin.
protocol DevicePrivateKey {
    static var purpose: DeviceKeyRecord.Purpose { get }
    static func make(_ origin: DeviceKeyOrigin, _ control: SecAccessControl?, _ context: LAContext?) throws -> Self
    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws
    var record: DeviceKeyRecord { get }
}

/// A private key for signatures.
enum SigningMaterial: DevicePrivateKey {
    case enclave(SecureEnclave.P256.Signing.PrivateKey)
    case software(P256.Signing.PrivateKey)

    static let purpose = DeviceKeyRecord.Purpose.signing

    static func make(_ origin: DeviceKeyOrigin, _ control: SecAccessControl?, _ context: LAContext?) throws -> Self {
        guard let control, origin == .secureEnclave else { return .software(P256.Signing.PrivateKey()) }
        return .enclave(try .init(accessControl: control, authenticationContext: context))
    }

    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws {
        switch record.origin {
        case .secureEnclave:
            self = .enclave(try .init(dataRepresentation: record.privateKey, authenticationContext: context))
        case .software: self = .software(try .init(rawRepresentation: record.privateKey))
        }
    }

    var record: DeviceKeyRecord {
        switch self {
        case .enclave(let key):
            DeviceKeyRecord(
                purpose: .signing,
                origin: .secureEnclave,
                publicKey: key.publicKey.x963Representation,
                privateKey: key.dataRepresentation
            )
        case .software(let key):
            DeviceKeyRecord(
                purpose: .signing,
                origin: .software,
                publicKey: key.publicKey.x963Representation,
                privateKey: key.rawRepresentation
            )
        }
    }
}

/// A private key for agreement.
enum AgreementMaterial: DevicePrivateKey {
    case enclave(SecureEnclave.P256.KeyAgreement.PrivateKey)
    case software(P256.KeyAgreement.PrivateKey)

    static let purpose = DeviceKeyRecord.Purpose.agreement

    static func make(_ origin: DeviceKeyOrigin, _ control: SecAccessControl?, _ context: LAContext?) throws -> Self {
        guard let control, origin == .secureEnclave else { return .software(P256.KeyAgreement.PrivateKey()) }
        return .enclave(try .init(accessControl: control, authenticationContext: context))
    }

    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws {
        switch record.origin {
        case .secureEnclave:
            self = .enclave(try .init(dataRepresentation: record.privateKey, authenticationContext: context))
        case .software: self = .software(try .init(rawRepresentation: record.privateKey))
        }
    }

    var record: DeviceKeyRecord {
        switch self {
        case .enclave(let key):
            DeviceKeyRecord(
                purpose: .agreement,
                origin: .secureEnclave,
                publicKey: key.publicKey.x963Representation,
                privateKey: key.dataRepresentation
            )
        case .software(let key):
            DeviceKeyRecord(
                purpose: .agreement,
                origin: .software,
                publicKey: key.publicKey.x963Representation,
                privateKey: key.rawRepresentation
            )
        }
    }
}
