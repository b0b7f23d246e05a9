// SPDX-License-Identifier: Apache-2.0

import Foundation
import PortableLocalAuthentication
import PortableSecurity

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
protocol DevicePrivateKey: Sendable {
    associatedtype PublicKey

    static var purpose: DeviceKeyRecord.Purpose { get }
    static func make(_ origin: DeviceKeyOrigin, _ control: SecAccessControl?, _ context: LAContext?) throws -> Self
    init(_ record: DeviceKeyRecord, _ context: LAContext?) throws
    var record: DeviceKeyRecord { get }
    var publicKey: PublicKey { get }
}

/// A private key, and the name that its errors say.
struct NamedKey<Material: DevicePrivateKey>: Sendable {
    let material: Material
    let name: String

    var origin: DeviceKeyOrigin { material.record.origin }

    var publicKey: Material.PublicKey { material.publicKey }

    /// Why it could not be used.
    func failure(_ error: any Error) -> DeviceKeyError {
        DeviceKeyError(use: error, name, material.record.publicKey, otherwise: .failed)
    }
}
