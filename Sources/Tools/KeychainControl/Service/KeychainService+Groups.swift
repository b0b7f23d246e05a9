// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainProtection

extension KeychainService {
    /// The items that identified programs can no longer access once a daemon identifies them.
    ///
    /// With an embedded keychain they find items of groups that they claim; with a daemon they do not, because any
    /// other program could have stored those items.
    ///
    /// - Parameter owner: the current owner of the store.
    /// - Returns: A text for the user; `nil` if there is nothing.
    /// - Throws: ``Refusal`` if the store cannot be read.
    func remarkOnGroups(_ owner: StoreOwner?) throws(Refusal) -> String? {
        guard owner == .embedded else { return nil }
        let groups = try refusing { () throws(KeychainError) in try embedded.accessGroups() }
        let unowned = groups.filter { !ClientIdentity.isReserved($0) && $0 != PropertyKey.accessGroupToken }
        guard !unowned.isEmpty else { return nil }
        return
            "With the daemon, signed programs, Flatpaks and snaps reach only groups of their own. Items in these groups stay "
            + "there, for all other programs: \(unowned.joined(separator: ", ")). Items that are locked now are not considered."
    }
}
