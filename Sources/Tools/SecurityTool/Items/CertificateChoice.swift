// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which one certificate is meant, by a name or a digest.
struct CertificateChoice {
    /// The name of `-c`: the whole common name, or a part that no other certificate has.
    var name: Word?

    /// The digest of `-Z`, which counts more than a name.
    var hash: Word?

    /// What was asked for, as messages repeat it.
    var text: ByteText { "\(hash ?? name ?? Word(""))" }

    /// Whether nothing was asked for.
    var isEmpty: Bool { name == nil && hash == nil }

    /// Why no certificate is meant.
    enum Failure: Error {
        case notFound
        case ambiguous
    }

    /// Whether no certificate is meant; several may be.
    func isNone(of certificates: [StoredCertificate]) -> Bool {
        do throws(Failure) { _ = try one(of: certificates) } catch { return error == .notFound }
        return false
    }

    /// The certificate that is meant.
    func one(of certificates: [StoredCertificate]) throws(Failure) -> StoredCertificate {
        if let hash {
            guard let found = certificates.first(where: { $0.has(hash: hash) }) else { throw .notFound }
            return found
        }
        guard let name = name?.text else { throw .notFound }
        let exact = certificates.filter { $0.name == name }
        let found = exact.isEmpty ? certificates.filter { $0.isNamed(like: name) } : exact
        guard let first = found.first else { throw .notFound }
        guard Set(found.map(\.certificate)).count == 1 else { throw .ambiguous }
        return first
    }
}

extension StoredCertificate {
    /// Whether a text is in the common name; upper and lower case are the same.
    func isNamed(like text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text.lowercased())
    }
}
