// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Checks the files of a store, and changes nothing.
///
/// It also reads what SQLite refuses, so that it says what is left of a damaged store.
package struct StoreCheck: Sendable {
    private let location: KeychainLocation
    private let device: DeviceOptions
    private let options: StoreOptions

    /// The store of a folder.
    package init(
        at location: KeychainLocation,
        _ device: DeviceOptions = DeviceOptions(),
        _ options: StoreOptions = StoreOptions()
    ) {
        self.location = location
        self.device = device
        self.options = options
    }

    /// The owner of the store as its keybag records it; `nil` if there is no store, or its keybag is damaged.
    ///
    /// The store is not left open.
    package var owner: StoreOwner? {
        guard let folder = (try? PrivateDirectory(asItIs: location)) ?? nil, FolderCheck(folder).obstacle == nil,
            let log = try? LogCondition(in: folder),
            let keybag = try? SalvagedStore(in: folder, ignoringLog: !log.isUsed).keybag
        else { return nil }
        return try? KeybagOrigin(keybag).owner
    }

    /// Checks files, structure, keys and rows.
    ///
    /// - Parameter passcode: the passcode, for the rows whose keys it unlocks, which counts as an attempt; `nil` to
    ///   leave these rows out.
    /// - Returns: What was found.
    /// - Throws: ``KeychainError`` for a wrong passcode, and while another process has the store for itself.
    package func run(passcode: SecretBytes? = nil) throws(KeychainError) -> StoreReport {
        var report = StoreReport(folder: location.path)
        let folder: PrivateDirectory?
        do { folder = try PrivateDirectory(asItIs: location) } catch { throw KeychainError(error) }
        guard let folder else {
            report.obstacle = "there is no keychain of this user in \(location.path)"
            return report
        }
        let files = FolderCheck(folder)
        files.run(into: &report)
        guard folder.isTaken(Store.fileName) else {
            report.obstacle = "there is no keychain in \(location.path)"
            return report
        }
        // Opening a FIFO would wait for a writer, and SQLite does not say which file it stumbled on.
        if let obstacle = files.obstacle {
            report.obstacle = "\(obstacle)"
            return report
        }
        let log: LogCondition
        do throws(KeychainError) { log = try LogCondition(in: folder) } catch {
            report.obstacle = error.reason
            return report
        }
        report.add(log)
        let salvage = try SalvagedStore(in: folder, ignoringLog: !log.isUsed)
        // What its tables should have is not known here, so that nothing of it can be called damage.
        if let version = salvage.version, version.version > FileFormat.version {
            report.add(.otherFormat(version))
            return report
        }
        let defects = try StoreInspection(of: folder, log, options).defects
        for defect in defects { report.add(.structure, defect) }
        try examine(salvage, in: folder, passcode: passcode, into: &report)
        return report
    }

    private func examine(
        _ salvage: SalvagedStore,
        in folder: PrivateDirectory,
        passcode: SecretBytes?,
        into report: inout StoreReport
    ) throws(KeychainError) {
        let unlocked: UnlockedStore?
        if let passcode {
            unlocked = try UnlockedStore.unlock(salvage, at: location, device, passcode: passcode, noting: &report)
        } else {
            unlocked = nil
        }
        do throws(StoreExamination.Obstacle) {
            var examination = try StoreExamination(salvage, in: folder, device, unlocked: unlocked)
            report.addRecords(of: salvage)
            do throws(KeychainError) { try examination.forEachRow(into: &report) } catch {
                report.obstacle = error.reason
            }
        } catch {
            report.add(error)
        }
    }
}

extension StoreReport {
    mutating func add(_ log: LogCondition) {
        guard log.losesChanges else { return }
        add(.log, log.text, remedy: "'keychainctl repair --accept-lost-log' goes on without these changes")
    }

    /// Adds why nothing can be opened: damage, or a store that is not readable here.
    mutating func add(_ obstacle: StoreExamination.Obstacle) {
        switch obstacle {
        case .damagedKeybag: add(.keybag, obstacle.text)
        case .notAStore, .otherFormat, .unsupported, .lostRootKey: self.obstacle = obstacle.text
        }
    }
}

extension StoreReport {
    /// Adds what is damaged of the records of the whole store.
    mutating func addRecords(of salvage: SalvagedStore) {
        if salvage.deviceRecord == nil { add(.device, .missingDevice) }
        guard salvage.hasDamagedHistoryNumber else { return }
        add(
            .device,
            "the number of former values that are kept of all passwords is damaged; those with a number of their own keep it",
            remedy: "'keychainctl repair' removes it, and 'keychainctl history keep NUMBER --all' sets it again"
        )
    }
}

extension String {
    static let missingDevice =
        "the record of the device is damaged: the counts of wrong passcodes, and the policy of 'device set-policy'"
}

extension LogCondition {
    /// One sentence about a log that loses changes.
    var text: String {
        switch self {
        case .unneeded, .whole: "the log is in order"
        case .missing:
            "the log (keychain.db-wal) is missing: the latest changes are in it; put back both files of one copy"
        case .foreign:
            "the log (keychain.db-wal) is another store's, or of another time: the latest changes are missing; put back both "
                + "files of one copy"
        case .unreadable: "the log (keychain.db-wal) is damaged, and the latest changes with it"
        case .cut(let pages):
            "the log (keychain.db-wal) is damaged, or the computer stopped in the middle of a change: \(pages) "
                + "page\(pages == 1 ? "" : "s") behind its last whole change cannot be used"
        }
    }
}
