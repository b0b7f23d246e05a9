// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// The classes of passwords, as options name them.
enum PasswordClass: String, ExpressibleByArgument, CaseIterable {
    case generic
    case internet

    var itemClass: ItemClass {
        switch self {
        case .generic: .genericPassword
        case .internet: .internetPassword
        }
    }

    /// The attribute that is the first part of an item's name.
    var service: AttributeName {
        switch self {
        case .generic: .service
        case .internet: .server
        }
    }

    /// The class of passwords that a class of items is; `nil` for certificates and keys.
    init?(_ itemClass: ItemClass) {
        guard let passwordClass = Self.allCases.first(where: { $0.itemClass == itemClass }) else { return nil }
        self = passwordClass
    }
}
