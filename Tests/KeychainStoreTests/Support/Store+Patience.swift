// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainStore

extension Store {
    /// Opens a store that others open at the same time, who are waited for.
    static func openPatiently(in folder: PrivateDirectory) throws(KeychainError) -> Store {
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: 60_000))
        while true {
            do throws(KeychainError) {
                return try open(in: folder, options: StoreOptions()) { () throws(KeychainError) in [] }
            } catch {
                guard error.isBusy, pauses.wait() else { throw error }
            }
        }
    }
}

extension StoreOptions {
    /// Waits for a minute, for tests of many at once on a machine that has other things to do.
    static var patient: StoreOptions { StoreOptions(busyTimeoutMilliseconds: 60_000) }
}
