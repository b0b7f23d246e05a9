// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
/// The keychain that changes belong to: on Apple platforms there is only one.
package struct ChangeScope: Sendable, Hashable {
    static var inEffect: ChangeScope { ChangeScope() }
}
#else
import KeychainCore
import KeychainServices

/// The keychain that changes belong to, and the process that makes them: each app in a test is a process of its own.
package struct ChangeScope: Sendable {
    private let backend: any KeychainBackend
    private let client: Client

    init(_ context: KeychainContext) {
        backend = context.backend
        client = context.client
    }

    static var inEffect: ChangeScope { ChangeScope(.inEffect) }

    /// Notifies a handler of other programs' changes; `nil` if the keychain has no such notifications.
    func observe(_ handler: @escaping @Sendable (ChangeNotice) -> Void) -> ChangeObservation? {
        (backend as? any ObservableKeychain)?.observeChanges(as: client, handler)
    }
}

extension ChangeScope: Hashable {
    package static func == (left: ChangeScope, right: ChangeScope) -> Bool {
        left.backend.identity == right.backend.identity && left.client == right.client
    }

    package func hash(into hasher: inout Hasher) {
        hasher.combine(backend.identity)
        hasher.combine(client)
    }
}
#endif
