// SPDX-License-Identifier: Apache-2.0

import CryptoKit
import Foundation

extension P256.Signing.PublicKey: DevicePublicKey {}
extension P256.Signing.PrivateKey: DeviceSoftwareKey {}
extension SecureEnclave.P256.Signing.PrivateKey: DeviceEnclaveKey {}

enum SigningPurpose: DeviceKeyPurpose {
    typealias EnclaveKey = SecureEnclave.P256.Signing.PrivateKey
    typealias SoftwareKey = P256.Signing.PrivateKey

    static let recorded = DeviceKeyRecord.Purpose.signing
}

extension NamedKey: DeviceSigningKey where Purpose == SigningPurpose {
    func makeSignature(for data: Data) throws(DeviceKeyError) -> P256.Signing.ECDSASignature {
        do {
            switch key {
            case .enclave(let key): return try key.signature(for: data)
            case .software(let key): return try key.signature(for: data)
            }
        } catch { throw failure(error) }
    }
}

extension P256.KeyAgreement.PublicKey: DevicePublicKey {}
extension P256.KeyAgreement.PrivateKey: DeviceSoftwareKey {}
extension SecureEnclave.P256.KeyAgreement.PrivateKey: DeviceEnclaveKey {}

enum AgreementPurpose: DeviceKeyPurpose {
    typealias EnclaveKey = SecureEnclave.P256.KeyAgreement.PrivateKey
    typealias SoftwareKey = P256.KeyAgreement.PrivateKey

    static let recorded = DeviceKeyRecord.Purpose.agreement
}

extension NamedKey: DeviceAgreementKey where Purpose == AgreementPurpose {
    func makeSharedSecret(with other: P256.KeyAgreement.PublicKey) throws(DeviceKeyError) -> SharedSecret {
        do {
            switch key {
            case .enclave(let key): return try key.sharedSecretFromKeyAgreement(with: other)
            case .software(let key): return try key.sharedSecretFromKeyAgreement(with: other)
            }
        } catch { throw failure(error) }
    }
}
