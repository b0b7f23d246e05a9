// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The status of the error that a closure throws, `errSecInternal` for an error without one; `nil` where it throws none.
public func thrownStatus(_ body: () throws -> Void) -> Status? {
    do {
        try body()
        return nil
    } catch {
        return (error as? KeychainError)?.status ?? .internal
    }
}
