// SPDX-License-Identifier: Apache-2.0

/// What a successful request gives back.
package enum KeychainAnswer: Sendable, Hashable {
    /// No result, as when no return flag was set.
    case nothing
    /// A single value.
    case single(ResultValue)
    /// The values of a query for more than one item.
    case list([ResultValue])

    /// The values, however many there are.
    package var values: [ResultValue] {
        switch self {
        case .nothing: []
        case .single(let value): [value]
        case .list(let values): values
        }
    }

    /// The values that a search gives; none where it finds no item.
    ///
    /// - Throws: what `search` throws, but `errSecItemNotFound`.
    package static func values(
        found search: () throws(KeychainError) -> KeychainAnswer
    ) throws(KeychainError) -> [ResultValue] {
        do throws(KeychainError) { return try search().values } catch {
            guard error.status == .itemNotFound else { throw error }
            return []
        }
    }
}

/// The result for one item.
package enum ResultValue: Sendable, Hashable {
    /// The secret, or a persistent reference.
    case data(SecretBytes)
    /// A key, certificate or identity.
    indirect case reference(ItemReference)
    /// Attributes, and the values that were requested, by their dictionary keys.
    case dictionary([String: PropertyValue])
}
