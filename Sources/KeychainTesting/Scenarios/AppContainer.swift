// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What an app keeps outside of the keychain, and what goes when it is deleted: its settings.
final class AppContainer: @unchecked Sendable {
    // Both guarded by the lock.
    private var settings: [String: Any]
    private var registered: [String: Any] = [:]
    private let lock = NSLock()

    init(settings: [String: Any] = [:]) { self.settings = settings }

    /// A copy, as a backup makes it.
    func copy() -> AppContainer { AppContainer(settings: lock.withLock { settings }) }

    /// `UserDefaults` that read and write the settings: a new object each time, because the class is not `Sendable`.
    var defaults: UserDefaults {
        guard let defaults = ContainerDefaults(self) else {
            preconditionFailure("UserDefaults refuses to be made without a suite")
        }
        return defaults
    }

    fileprivate subscript(name: String) -> Any? {
        get { lock.withLock { settings[name] ?? registered[name] } }
        set { lock.withLock { settings[name] = newValue } }
    }

    fileprivate var all: [String: Any] { lock.withLock { registered.merging(settings) { _, new in new } } }

    fileprivate func register(_ defaults: [String: Any]) {
        lock.withLock { registered.merge(defaults) { _, new in new } }
    }
}

/// `UserDefaults` that never touch the host's files.
///
/// All other accessors go through these.
private final class ContainerDefaults: UserDefaults {
    private let container: AppContainer

    init?(_ container: AppContainer) {
        self.container = container
        super.init(suiteName: nil)
    }

    override func object(forKey name: String) -> Any? { container[name] }
    override func set(_ value: Any?, forKey name: String) { container[name] = value }
    override func set(_ url: URL?, forKey name: String) { container[name] = url }
    override func url(forKey name: String) -> URL? { container[name] as? URL }
    override func removeObject(forKey name: String) { container[name] = nil }
    override func register(defaults: [String: Any]) { container.register(defaults) }
    override func dictionaryRepresentation() -> [String: Any] { container.all }
    override func synchronize() -> Bool { true }
}
