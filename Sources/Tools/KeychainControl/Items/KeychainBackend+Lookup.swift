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
}

/// How many items are described at a time.
private let lookupChunk = 1_000

extension KeychainCommand {
    /// An operation of the user at the keyboard: in the user's common group, where all front ends meet.
    static func person(_ operation: LookupRequest.Operation) -> KeychainCommand {
        .lookup(LookupRequest(operation, client: .person))
    }
}
