// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Changes of the keychain, from the moment at which this was requested.
///
/// These are the successful changes that this process makes through this module, not those by `SecItem…` functions.
/// On Linux, if a daemon owns the keychain, also notifications that other programs changed something
/// (``KeychainChange/changedElsewhere(_:accessGroup:)``). There are none on Apple platforms, nor for an embedded
/// keychain.
///
/// ```swift
/// for await change in SystemKeychain().changes {
///     switch change {
///     case .changedElsewhere(.genericPassword, accessGroup: "TEAMID1234.com.example.shared"), .missed:
///         try await reload()
///     default: break
///     }
/// }
/// ```
///
/// Each listener requests ``KeychainProtocol/changes`` once, and iterates it once. The last 256 changes are buffered;
/// if there were more, ``KeychainChange/missed(_:)`` comes first. The iteration ends when its task is cancelled.
///
/// A change is announced after it is stored. The changes of one task are in the order of its calls. If several tasks
/// change an item concurrently, the order may differ from that in the keychain: read the item for its current contents.
///
/// The changes are those of the program as it was when they were requested. In a test, an app whose entitlements were
/// changed is another one: request the changes again then.
public struct KeychainChanges: AsyncSequence, Sendable {
    /// Changes.
    public typealias Element = KeychainChange

    private let listener: ChangeListener?

    init(_ listener: ChangeListener?) { self.listener = listener }

    /// No changes: for conformers that announce none.
    public static let none = KeychainChanges(nil)

    /// Begins to iterate.
    public func makeAsyncIterator() -> Iterator { Iterator(listener: listener) }

    /// An iterator over changes.
    public struct Iterator: AsyncIteratorProtocol {
        let listener: ChangeListener?

        /// The next change; `nil` when the task is cancelled.
        public mutating func next() async -> KeychainChange? { await listener?.next() }
    }
}

/// A change of the keychain, without the contents of items.
public enum KeychainChange: Sendable {
    /// An item was added.
    case added(any KeychainItem)
    /// An item was set: added, or changed.
    case set(any KeychainItem)
    /// An item was changed, and is the second one from now on.
    case updated(any KeychainItem, now: any KeychainItem)
    /// An item was deleted.
    case deleted(any KeychainItem)
    /// Many items were deleted: the class, and the selection in words.
    case deletedAll(ItemKey.Class, selection: String)
    /// Another program may have added, changed or deleted items of a class in an access group: read them again.
    ///
    /// Several changes may be combined into one. It may also come without a change in this group, if the other program
    /// named no group and has several. Only if a daemon owns the keychain.
    case changedElsewhere(ItemKey.Class, accessGroup: String)
    /// Changes before the next one were missed: read again what you need.
    ///
    /// The number of this process's own changes that a slow listener missed; `nil` for other programs' changes, which
    /// are not counted. That comes when notifications begin, and again when the daemon was restarted, the keychain was
    /// handed back, or there were more changes than the listener read.
    case missed(Int?)
}
