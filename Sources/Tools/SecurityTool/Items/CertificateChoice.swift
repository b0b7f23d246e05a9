// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Selects one certificate by a name or a digest.
struct CertificateChoice {
    /// The name of `-c`: the whole common name, or a unique part of it.
    var name: Word?

    /// The digest of `-Z`, which takes precedence over a name.
    var hash: Word?

    /// The selection, as repeated in messages.
    var text: ByteText { "\(hash ?? name ?? Word(""))" }

    /// Whether nothing was given.
    var isEmpty: Bool { name == nil && hash == nil }

    /// Why no certificate was selected.
    enum Failure: Error {
        case notFound
        case ambiguous
    }

    /// Whether no certificate matches; there may be several.
    func isNone(of certificates: [StoredCertificate]) -> Bool {
        do throws(Failure) { _ = try select(from: certificates) } catch { return error == .notFound }
        return false
    }

    /// The selected certificate.
    func select(from certificates: [StoredCertificate]) throws(Failure) -> StoredCertificate {
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
    /// Whether a text is part of the common name, ignoring case.
    func isNamed(like text: String) -> Bool {
        text.isEmpty || name.lowercased().contains(text.lowercased())
    }
}
