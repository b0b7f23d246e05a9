// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainProtection
import KeychainStore

extension RowWriter {
    /// Puts a keybag in place, and declares what earlier programs do not know of it.
    func replaceKeybag(_ bytes: [UInt8]) throws(KeychainError) {
        let summary = try protecting { () throws(ProtectionError) in try KeybagSummary(bytes) }
        try setKeybag(bytes)
        try record(.recoveryKey, isUsed: summary.recoveryKeyDate != nil)
    }
}
