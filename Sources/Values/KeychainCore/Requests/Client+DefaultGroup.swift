// SPDX-License-Identifier: Apache-2.0

extension Client {
    /// The group for an add that specifies none: the first group; `nil` for a client without write access to any.
    ///
    /// A list with only the group of hardware tokens is for reading (Semantics, "Access groups"). Nevertheless, it is
    /// the default of a list that starts with it; lists from entitlements have it last.
    package var defaultAccessGroup: String? {
        accessGroups.contains { $0 != PropertyKey.accessGroupToken } ? accessGroups.first : nil
    }
}
