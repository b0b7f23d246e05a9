// SPDX-License-Identifier: Apache-2.0

import KeychainCore

/// The versions of the protocol between programs and a daemon (Documentation/Daemon.md, "Greeting").
///
/// Both sides say which range they support, and use the highest version that both do. A version adds commands, and
/// replies to them: what is encoded in an earlier version stays as it is, so that a daemon of a later version serves
/// programs of all earlier ones.
package enum ProtocolVersion {
    /// The versions that this program supports.
    package static let supported: ClosedRange<UInt16> = 1...4

    /// A range as people write it: "1 to 4", or "1".
    package static func text(_ range: ClosedRange<UInt16>) -> String {
        range.count == 1 ? "\(range.lowerBound)" : "\(range.lowerBound) to \(range.upperBound)"
    }
}

extension KeychainCommand {
    /// The first version of the protocol that has the command.
    package var protocolVersion: UInt16 {
        switch self {
        case .device(let command): command.protocolVersion
        case .maintenance(let command): command.protocolVersion
        case .lookup: 3
        case .history: 4
        case .files(let command): command.protocolVersion
        case .items, .explain, .itemsExplained, .authentication, .enclave: 1
        }
    }
}

extension KeychainCommand.Device {
    fileprivate var protocolVersion: UInt16 {
        switch self {
        case .status, .lock, .lockThisProcess, .unlock, .setPasscode, .changePasscode, .removePasscode, .setPolicy: 1
        case .summary, .createRecoveryKey, .checkRecoveryKey, .useRecoveryKey, .removeRecoveryKey, .erase: 2
        }
    }
}

extension KeychainCommand.Maintenance {
    fileprivate var protocolVersion: UInt16 {
        switch self {
        case .check, .recover, .rootKeyStatus, .replaceRootKey, .takeOver, .giveBack, .move, .auditLog: 1
        case .createBackup, .restoreBackup, .setBackupSecret, .storeStatus, .downgradeStore, .moveGroup: 2
        }
    }
}

extension KeychainFileCommand {
    fileprivate var protocolVersion: UInt16 {
        guard case .keychain(_, let action) = self else { return 1 }
        return switch action {
        case .create, .delete, .lock, .unlock, .status, .setSettings, .changePassword, .items, .find, .secret, .access,
            .add, .update, .setPartitions, .remove:
            1
        case .details, .setLabel, .lookup: 3
        }
    }
}
