// SPDX-License-Identifier: Apache-2.0

import KeychainAuthenticators
import KeychainCore
import KeychainDoctor
import KeychainEngine
package import KeychainFiles
import KeychainHost
package import KeychainMacFrontEnd
import KeychainProtection
import KeychainServices

/// The file-based keychains of a virtual Mac: a home folder of its own with a login keychain, whose password is the
/// passcode of the device, and which is unlocked with the session.
package final class MacKeychains: Sendable {
    private let folder: DeviceFolder

    /// Performs commands on the files.
    package let files: KeychainFiles

    /// The search list and the default keychain.
    package let preferences: KeychainPreferences

    /// Whether programs on the Mac may prompt.
    private let interaction = UserInteraction()

    /// Makes a home folder with a login keychain.
    init(passcode: String?, _ owner: Owner, _ clock: VirtualClock) throws(VirtualDeviceError) {
        folder = try DeviceFolder()
        var options = DeviceOptions(authenticator: owner.authenticator, hostClock: clock.host)
        options.passwordWork = .minimum
        files = KeychainFiles(device: options, clock: clock.dates)
        preferences = KeychainPreferences(
            home: KeychainHome(path: folder.path(of: "home")),
            systemFolder: folder.path(of: "system")
        )
        do throws(KeychainError) { try makeLoginKeychain(passcode) } catch { throw VirtualDeviceError(error) }
    }

    private func makeLoginKeychain(_ passcode: String?) throws(KeychainError) {
        let path = preferences.home.newKeychainPath("login.keychain")
        try files.files.create(at: path, password: Self.password(passcode))
        // That of a Mac stays unlocked until its user logs out.
        try files.files.setSettings(KeychainFileSettings(locksOnSleep: false, lockInterval: nil), at: path)
        try preferences.recordCreation(of: path)
    }

    /// The front end before both keychains.
    func frontEnd(_ dataProtection: any KeychainBackend, _ fileBased: FileBasedKeychain) -> any KeychainBackend {
        FrontEndKeychain(dataProtection: dataProtection, files: fileBased)
    }

    /// The item functions on the files, with an owner who is prompted for the password of a locked keychain.
    func fileBased(
        for owner: Owner,
        clock: VirtualClock,
        judge: any CertificateJudge
    ) -> FileBasedKeychain {
        FileBasedKeychain(
            files,
            preferences,
            program: ProcessClient.program,
            unlocker: KeychainUnlocker(owner.authenticator, interaction: interaction),
            judge: judge,
            now: { clock.dates.now }
        )
    }

    /// The contents of the files, as far as they are visible without their passwords, for an explanation of a call.
    ///
    /// It counts as locked if the keychain that the call needs is: that of an add, else any that has items.
    func known(for function: ItemFunction) -> KnownFileKeychain {
        guard let paths = try? preferences.searchList() else { return .unknown }
        let target = (try? preferences.defaultKeychain()) ?? nil
        var items: [PropertyDictionary] = []
        var (isMissing, isLocked) = (true, false)
        for path in paths {
            guard let status = try? files.files.status(at: path), let found = try? files.files.items(at: path) else {
                continue
            }
            isMissing = false
            items += found.map { item in
                var dictionary = PropertyDictionary(item.attributes)
                dictionary[PropertyKey.itemClass] = .string(item.itemClass.rawValue)
                return dictionary
            }
            if status.isLocked, function == .add ? path.isSamePath(as: target) : !found.isEmpty { isLocked = true }
        }
        // A copy fails for lack of a keychain only if none is named anywhere.
        if function == .copyMatching { isMissing = paths.isEmpty && target == nil }
        return isMissing || function == .add && target == nil ? .missing : .items(items, isLocked: isLocked)
    }

    /// Removes every keychain of the search list, and creates an empty login keychain for a user without a passcode.
    func erase() throws(KeychainError) {
        for path in try preferences.searchList() {
            try? files.files.delete(at: path)
            try preferences.recordRemoval(of: path)
        }
        try preferences.setDefaultKeychain(preferences.home.newKeychainPath("login.keychain"))
        try makeLoginKeychain(nil)
    }

    // MARK: - The session

    /// Unlocks the login keychain, as a login does; one with another password stays locked.
    func logIn(_ passcode: String) {
        guard let path = preferences.loginKeychain else { return }
        try? files.files.unlock(at: path, password: Self.password(passcode))
    }

    /// Locks every keychain.
    func logOut() { try? files.files.lockAll() }

    /// Changes the password of the login keychain with that of the user.
    func changePasscode(from old: String?, to new: String?) {
        guard let path = preferences.loginKeychain else { return }
        try? files.files.changePassword(at: path, from: Self.password(old), to: Self.password(new))
    }

    private static func password(_ passcode: String?) -> SecretBytes {
        VirtualDevice.secret(passcode ?? "")
    }
}
