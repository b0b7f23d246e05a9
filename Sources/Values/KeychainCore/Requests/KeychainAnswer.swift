// SPDX-License-Identifier: Apache-2.0

/// The result of a successful request.
package enum KeychainAnswer: Sendable, Hashable {
    /// No result, as when no return flag was set.
    case nothing
    /// A single value.
    case single(ResultValue)
    /// The values of a query for more than one item.
    case list([ResultValue])

    /// The values, regardless of their number.
    package var values: [ResultValue] {
        switch self {
        case .nothing: []
        case .single(let value): [value]
        case .list(let values): values
        }
    }

    /// The values that a search returns; none if it finds no item.
    ///
    /// - Throws: the errors of `search`, except `errSecItemNotFound`.
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
