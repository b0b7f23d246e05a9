// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection

/// Why a daemon does not serve: one sentence, without secrets.
struct DaemonFailure: Error, Hashable, CustomStringConvertible {
    let description: String
    let status: DaemonStatus

    init(_ description: String, _ status: DaemonStatus = .failed) {
        self.description = description
        self.status = status
    }

    init(_ error: FileError) { self.init("\(error)") }

    init(_ error: KeychainError) {
        self.init(error.reason, error.foreignOwner == .embedded ? .storeIsEmbedded : .failed)
    }
}
