// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// Which passwords are meant: what is `nil` may be anything.
struct ItemChoice: Hashable, Sendable {
    /// The service of a generic password, the server of an internet password.
    var service: String

    /// The account; empty for an item without one.
    var account: String?

    var itemClass: ItemClass?

    /// The access group.
    var group: String?

    /// The classes to search.
    var classes: [ItemClass] { itemClass.map { [$0] } ?? PasswordClass.allCases.map(\.itemClass) }
}

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

/// The parts of a password that commands and references name.
enum ItemField: String, ExpressibleByArgument, CaseIterable {
    case password
    case service
    case account
    case label
    case comment
    case description
    case otp

    /// All of them, for a message.
    static let names = allCases.map(\.rawValue).joined(separator: ", ")

    /// The attribute; `nil` for what is made of the secret.
    func attribute(of passwordClass: PasswordClass) -> AttributeName? {
        switch self {
        case .password, .otp: nil
        case .service: passwordClass.service
        case .account: .account
        case .label: .label
        case .comment: "icmt"
        case .description: "desc"
        }
    }
}
