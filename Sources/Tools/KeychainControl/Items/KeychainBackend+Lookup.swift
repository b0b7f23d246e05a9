// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension KeychainBackend {
    /// Describes the passwords of the user that have some attributes, also with others.
    func lookupItems(with attributes: LookupAttributes) throws(KeychainError) -> [LookupItem] {
        guard case .lookupMatches(let matches) = try perform(.person(.search(attributes))) else {
            throw .unexpectedReply
        }
        var items: [LookupItem] = []
        var rest = matches.map(\.identifier)[...]
        while !rest.isEmpty {
            guard case .lookupItems(let described) = try perform(.person(.describe(Array(rest.prefix(lookupChunk)))))
            else { throw .unexpectedReply }
            items += described
            rest = rest.dropFirst(lookupChunk)
        }
        return items
    }

    /// Gives a copy of a password the lookup attributes of the password, and the content type of its secret; those of
    /// its name have the new one.
    ///
    /// - Parameters:
    ///   - original: the password, with its columns.
    ///   - copy: the copy, with its own.
    ///   - itemClass: the class of both.
    /// - Throws: Among others, `errSecItemNotFound` if the copy is gone.
    func copyLookup(
        from original: (identifier: ItemIdentifier, columns: Attributes),
        to copy: (identifier: ItemIdentifier, columns: Attributes),
        of itemClass: ItemClass
    ) throws(KeychainError) {
        guard case .lookupItems(let described) = try perform(.person(.describe([original.identifier]))) else {
            throw .unexpectedReply
        }
        guard let attributes = described.first?.attributes, !attributes.isEmpty,
            !LookupMapping.areDerived(attributes, from: original.columns, of: itemClass)
        else { return }
        let updated = LookupMapping.updated(
            attributes,
            of: itemClass,
            from: original.columns,
            to: copy.columns
        )
        _ = try perform(.person(.change(copy.identifier, .attributes(updated))))
        guard case .lookupSecrets(let secrets) = try perform(.person(.secrets([original.identifier]))) else {
            throw .unexpectedReply
        }
        guard let secret = secrets.first, secret.contentType != LookupMapping.contentType(of: secret.secret) else {
            return
        }
        let change = LookupChange.secret(secret.secret, contentType: secret.contentType)
        _ = try perform(.person(.change(copy.identifier, change)))
    }
}

/// How many items are described at a time.
private let lookupChunk = 1_000

extension KeychainCommand {
    /// An operation of the user at the keyboard: in the user's common group, where all front ends meet.
    static func person(_ operation: LookupRequest.Operation) -> KeychainCommand {
        .lookup(LookupRequest(operation, client: .person))
    }
}
