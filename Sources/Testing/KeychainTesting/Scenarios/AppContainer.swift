// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The data of an app outside of the keychain, which is deleted with the app: its settings.
final class AppContainer: Sendable {
    private let values = Guarded(Values())

    private struct Values {
        var settings: [String: Any] = [:]
        var registered: [String: Any] = [:]
    }

    /// A copy, as in a backup.
    func copy() -> AppContainer {
        let copy = AppContainer()
        values.withLock { values in copy.values.withLock { $0.settings = values.settings } }
        return copy
    }

    /// `UserDefaults` that read and write the settings: a new object each time, because the class is not `Sendable`.
    var defaults: UserDefaults {
        guard let defaults = ContainerDefaults(self) else {
            preconditionFailure("UserDefaults refuses to be made without a suite")
        }
        return defaults
    }

    fileprivate subscript(name: String) -> Any? {
        get { values.withLock { $0.settings[name] ?? $0.registered[name] } }
        set { values.withLock { $0.settings[name] = newValue } }
    }

    fileprivate var all: [String: Any] {
        values.withLock { $0.registered.merging($0.settings) { _, new in new } }
    }

    fileprivate func register(_ defaults: [String: Any]) {
        values.withLock { $0.registered.merge(defaults) { _, new in new } }
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
