// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation
import PortableLocalAuthentication
import PortableSecurity

/// The purpose of a device key, and the types of its keys.
protocol DeviceKeyPurpose {
    associatedtype EnclaveKey: DeviceEnclaveKey
    associatedtype SoftwareKey: DeviceSoftwareKey where SoftwareKey.PublicKey == EnclaveKey.PublicKey

    static var recorded: DeviceKeyRecord.Purpose { get }
}

/// A private key of the Secure Enclave.
protocol DeviceEnclaveKey: Sendable {
    associatedtype PublicKey: DevicePublicKey

    init(compactRepresentable: Bool, accessControl: SecAccessControl, authenticationContext: LAContext?) throws
    init(dataRepresentation: Data, authenticationContext: LAContext?) throws
    var dataRepresentation: Data { get }
    var publicKey: PublicKey { get }
}

/// A private key whose bytes the program has.
protocol DeviceSoftwareKey: Sendable {
    associatedtype PublicKey: DevicePublicKey

    init(compactRepresentable: Bool)
    init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws
    var rawRepresentation: Data { get }
    var publicKey: PublicKey { get }
}

/// A public key.
protocol DevicePublicKey: Sendable {
    var x963Representation: Data { get }
}

/// A private key of either origin.
enum DevicePrivateKey<Purpose: DeviceKeyPurpose>: Sendable {
    case enclave(Purpose.EnclaveKey)
    case software(Purpose.SoftwareKey)

    /// A new key; in the enclave if it has an access control.
    init(_ origin: DeviceKeyOrigin, accessControl control: SecAccessControl?, context: LAContext?) throws {
        if let control, origin == .secureEnclave {
            self = .enclave(
                try .init(compactRepresentable: true, accessControl: control, authenticationContext: context)
            )
        } else {
            self = .software(.init(compactRepresentable: true))
        }
    }

    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws {
        switch record.origin {
        case .secureEnclave:
            self = .enclave(try .init(dataRepresentation: record.privateKey, authenticationContext: context))
        case .software: self = .software(try .init(rawRepresentation: record.privateKey))
        }
    }

    var record: DeviceKeyRecord {
        let (origin, privateKey): (DeviceKeyOrigin, Data) =
            switch self {
            case .enclave(let key): (.secureEnclave, key.dataRepresentation)
            case .software(let key): (.software, key.rawRepresentation)
            }
        return DeviceKeyRecord(
            purpose: Purpose.recorded,
            origin: origin,
            publicKey: publicKey.x963Representation,
            privateKey: privateKey
        )
    }

    var publicKey: Purpose.EnclaveKey.PublicKey {
        switch self {
        case .enclave(let key): key.publicKey
        case .software(let key): key.publicKey
        }
    }
}

/// A private key, and the name for its errors.
struct NamedKey<Purpose: DeviceKeyPurpose>: Sendable {
    let key: DevicePrivateKey<Purpose>
    let name: String

    var origin: DeviceKeyOrigin { key.record.origin }

    var publicKey: Purpose.EnclaveKey.PublicKey { key.publicKey }

    /// Why it could not be used.
    func failure(_ error: any Error) -> DeviceKeyError {
        DeviceKeyError(use: error, name, key.record.publicKey, otherwise: .failed)
    }
}
