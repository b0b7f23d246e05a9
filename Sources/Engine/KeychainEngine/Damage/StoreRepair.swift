// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Makes a new store of what is left of a damaged one, and puts it in its place.
///
/// The former files stay, under names of their own. Rows that open or are locked are taken as they are, rows in
/// quarantine that open leave it, and a row that cannot be had back is left out. Nothing is taken for readable that
/// does not authenticate.
package struct StoreRepair: Sendable {
    private let location: KeychainLocation
    private let device: DeviceOptions
    private let options: StoreOptions

    /// Told before each step that changes a file, for tests.
    package var willChange: @Sendable (_ step: String) -> Void = { _ in }

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

    /// What a repair did, or would do.
    package struct Outcome: Sendable {
        /// What was wrong.
        package var before: StoreReport
        /// How many rows the new store has.
        package var rows = 0
        /// How many of these left quarantine, or were mended.
        package var returnedRows = 0
        /// How many stay in quarantine, because another item has their primary key.
        package var setAsideRows = 0
        /// The files of the former store; empty if nothing was changed.
        package var kept: [String] = []
        /// Whether the new store is in place.
        package var isDone = false

        /// Whether there is anything that a repair changes.
        package var isNeeded: Bool {
            before.findings.contains(where: \.isDamage) || before.damagedItems.contains { $0.fate != .locked }
        }

        /// The items that are lost.
        package var lostItems: [DamagedItem] { before.damagedItems.filter { $0.fate == .lost } }
    }

    /// Finds out what a repair would do; nothing is changed.
    package func plan(passcode: SecretBytes? = nil) throws(KeychainError) -> Outcome { try plan(look(passcode)) }

    private func plan(_ subject: Subject) throws(KeychainError) -> Outcome {
        var outcome = Outcome(before: subject.report)
        guard var examination = try outcome.examination(of: subject, device) else { return outcome }
        try outcome.judgeRows(&examination)
        return outcome
    }

    /// Repairs the store if anything is wrong with it.
    ///
    /// - Parameters:
    ///   - passcode: the passcode, for the rows whose keys it unlocks; `nil` to take these rows as they are.
    ///   - acceptsLostLog: whether to go on without changes that were in a log.
    ///   - date: the end of the names of the former files.
    ///   - confirm: whether to make the new store and put it in place. Nothing is written before: a process that ends
    ///     meanwhile leaves nothing.
    /// - Returns: What was done.
    /// - Throws: ``KeychainError``, for example while another process uses the store; it is unchanged in that case.
    package func run(
        passcode: SecretBytes? = nil,
        acceptsLostLog: Bool = false,
        date: String,
        confirm: (Outcome) -> Bool
    ) throws(KeychainError) -> Outcome {
        var subject = try look(passcode)
        let planned = try plan(subject)
        guard planned.before.obstacle == nil, planned.isNeeded else { return planned }
        guard acceptsLostLog || !subject.log.losesChanges else { throw .lostLog(subject.log) }
        let replacement = try StoreReplacement(in: subject.folder, options)
        replacement.willChange = willChange
        // The process that has closed it last may have written the log back.
        subject.log = try LogCondition(in: subject.folder)
        guard acceptsLostLog || !subject.log.losesChanges else { throw .lostLog(subject.log) }
        var outcome = Outcome(before: subject.report)
        guard var examination = try outcome.examination(of: subject, device) else { return outcome }
        var (expected, judged) = (outcome, examination)
        try expected.judgeRows(&judged)
        guard confirm(expected) else { return expected }
        try makeStore(of: &examination, by: replacement, &outcome)
        outcome.kept = try replacement.keepFormer(date)
        try replacement.publish(subject.log, kept: outcome.kept)
        outcome.isDone = true
        return outcome
    }

    /// A store, before its rows are judged.
    fileprivate struct Subject {
        let folder: PrivateDirectory
        var log: LogCondition
        let report: StoreReport
        let unlocked: UnlockedStore?

        /// Its file and its log.
        func salvage() throws(KeychainError) -> SalvagedStore {
            try SalvagedStore(in: folder, ignoringLog: !log.isUsed)
        }
    }

    private func look(_ passcode: SecretBytes?) throws(KeychainError) -> Subject {
        guard let folder = try usableFolder(), try Store.exists(in: folder) else { throw .noStoreToRepair(location) }
        var report = StoreReport(folder: location.path)
        // An attempt is counted in the store, so it comes before everything else.
        var unlocked: UnlockedStore?
        if let passcode {
            let isUsed = try LogCondition(in: folder).isUsed
            let salvage = try SalvagedStore(in: folder, ignoringLog: !isUsed)
            unlocked = try UnlockedStore.unlock(salvage, at: location, device, passcode: passcode, noting: &report)
        }
        let log = try LogCondition(in: folder)
        report.add(log)
        for defect in try StoreInspection(of: folder, log, options).defects { report.add(.structure, defect) }
        return Subject(folder: folder, log: log, report: report, unlocked: unlocked)
    }

    /// Refuses a folder in which something else is in the place of a file or a lock, by its name: nothing that opens
    /// the store says which it stumbled on.
    package func checkFiles() throws(KeychainError) { _ = try usableFolder() }

    private func usableFolder() throws(KeychainError) -> PrivateDirectory? {
        let folder: PrivateDirectory?
        do { folder = try PrivateDirectory(existing: location) } catch { throw KeychainError(error) }
        guard let folder else { return nil }
        if let obstacle = FolderCheck(folder).obstacleToChange { throw KeychainError(StoreError.file(obstacle)) }
        return folder
    }

    private func makeStore(
        of examination: inout StoreExamination,
        by replacement: StoreReplacement,
        _ outcome: inout Outcome
    ) throws(KeychainError) {
        var record = examination.salvage.deviceRecord ?? DeviceRecord()
        // The former keybag and rows are in the files that are kept, not in a log.
        record.owesLogErasure = false
        var (changed, examined) = (outcome, examination)
        defer { (outcome, examination) = (changed, examined) }
        try replacement.makeNew(keybag: examination.keybag, record) { (writer) throws(KeychainError) in
            // With what the store has to declare of it.
            try writer.replaceKeybag(examined.keybag)
            try changed.judgeRows(&examined, writer)
            // What was listed of lookup attributes is derived from the rows again, once they are unlocked.
            if examined.salvage.version?.mayUse(.lookupAttributes) ?? true { try writer.recordUnlistedRows() }
            if let number = examined.salvage.historyNumber {
                try writer.setHistoryNumber(number)
            } else if examined.salvage.version?.mayUse(.history) ?? true {
                // Items go on with the number that each has recorded.
                try writer.adopt(.history)
            }
        }
    }
}

extension StoreRepair.Outcome {
    /// The store with its keys; `nil` if nothing in it opens, which the report then says.
    fileprivate mutating func examination(
        of subject: StoreRepair.Subject,
        _ device: DeviceOptions
    ) throws(KeychainError) -> StoreExamination? {
        let salvage = try subject.salvage()
        do throws(StoreExamination.Obstacle) {
            let examination = try StoreExamination(
                salvage,
                in: subject.folder,
                device,
                unlocked: subject.unlocked
            )
            before.addRecords(of: salvage)
            return examination
        } catch {
            before.obstacle = error.text
            return nil
        }
    }

    /// Judges every row, and adds those that are kept to a new store, if there is one.
    fileprivate mutating func judgeRows(
        _ examination: inout StoreExamination,
        _ writer: RowWriter? = nil
    ) throws(KeychainError) {
        var (report, places) = (before, RowPlaces())
        var counts = (rows: 0, returned: 0, setAside: 0)
        try examination.forEachRow(into: &report) { (outcome) throws(KeychainError) in
            let row: NumberedRow
            switch outcome {
            case .lost: return
            case .kept(let kept), .setAside(let kept): row = kept
            case .returned(let returned): (row, counts.returned) = (returned, counts.returned + 1)
            }
            guard let placed = places.place(row) else { return }
            if let writer {
                let moved = MovedRow(number: placed.number, row: placed.row, damage: placed.damage)
                guard try writer.insert(moved) else { return }
            }
            counts.rows += 1
            if case .setAside = outcome {
                counts.setAside += 1
            } else if placed.damage != row.damage {
                counts.setAside += 1
            }
        }
        before = report
        (rows, returnedRows, setAsideRows) = counts
    }
}

/// The numbers of rows in a new store, which keeps those that are valid and free, and the constraints of its tables: so
/// a plan knows what will be written.
private struct RowPlaces {
    private var tables: [ItemClass: Table] = [:]
    /// After the rows that have kept their numbers, of all classes.
    private var last: Int64 = 0

    private struct Table {
        var numbers: Set<Int64> = []
        var identifiers: Set<ItemIdentifier> = []
        var primaryKeys: Set<SearchTag> = []
    }

    /// The row as it gets into the store; `nil` if one of its identifier is there.
    ///
    /// If another row has its primary key, it is in quarantine.
    mutating func place(_ row: NumberedRow) -> NumberedRow? {
        var table = tables.removeValue(forKey: row.row.itemClass) ?? Table()
        defer { tables[row.row.itemClass] = table }
        guard table.identifiers.insert(row.row.identifier).inserted else { return nil }
        let isFree = Self.valid.contains(row.number) && !table.numbers.contains(row.number)
        let number = isFree ? row.number : last + 1
        table.numbers.insert(number)
        last = max(last, number)
        var damage = row.damage
        if damage == nil, !table.primaryKeys.insert(row.row.primaryKeyTag).inserted {
            damage = RowDamage.contradiction.rawValue
        }
        return NumberedRow(number: number, row: row.row, damage: damage)
    }

    /// Numbers after which there is room for more.
    private static let valid: ClosedRange<Int64> = 1...(1 << 61)
}

extension KeychainError {
    fileprivate static func noStoreToRepair(_ location: KeychainLocation) -> KeychainError {
        KeychainError(.notAvailable, "there is no keychain in \(location.path)", kind: .unavailable)
    }

    fileprivate static func lostLog(_ log: LogCondition) -> KeychainError {
        KeychainError(
            .notAvailable,
            "\(log.text). With --accept-lost-log the store is repaired without them: items that were added or changed last may be "
                + "missing or as they were before, and items that were deleted last may be there again",
            kind: .storage(.unreadableLog)
        )
    }
}
