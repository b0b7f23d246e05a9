// SPDX-License-Identifier: Apache-2.0

/// Knows who is signed in.
///
/// It trusts its store: no session means that nobody is signed in, and then it tidies up.
public actor AuthManager {
    private let store: any SessionStore

    /// A manager.
    public init(store: any SessionStore) { self.store = store }

    /// The session of whoever is signed in, and `nil` if nobody is.
    ///
    /// - Throws: ``SessionStoreError`` when that cannot be said now.
    public func session() throws -> Session? {
        guard let session = try store.load() else {
            // Somebody signed out: nothing of theirs should stay, whatever the last run left behind.
            try signOut()
            return nil
        }
        return session
    }

    /// Signs somebody in.
    ///
    /// - Throws: ``SessionStoreError``
    public func signIn(_ session: Session) throws { try store.save(session) }

    /// Signs out.
    ///
    /// - Throws: ``SessionStoreError``
    public func signOut() throws { try store.remove() }

    /// Keeps a renewed session, unless somebody signed out or in while it was on its way.
    ///
    /// - Returns: Whether it was kept.
    /// - Throws: ``SessionStoreError``
    func replace(_ session: Session, with renewed: Session) throws -> Bool {
        guard try store.load() == session else { return false }
        try store.save(renewed)
        return true
    }
}
