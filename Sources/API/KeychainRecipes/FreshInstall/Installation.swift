// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// What an app can tell about how it came onto the device.
public enum Installation: String, Sendable, Hashable, CaseIterable {
    /// Never seen before: neither the app's own store nor the keychain has a mark.
    case fresh
    /// The same as at the last start.
    case known
    /// The app was reinstalled: its own store has no mark, and the keychain has that of an earlier installation, whose
    /// items are there still.
    case reinstalled
    /// The app's data came from a backup: its own store has a mark, and the keychain has none or another. Items that do
    /// not leave their device are not here.
    case restored
    /// It cannot be said now, because the device is locked or the app's own mark cannot be read. This is not ``fresh``:
    /// delete nothing, and ask again later.
    case undetermined
}

/// Why an installation could not be marked, or its leftovers not be deleted.
public enum InstallationError: Error, Sendable {
    /// The app's own store did not take the mark.
    case markNotWritten
    /// The app's own store cannot say now whether it has a mark.
    case markNotReadable(InstallationMarkError)
    /// There is nothing that could be a leftover: the installation is this.
    case noLeftovers(Installation)
    /// The keychain failed.
    case keychain(KeychainItemError)
}
