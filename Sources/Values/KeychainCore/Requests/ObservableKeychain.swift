// SPDX-License-Identifier: Apache-2.0

/// A keychain that notifies a program of other programs' changes.
package protocol ObservableKeychain: KeychainBackend {
    /// Notifies a program of changes from now on, until the observation is deallocated.
    ///
    /// Returns immediately. The first notice is ``ChangeNotice/unknown``, as soon as changes are observed, and so is
    /// one whenever some may have been missed. The program's own changes are not notified.
    ///
    /// - Parameters:
    ///   - client: the program; only changes in its access groups are notified.
    ///   - handler: receives the notices, on any thread and one at a time; must not wait for anything.
    /// - Returns: Ends the observation when it is deallocated.
    func observeChanges(
        as client: Client,
        _ handler: @escaping @Sendable (ChangeNotice) -> Void
    ) -> ChangeObservation
}

/// An observation of changes, which ends when it is deallocated.
package final class ChangeObservation: Sendable {
    private let end: @Sendable () -> Void

    /// An observation that `end` ends.
    package init(_ end: @escaping @Sendable () -> Void) { self.end = end }

    deinit { end() }
}
