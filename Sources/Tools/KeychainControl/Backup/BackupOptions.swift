// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore

/// A backup that exists, and its secret.
struct BackupFileOptions: ParsableArguments {
    @Argument(help: "The backup.", completion: .file())
    var file: String

    @OptionGroup var secret: BackupSecretOptions

    @OptionGroup var misplaced: MisplacedSecret

    var path: String { AbsolutePath.of(file) }

    /// Asks for the secret.
    func readSecret(_ surroundings: Surroundings, _ reason: String) throws(Refusal) -> SecretBytes {
        try secret.source(surroundings).read(.backupSecret, .applicationPassword, reason: reason)
    }
}

/// The classes of items by the words of the commands.
enum BackupItemClass: String, ExpressibleByArgument, CaseIterable {
    case generic, internet, certificate, key

    var itemClass: ItemClass {
        switch self {
        case .generic: .genericPassword
        case .internet: .internetPassword
        case .certificate: .certificate
        case .key: .key
        }
    }
}
