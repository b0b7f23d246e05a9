// SPDX-License-Identifier: Apache-2.0

/// Former values of the items of a keychain.
///
/// It sends commands, and has no state except for their destination and client. Thread-safe.
package struct KeychainHistory: Sendable {
    private let keychain: any KeychainBackend
    private let client: Client

    /// The former values that a client sees.
    package init(_ keychain: any KeychainBackend, client: Client) {
        self.keychain = keychain
        self.client = client
    }

    /// What is known of the former values of an item, the one that was replaced last first.
    ///
    /// - Throws: `errSecItemNotFound`, `errSecInteractionNotAllowed` if the item is locked, `errSecDecode` if what is
    ///   kept cannot be read.
    package func values(of item: HistoryRequest.Subject) throws(KeychainError) -> ItemHistory {
        guard case .history(let history) = try perform(.values(of: item)) else { throw .unexpectedReply }
        return history
    }

    /// A former value; it is read under the conditions of the item's own secret.
    package func secret(
        _ value: FormerValue,
        of item: HistoryRequest.Subject
    ) throws(KeychainError) -> SecretBytes {
        guard case .secret(let secret) = try perform(.secret(of: item, value.identifier)) else {
            throw .unexpectedReply
        }
        return secret
    }

    /// Gives an item a former value, as a change of its own; what it has now becomes a former value.
    ///
    /// - Throws: Among others, `errSecDataTooLarge` if what it has now is too large to be kept.
    package func restore(_ value: FormerValue, of item: HistoryRequest.Subject) throws(KeychainError) {
        try done(.restore(item, value.identifier))
    }

    /// Sets how many former values of an item are kept; `nil` for the number for all items.
    package func keep(_ number: Int?, of item: HistoryRequest.Subject) throws(KeychainError) {
        try done(.keep(number, of: item))
    }

    /// Removes the former values of an item, also some that cannot be read.
    package func clear(_ item: HistoryRequest.Subject) throws(KeychainError) { try done(.clear(item)) }

    /// How many former values are kept of items that have no number of their own.
    package func numberForAll() throws(KeychainError) -> Int {
        guard case .count(let number) = try perform(.numberForAll) else { throw .unexpectedReply }
        return number
    }

    /// Sets that number; 0 also removes all former values, and the numbers of items of their own.
    ///
    /// - Throws: Among others, `errSecInteractionNotAllowed` for 0 while an item is locked.
    package func keepForAll(_ number: Int) throws(KeychainError) { try done(.keepForAll(number)) }

    /// Removes the former values of all items.
    ///
    /// - Throws: Among others, `errSecInteractionNotAllowed` while an item is locked.
    package func clearAll() throws(KeychainError) { try done(.clearAll) }

    private func done(_ operation: HistoryRequest.Operation) throws(KeychainError) {
        guard case .done = try perform(operation) else { throw .unexpectedReply }
    }

    private func perform(_ operation: HistoryRequest.Operation) throws(KeychainError) -> KeychainReply {
        try keychain.perform(.history(HistoryRequest(operation, client: client)))
    }
}
