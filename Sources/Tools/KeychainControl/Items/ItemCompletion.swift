// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import CredentialHelpers
import KeychainCore

/// Values that a shell completes: the names of passwords.
///
/// No secret is opened, and what is locked is not offered.
enum ItemCompletion {
    /// The names of passwords, as ``ItemName`` reads them.
    static let name = CompletionKind.custom { _, _, _ in
        AnswerDeadline.start(milliseconds: milliseconds)
        return names(in: Surroundings.current.keychain)
    }

    /// The time that a shell waits.
    private static let milliseconds = 400

    /// The names of all passwords.
    ///
    /// The script of swift-argument-parser for bash expands what it is given, so names are left out that a shell would
    /// take for more than text.
    static func names(in keychain: any KeychainBackend) -> [String] {
        let store = CredentialStore(keychain, in: nil, forOwner: true, findsGuarded: true)
        let found = PasswordClass.allCases.flatMap { (try? store.entries($0.itemClass, [:])) ?? [] }
        return OfferedNames.unquotedLines(
            ListedPassword.from(found).map(\.entry).filter(\.hasReference).map(\.name)
        )
    }
}
