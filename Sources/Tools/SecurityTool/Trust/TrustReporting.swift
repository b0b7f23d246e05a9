// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTrust

/// The domain of trust settings that `-d` and `-s` choose.
enum TrustDomain {
    case user
    case admin
    /// The anchors of the distribution, which cannot be changed here.
    case system

    /// The settings; none for the system.
    func settings(in store: TrustSettingsStore) throws(KeychainError) -> TrustSettings {
        switch self {
        case .user: try store.settings(.user)
        case .admin: try store.settings(.admin)
        case .system: TrustSettings()
        }
    }
}

/// Performs a trust operation, and reports an error as macOS does: without the program name, and with status 1.
func reportingTrust<Result>(
    _ function: String,
    _ body: () throws(KeychainError) -> Result
) throws(CommandFailure) -> Result {
    do throws(KeychainError) { return try body() } catch {
        // The description of a problem with a file or a missing library is more helpful than the text of its status.
        let isExplained = [.notAvailable, .io].contains(error.status) || error.status.rawValue == -61
        let reason: ByteText = isExplained ? "\nsecurity: \(error.reason)" : ""
        throw CommandFailure("\(function): \(error.status.text)\(reason)")
    }
}

extension KeychainError {
    /// The domain has no settings.
    static let noTrustSettings = KeychainError(Status(rawValue: -25263), "there are no trust settings")
}
