// SPDX-License-Identifier: Apache-2.0

/// The login manager of a program that is linked statically: there is none, because libsystemd exists as a shared
/// library only.
package final class LoginManager: Sendable {
    /// Whether this program can connect to a bus at all.
    package static let isAvailable = false

    private let stateChanged: @Sendable (State) -> Void

    /// Reports why there are no events, once ``run()`` is called.
    package init(
        address: Address = .system,
        stateChanged: @escaping @Sendable (State) -> Void = { _ in },
        handle: @escaping @Sendable (LoginEvent) -> Void
    ) {
        self.stateChanged = stateChanged
    }

    /// Why there are no events.
    package var state: State { .noBus("this program is linked statically, and has no system bus") }

    /// Reports ``state``.
    package func run() { stateChanged(state) }

    /// Does nothing: ``run()`` does not wait.
    package func stop() {}
}
