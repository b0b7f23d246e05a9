// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The status of the error that a closure throws; `nil` where it throws none.
///
/// An error without a status counts as `errSecInternal`.
package func thrownStatus(_ body: () throws -> Void) -> Status? {
    do {
        try body()
        return nil
    } catch {
        return (error as? KeychainError)?.status ?? .internal
    }
}
