// SPDX-License-Identifier: Apache-2.0

extension Client {
    /// Where an add without a group stores: the first group that is not that of hardware tokens; `nil` when there is none.
    public var defaultAccessGroup: String? { accessGroups.first { $0 != PropertyKey.accessGroupToken } }
}
