// SPDX-License-Identifier: Apache-2.0

import KeychainCore

extension Surroundings {
    /// Makes a change, and reports the format of the store if that is another one then and a daemon has the store.
    ///
    /// A program that has the store itself logs it; what a daemon logs is seen by nobody who runs a command.
    func reportingStoreVersion<Result, Failure>(
        _ change: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let former = versionOfServedStore
        let result = try change()
        if let former, let version = versionOfServedStore, version != former {
            remark(StoreVersionChange(from: former, to: version).text)
        }
        return result
    }

    /// `nil` for a store that no daemon has.
    private var versionOfServedStore: FileVersion? {
        guard let owner = try? service().owner(), owner == .daemon || owner == .system else { return nil }
        return (try? keychain.maintenance.storeStatus())?.file
    }
}
