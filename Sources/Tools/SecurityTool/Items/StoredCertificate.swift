// SPDX-License-Identifier: Apache-2.0

import Crypto
import KeychainCertificates
import KeychainContainers
import KeychainCore

/// A parsed certificate of a keychain.
struct StoredCertificate {
    let item: StoredItem
    let certificate: Certificate

    /// The certificates of some keychains, in order, without damaged ones.
    static func all(in stores: [any ItemStore]) throws(KeychainError) -> [StoredCertificate] {
        var certificates: [StoredCertificate] = []
        for store in stores {
            for item in try store.items(.certificate) {
                if let certificate = try StoredCertificate(item) { certificates.append(certificate) }
            }
        }
        return certificates
    }

    /// Whether a listed certificate has damaged bytes.
    static func isAnyDamaged(in store: any ItemStore) throws(KeychainError) -> Bool {
        for item in try store.items(.certificate) {
            do throws(KeychainError) { _ = try bytes(item) } catch {
                guard error.status == .decode else { throw error }
                return true
            }
        }
        return false
    }

    /// Reads a certificate; `nil` if it is damaged or has been deleted.
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

    /// Its bytes, which are not secret: they can be read while a keychain file is locked; `nil` if it has been deleted.
    private static func bytes(_ item: StoredItem) throws(KeychainError) -> SecretBytes? {
        do throws(KeychainError) {
            return try item.store.secret(of: item)
        } catch {
            guard error.status == .itemNotFound || error.status == .invalidItemReference else { throw error }
            return nil
        }
    }

    /// The display name.
    var name: String { certificate.commonName ?? certificate.subjectSummary ?? "" }

    /// SHA-1 of the encoding, in uppercase hexadecimal, by which macOS distinguishes certificates.
    var sha1: String { Self.digits(Insecure.SHA1.hash(data: certificate.der)) }

    /// SHA-256 of the encoding, in uppercase hexadecimal.
    var sha256: String { Self.digits(SHA256.hash(data: certificate.der)) }

    /// The certificate as text.
    var pem: String { PEMDocument("CERTIFICATE", SecretBytes(certificate.der)).text }

    /// Whether a value of `-Z` is one of the two digests, ignoring case.
    func has(hash: Word) -> Bool {
        guard let hash = hash.text?.uppercased() else { return false }
        return hash == sha1 || hash == sha256
    }

    private static func digits(_ digest: some Sequence<UInt8>) -> String {
        ValueFormat.capitalDigits(Array(digest))
    }
}
