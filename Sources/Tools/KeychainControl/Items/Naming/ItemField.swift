// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

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
