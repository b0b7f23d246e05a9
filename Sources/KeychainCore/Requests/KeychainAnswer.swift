// SPDX-License-Identifier: Apache-2.0

/// What a successful request gives back.
public enum KeychainAnswer: Sendable, Hashable {
    /// No result, as when no return flag was set.
    case nothing
    /// A single value.
    case single(ResultValue)
    /// The values of a query for more than one item.
    case list([ResultValue])
}

/// The result for one item.
public enum ResultValue: Sendable, Hashable {
    /// The secret, or a persistent reference.
    case data(SecretBytes)
    /// A key, certificate or identity.
    indirect case reference(ItemReference)
    /// Attributes, and the values that were requested, by their dictionary keys.
    case dictionary([String: PropertyValue])
}
