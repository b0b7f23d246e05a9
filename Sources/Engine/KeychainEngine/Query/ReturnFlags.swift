// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// Which values a caller wants back (`kSecReturn…`).
struct ReturnFlags: OptionSet, Sendable, Hashable {
    let rawValue: UInt8

    static let attributes = ReturnFlags(rawValue: 1 << 0)
    static let data = ReturnFlags(rawValue: 1 << 1)
    static let persistentReference = ReturnFlags(rawValue: 1 << 2)
    static let reference = ReturnFlags(rawValue: 1 << 3)

    /// The flag of a dictionary key; `nil` if there is none.
    init?(key: String) {
        switch key {
        case PropertyKey.returnAttributes: self = .attributes
        case PropertyKey.returnData: self = .data
        case PropertyKey.returnPersistentReference: self = .persistentReference
        case PropertyKey.returnReference: self = .reference
        default: return nil
        }
    }

    init(rawValue: UInt8) { self.rawValue = rawValue }
}
