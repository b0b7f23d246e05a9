// SPDX-License-Identifier: Apache-2.0

import KeychainContainers
import KeychainCore
import KeychainKeys

extension ExternalItem {
    /// The items of an object; `nil` if its class is not `SecCertificate`, `SecKey` or `SecIdentity`.
    ///
    /// An identity of the keychain may have a public key instead of the private one.
    ///
    /// - Throws: An error if a key is unavailable because its keychain is locked.
    static func items(of object: AnyObject) throws(KeychainError) -> [ExternalItem]? {
        switch object {
        case let certificate as SecCertificate:
            return [ExternalItem(.certificate(certificate.certificate))]
        case let key as SecKey:
            return [ExternalItem(.key(try loaded(key)))]
        case let identity as SecIdentity:
            let certificate = identity.certificate.certificate
            let half = try loaded(identity.privateKey)
            guard case .private(let key) = half else {
                return [ExternalItem(.certificate(certificate)), ExternalItem(.key(half))]
            }
            return [ExternalItem(.identity(certificate, key))]
        default:
            return nil
        }
    }

    private static func loaded(_ key: SecKey) throws(KeychainError) -> KeyHalf {
        do throws(KeyError) { return try key.half.loaded() } catch { throw KeychainError(error) }
    }

    /// The item as an object of Apple's API.
    var object: AnyObject {
        switch contents {
        case .certificate(let certificate): return SecCertificate(certificate)
        case .key(let half): return SecKey(half)
        case .identity(let certificate, let key):
            let certificate = SecCertificate(certificate)
            return SecIdentity(certificate, SecKey(key)) ?? certificate
        }
    }
}
