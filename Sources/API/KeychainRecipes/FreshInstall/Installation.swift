// SPDX-License-Identifier: Apache-2.0

public import Keychain

/// How an app came onto the device.
public enum Installation: String, Sendable, Hashable, CaseIterable {
    /// Never seen before: neither the app's own store nor the keychain has a mark.
    case fresh
    /// The same as at the last start.
    case known
    /// The app was reinstalled: its own store has no mark, and the keychain has that of an earlier installation, whose
    /// items still exist.
    case reinstalled
    /// The app's data came from a backup: its own store has a mark, and the keychain has none or another one. Items
    /// that cannot leave their device are missing.
    case restored
    /// It is unknown at the moment, because the device is locked or the app's own mark cannot be read. This is not
    /// ``fresh``: delete nothing, and check again later.
    case undetermined
}

/// Why an installation could not be marked, or its leftovers not be deleted.
public enum InstallationError: Error, Sendable {
    /// The app's own store did not accept the mark.
    case markNotWritten
    /// The app's own store cannot be read at the moment.
    case markNotReadable(InstallationMarkError)
    /// There is nothing that could be a leftover: the installation is this.
    case noLeftovers(Installation)
    /// The keychain failed.
    case keychain(KeychainItemError)
}
