// SPDX-License-Identifier: Apache-2.0

import KeychainDoctor
import KeychainServices

extension VirtualDevice {
    /// Installs an app.
    ///
    /// Items that an earlier app with the same groups left behind are still in the keychain. Entitlements that no
    /// signature can contain make the test fail; see ``Entitlements/problems(on:)``.
    public func install(_ entitlements: Entitlements) -> App { App(entitlements, on: self) }

    /// Installs an app that has a bundle identifier and a team, and no further entitlements.
    public func install(_ bundleIdentifier: String = "com.example.app", team: String = "TEAMID1234") -> App {
        install(Entitlements(team: team, bundleIdentifier: bundleIdentifier))
    }
}

extension App {
    /// Replaces the app by a version with other entitlements; it is the same app of the same team.
    ///
    /// Code that runs as the app sees them at its next call. Items stay in their groups, whether or not the app can
    /// access them. A bundle identifier or a team other than the app's makes the test fail: that is another app, or
    /// ``transfer(toTeam:)``.
    public func update(to entitlements: Entitlements) {
        let old = self.entitlements
        guard old.applicationIdentifier == entitlements.applicationIdentifier else {
            return TestingKit.reportFailure(
                "An update cannot make \(entitlements.applicationIdentifier) of \(old.applicationIdentifier)."
            )
        }
        Self.check(entitlements, on: device)
        state.withLock { $0.entitlements = entitlements }
    }

    /// Replaces the app by a version with changed entitlements.
    public func update(_ change: (inout Entitlements) -> Void) {
        var entitlements = entitlements
        change(&entitlements)
        update(to: entitlements)
    }

    /// Replaces the app, and its extensions, by a version that another team signed.
    ///
    /// All groups get that team's prefix. Items in the groups of the old team stay there, inaccessible to the app.
    public func transfer(toTeam team: String) {
        let (entitlements, extensions) = state.withLock { state in
            state.entitlements.team = team
            return (state.entitlements, state.extensions)
        }
        Self.check(entitlements, on: device)
        for part in extensions { part.transfer(toTeam: team) }
    }

    /// Removes the app and its extensions from the device; the keychain keeps their items, as on iOS.
    ///
    /// Nothing can run as the app any longer: a call fails with `errSecNotAvailable`, and makes the test fail.
    public func uninstall() { setInstalled(false) }

    /// Installs the app and its extensions again, as they were.
    public func reinstall() { setInstalled(true) }

    private func setInstalled(_ isInstalled: Bool) {
        let (wasInstalled, extensions) = state.withLock { state in
            defer { state.isInstalled = isInstalled }
            return (state.isInstalled, state.extensions)
        }
        if isInstalled, !wasInstalled {
            device.calls.record(.reinstalled(client: entitlements.applicationIdentifier))
        }
        for part in extensions { part.setInstalled(isInstalled) }
    }

    /// Installs an extension of the app: a program of the same team with a bundle identifier and entitlements of its
    /// own.
    ///
    /// ``transfer(toTeam:)``, ``uninstall()`` and ``reinstall()`` of the app apply to it as well.
    ///
    /// - Parameters:
    ///   - name: the suffix that follows the app's bundle identifier and a dot in the extension's bundle identifier.
    ///   - keychainAccessGroups: its keychain access groups, without the team's prefix; groups that the app also has
    ///     are shared.
    ///   - applicationGroups: its app groups.
    ///   - kind: the kind of program; an app clip is installed like an extension.
    /// - Returns: The extension.
    public func installExtension(
        _ name: String = "extension",
        keychainAccessGroups: [String] = [],
        applicationGroups: [String] = [],
        kind: Entitlements.Kind = .app
    ) -> App {
        let app = entitlements
        let entitlements = Entitlements(
            team: app.team,
            bundleIdentifier: "\(app.bundleIdentifier).\(name)",
            keychainAccessGroups: keychainAccessGroups,
            applicationGroups: applicationGroups,
            kind: kind
        )
        let part = App(entitlements, on: device)
        let isInstalled = state.withLock { state in
            state.extensions.append(part)
            return state.isInstalled
        }
        part.setInstalled(isInstalled)
        return part
    }
}
