// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Reads the secrets that references name, each once.
final class SecretReader {
    private let surroundings: Surroundings

    /// By the bytes of their references: strings that are canonically equivalent are equal, and name other items.
    private var known: [[UInt8]: SecretBytes] = [:]

    /// The secrets that were read.
    private(set) var read: [SecretBytes] = []

    init(_ surroundings: Surroundings) { self.surroundings = surroundings }

    /// The secret of a reference; any other text stands for itself.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - place: where it is, for a message.
    /// - Returns: The secret, or the text.
    /// - Throws: ``Refusal`` if the reference has a mistake, or cannot be read.
    func value(_ text: String, in place: String? = nil) throws(Refusal) -> SecretBytes {
        guard SecretReference.isReference(text) else { return SecretBytes(Array(text.utf8)) }
        do throws(Refusal) { return try secret(text) } catch {
            throw place.map { Refusal("\($0): \(error)", error.status) } ?? error
        }
    }

    private func secret(_ text: String) throws(Refusal) -> SecretBytes {
        let reference = try SecretReference(text)
        let key = Array(reference.text.utf8)
        if let secret = known[key] { return secret }
        let entry = try surroundings.item([[reference.choice]], named: text)
        let secret = try surroundings.value(of: reference.field, in: entry)
        known[key] = secret
        if [.password, .otp].contains(reference.field), !secret.isEmpty { read.append(secret) }
        return secret
    }
}
