// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The number of items that a query requests, which also determines the type of the result (Semantics, "Match limit").
enum MatchLimit: Sendable, Hashable {
    /// A single value: the default of a copy, and what the number 1 means.
    case one
    /// A list with a maximum number of items; 0 never finds anything.
    case atMost(Int)
    /// A list of all.
    case all

    /// - Throws: `errSecParam` for anything but an integral number and the two constants.
    init(_ value: PropertyValue) throws(KeychainError) {
        switch value {
        case .string(PropertyKey.matchLimitOne): self = .one
        case .string(PropertyKey.matchLimitAll): self = .all
        case .number(let number):
            guard let count = number.exactInteger else { throw .parameter("kSecMatchLimit is not an integer") }
            self = count == 1 ? .one : count < 0 ? .all : .atMost(Int(count))
        default: throw .parameter("kSecMatchLimit is neither a number nor one of its constants")
        }
    }

    /// The most items that may be returned; `nil` for any number.
    var maximum: Int? {
        switch self {
        case .one: 1
        case .atMost(let count): count
        case .all: nil
        }
    }
}
