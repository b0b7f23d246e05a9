// SPDX-License-Identifier: Apache-2.0

/// The status of the root key of a store, without the key itself.
package struct RootKeyStatus: Sendable, Hashable {
    /// The kind of the key; `nil` if there is no store.
    package var kind: RootKeyKind?
    /// The path of its file, as seen by the process that has the store; `nil` for a key in no file.
    package var path: String?
    /// The kinds of keys that the store can get, in the order of preference; empty for a store in memory.
    package var replacements: [RootKeyKind]
    /// Whether a replacement is under way in another process, or was interrupted and could not be finished.
    package var isUnsettled: Bool

    /// The status of a root key.
    package init(
        kind: RootKeyKind? = nil,
        path: String? = nil,
        replacements: [RootKeyKind] = [],
        isUnsettled: Bool = false
    ) {
        self.kind = kind
        self.path = path
        self.replacements = replacements
        self.isUnsettled = isUnsettled
    }
}
