// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTrust

/// `remove-trusted-cert` (reference, section 8).
struct RemoveTrustedCertificate: Command {
    let options: OptionSyntax = "hdD"

    func run(_ invocation: Invocation, in session: Session) throws -> Int32 {
        var domain = TrustSettingsStore.Domain.user
        for option in invocation.arguments.options {
            switch option.letter {
            case "d": domain = .admin
            case "D": continue
            default: throw CommandFailure.usage
            }
        }
        try invocation.checkOptions(options)
        guard let file = invocation.arguments.operands.first else {
            throw CommandFailure(status: CommandFailure.usage.status, "No cert file specified.")
        }
        guard invocation.arguments.operands.count == 1 else { throw CommandFailure.usage }
        let certificate = try CertificateFile.require(file, in: session)
        try reportingTrust("SecTrustSettingsRemoveTrustSettings") { () throws(KeychainError) in
            try session.trustSettings.change(domain) { (settings) throws(KeychainError) in
                try settings.remove(certificate)
            }
        }
        return 0
    }
}
