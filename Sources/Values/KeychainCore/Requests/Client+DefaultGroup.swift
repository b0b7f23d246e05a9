// SPDX-License-Identifier: Apache-2.0

extension Client {
    /// Where an add without a group stores: the first group; `nil` for a client that may not write to any.
    ///
    /// A list with that of hardware tokens alone is for reading (Semantics, "Access groups"). One that begins with it
    /// has it as its default nevertheless; the lists that entitlements make have it last.
    package var defaultAccessGroup: String? {
        accessGroups.contains { $0 != PropertyKey.accessGroupToken } ? accessGroups.first : nil
    }
}
