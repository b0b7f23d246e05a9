// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainContainers
import KeychainCore

/// A certificate of a keychain, read.
struct StoredCertificate {
    let item: StoredItem
    let certificate: Certificate

    /// The certificates of some keychains, in their order; one that is damaged is none.
    static func all(in stores: [any ItemStore]) throws(KeychainError) -> [StoredCertificate] {
        var certificates: [StoredCertificate] = []
        for store in stores {
            for item in try store.items(.certificate) {
                if let certificate = try StoredCertificate(item) { certificates.append(certificate) }
            }
        }
        return certificates
    }

    /// Whether a certificate that is shown has bytes that are damaged.
    static func isAnyDamaged(in store: any ItemStore) throws(KeychainError) -> Bool {
        for item in try store.items(.certificate) {
            do throws(KeychainError) { _ = try bytes(item) } catch {
                guard error.status == .decode else { throw error }
                return true
            }
        }
        return false
    }

    /// Reads a certificate; `nil` when it is damaged, or gone.
    init?(_ item: StoredItem) throws(KeychainError) {
        let bytes: SecretBytes
        do throws(KeychainError) {
            guard let stored = try Self.bytes(item) else { return nil }
            bytes = stored
        } catch {
            guard error.status == .decode else { throw error }
            return nil
        }
        do throws(CertificateError) {
            certificate = try Certificate(der: bytes.unprotectedCopy)
        } catch {
            return nil
        }
        self.item = item
    }

    /// Its bytes, which are no secret: they can be read while a keychain file is locked; `nil` when it is gone.
    private static func bytes(_ item: StoredItem) throws(KeychainError) -> SecretBytes? {
        do throws(KeychainError) {
            return try item.store.secret(of: item)
        } catch {
            guard error.status == .itemNotFound || error.status == .invalidItemReference else { throw error }
            return nil
        }
    }

    /// The name that people know it by.
    var name: String { certificate.commonName ?? certificate.subjectSummary ?? "" }

    /// SHA-1 of the encoding, in capital hexadecimal digits: what macOS tells certificates apart by.
    var sha1: String { Self.digits(Insecure.SHA1.hash(data: certificate.der)) }

    /// SHA-256 of the encoding, in capital hexadecimal digits.
    var sha256: String { Self.digits(SHA256.hash(data: certificate.der)) }

    /// The certificate as text.
    var pem: String { PEMDocument("CERTIFICATE", SecretBytes(certificate.der)).text }

    /// Whether a value of `-Z` is one of the two digests; letters may be small.
    func has(hash: Word) -> Bool {
        guard let hash = hash.text?.uppercased() else { return false }
        return hash == sha1 || hash == sha256
    }

    private static func digits(_ digest: some Sequence<UInt8>) -> String {
        ValueFormat.capitalDigits(Array(digest))
    }
}
