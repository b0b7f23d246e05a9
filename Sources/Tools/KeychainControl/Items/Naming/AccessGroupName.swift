// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The access groups that a command gives to passwords.
enum AccessGroupName {
    /// Refuses a group that no password of a program can have: that of hardware tokens, and the sign for all groups.
    static func check(_ name: String) throws(Refusal) {
        guard ![Client.everyGroup, PropertyKey.accessGroupToken, ""].contains(name) else {
            throw Refusal("'\(name.printable)' is no access group for passwords", .usage)
        }
    }
}
