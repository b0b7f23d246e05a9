// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTrust

/// `trust-settings-export` (reference, section 8).
struct ExportTrustSettings: Command {
    let options: OptionSyntax = "hsd"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var domain = TrustDomain.user
        for option in invocation.arguments.options {
            switch option.letter {
            case "s": domain = .system
            case "d": domain = .admin
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard let path = invocation.arguments.operands.first, invocation.arguments.operands.count == 1 else {
            throw CommandFailure.usage
        }
        let settings = try reportingTrust("SecTrustSettingsCreateExternalRepresentation") {
            () throws(KeychainError) in
            let settings = try domain.settings(in: session.trustSettings)
            guard !settings.entries.isEmpty else { throw KeychainError.noTrustSettings }
            return settings
        }
        try TrustSettingsFile.write(settings, path)
        if !session.isQuiet { try session.output.write("...Trust Settings exported successfully.\n") }
        return 0
    }
}

/// `trust-settings-import` (reference, section 8): replaces the previous settings.
struct ImportTrustSettings: Command {
    let options: OptionSyntax = "hd"

    private static let function = "SecTrustSettingsImportExternalRepresentation"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var domain = TrustSettingsStore.Domain.user
        for option in invocation.arguments.options {
            guard option.letter == "d" else { throw CommandFailure.usage }
            domain = .admin
        }
        try invocation.checkOptions(options)
        guard let path = invocation.arguments.operands.first, invocation.arguments.operands.count == 1 else {
            throw CommandFailure.usage
        }
        let imported = try TrustSettingsFile.read(path, for: Self.function, in: session)
        try reportingTrust(Self.function) { () throws(KeychainError) in
            try session.trustSettings.change(domain) { (settings) throws(KeychainError) in
                settings = imported.replacing(settings)
            }
        }
        if !session.isQuiet { try session.output.write("...Trust Settings imported successfully.\n") }
        return 0
    }
}
