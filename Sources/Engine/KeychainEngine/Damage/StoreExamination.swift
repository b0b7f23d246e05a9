// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// Reads a store that may be damaged, with the keys that there are.
struct StoreExamination {
    let salvage: SalvagedStore
    /// The bytes of the keybag, authenticated.
    let keybag: [UInt8]
    private var judge: RowJudge

    /// Opens what there is in a folder.
    ///
    /// - Parameters:
    ///   - salvage: the file and its log.
    ///   - folder: the folder, for the root key.
    ///   - device: the sources of root keys.
    ///   - unlocked: the keys of an unlocked device, and the keybag that they are of; `nil` for those that take no
    ///     passcode.
    /// - Throws: ``Obstacle``.
    init(
        _ salvage: SalvagedStore,
        in folder: PrivateDirectory,
        _ device: DeviceOptions,
        unlocked: UnlockedStore?
    ) throws(Obstacle) {
        self.salvage = salvage
        if let version = salvage.version, !Self.versions.contains(version.version) { throw .otherFormat(version) }
        guard let keybag = salvage.keybag else {
            throw salvage.version == nil ? .notAStore : .damagedKeybag("there is none")
        }
        self.keybag = keybag
        if let unlocked, unlocked.keybag == keybag {
            judge = RowJudge(unlocked.sealer)
            return
        }
        do throws(RootKeyError) {
            judge = RowJudge(Sealer(try Self.open(keybag, in: folder, device)))
        } catch {
            switch error {
            case .protection(.damagedKeybag(let why)): throw .damagedKeybag(why)
            case .protection(.newerKeybag), .protection(.unsupportedRootKey):
                throw .unsupported(KeychainError(error).reason)
            default: throw .lostRootKey(KeychainError(error).reason)
            }
        }
    }

    /// Those of this format, whose features a store gets again by itself.
    private static let versions = FileFormat.baseVersion...FileFormat.version

    private static func open(
        _ keybag: [UInt8],
        in folder: PrivateDirectory,
        _ device: DeviceOptions
    ) throws(RootKeyError) -> OpenKeybag {
        let owner: StoreOwner
        do { owner = try KeybagOrigin(keybag).owner } catch { throw .protection(error) }
        let rootKey = try device.rootKeys.rootKey(of: keybag, in: folder, owner: owner)
        do {
            return try OpenKeybag(keybag, rootKey: rootKey, owner: owner, floor: device.passwordFloor)
        } catch {
            throw .protection(error)
        }
    }

    /// Why nothing in a store can be opened.
    enum Obstacle: Error {
        case notAStore
        case otherFormat(FileVersion)
        case damagedKeybag(String)
        case unsupported(String)
        case lostRootKey(String)

        /// One sentence, and what can be done.
        var text: String {
            switch self {
            case .notAStore: "it is not a keychain store, or nothing of one is left; \(Self.backup)"
            case .otherFormat(let version):
                if version.version < FileFormat.baseVersion {
                    "the store has format \(version); any program of this version that opens it brings it up to date"
                } else {
                    "the store has format \(version), written by a newer version; "
                        + (version.canBeRead() ? "its items can be read here, but only " : "only ")
                        + "keychainctl of that version checks and repairs it"
                }
            case .damagedKeybag(let why):
                "the keys of the store are damaged (\(why)), and nothing opens without them; \(Self.backup)"
            case .unsupported(let why): why
            case .lostRootKey(let why):
                "\(why). Without its root key, nothing in the store opens, and no repair changes that: a recovery key opens "
                    + "it ('keychainctl recovery-key use'), or \(Self.backup)"
            }
        }

        private static let backup =
            "a backup has its items: 'keychainctl backup verify FILE' says whether it is whole, 'keychainctl backup list FILE' what "
            + "is in it, and 'keychainctl backup restore FILE' brings it back into a folder without a store"
    }

    /// What becomes of a row.
    enum Outcome {
        /// It stays, in quarantine for the reason given.
        case kept(NumberedRow)
        /// It leaves quarantine, or it was mended.
        case returned(NumberedRow)
        /// It stays or comes into quarantine, because another item has its primary key.
        case setAside(NumberedRow)
        case lost
    }

    /// Judges every row, and counts it in a report.
    mutating func forEachRow(
        into report: inout StoreReport,
        _ body: (Outcome) throws(KeychainError) -> Void = { _ in }
    ) throws(KeychainError) {
        var (judge, counts) = (judge, report)
        defer { (self.judge, report) = (judge, counts) }
        let versions = try RowVersions(salvage, &judge)
        var place = -1
        try salvage.forEachRow { (salvaged) throws(KeychainError) in
            place += 1
            let judgement: RowJudge.Judgement
            if let known = versions.judgements[place] {
                judgement = known
            } else {
                judgement = try judge.judge(salvaged)
            }
            if let reason = versions.leftOut[place] {
                let attributes = judge.attributes(of: salvaged.row.row)
                Self.add(salvaged.row, .earlier, reason: reason.rawValue, attributes: attributes, to: &counts)
                return
            }
            let outcome = Self.outcome(of: salvaged.row, judgement, by: judge, into: &counts)
            switch outcome {
            case .kept(let row) where versions.setAside.contains(place),
                .returned(let row) where versions.setAside.contains(place):
                let damage = RowDamage.contradiction.rawValue
                try body(.setAside(NumberedRow(number: row.number, row: row.row, damage: damage)))
            default: try body(outcome)
            }
        }
        if salvage.lostPages > 0 {
            counts.add(
                .rows,
                "\(salvage.lostPages) page\(salvage.lostPages == 1 ? "" : "s") of the file cannot be read, and what was in "
                    + "them is lost"
            )
        }
        if salvage.lostCells > 0 {
            counts.add(
                .rows,
                "\(salvage.lostCells) item\(salvage.lostCells == 1 ? " is" : "s are") lost of which nothing can be read"
            )
        }
    }

    private static func outcome(
        of row: NumberedRow,
        _ judgement: RowJudge.Judgement,
        by judge: RowJudge,
        into report: inout StoreReport
    ) -> Outcome {
        let isQuarantined = row.damage != nil
        func add(_ reason: String, _ fate: DamagedItem.Fate, attributes: Attributes? = nil) {
            Self.add(row, fate, reason: reason, attributes: attributes, to: &report)
        }
        switch judgement {
        case .intact:
            guard isQuarantined else {
                report.intactRows += 1
                return .kept(row)
            }
            add("it was set aside, and opens now", .opens, attributes: judge.attributes(of: row.row))
            return .returned(NumberedRow(number: row.number, row: row.row, damage: nil))
        case .locked:
            report.lockedRows += 1
            if isQuarantined { add("it was set aside, and its keys are locked", .locked) }
            return .kept(row)
        case .destroyed:
            report.destroyedRows += 1
            return .kept(row)
        case .mended(let mended, let damage):
            add(damage.text, .mendable, attributes: judge.attributes(of: mended))
            return .returned(NumberedRow(number: row.number, row: mended, damage: nil))
        case .lost(let damage, let attributes):
            add(damage.text, .lost, attributes: attributes)
            return .lost
        }
    }

    private static func add(
        _ row: NumberedRow,
        _ fate: DamagedItem.Fate,
        reason: String,
        attributes: Attributes?,
        to report: inout StoreReport
    ) {
        report.damagedItems.append(
            DamagedItem(
                itemClass: row.row.itemClass,
                reason: reason,
                isQuarantined: row.damage != nil,
                fate: fate,
                names: names(row.row.itemClass, attributes)
            )
        )
    }

    /// The attributes by which people know an item.
    private static func names(_ itemClass: ItemClass, _ attributes: Attributes?) -> [AttributeName: String] {
        guard let attributes else { return [:] }
        var names: [AttributeName: String] = [:]
        for name in [AttributeName.label, .service, .account, .server, .accessGroup] {
            guard let value = attributes[name] else { continue }
            switch value {
            case .string(let text): names[name] = text
            case .data(let bytes): names[name] = String(validating: bytes, as: UTF8.self)
            default: break
            }
        }
        return names
    }
}

/// The keys of a store that was unlocked, and its keybag.
struct UnlockedStore {
    let keybag: [UInt8]
    let sealer: Sealer

    /// Unlocks the store of a folder by its passcode; the attempt counts.
    ///
    /// - Throws: ``KeychainError`` for a wrong passcode, and for a store that programs refuse.
    private init(
        at location: KeychainLocation,
        _ salvage: SalvagedStore,
        _ device: DeviceOptions,
        passcode: SecretBytes
    ) throws(KeychainError) {
        let owner = salvage.keybag.flatMap { try? KeybagOrigin($0).owner }
        let keychain = EmbeddedKeychain(at: location, of: owner ?? .embedded, device)
        try keychain.device.unlock(passcode: passcode)
        (keybag, sealer) = try keychain.withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in (try reader.keybag(), engine.device) }
        }
    }

    /// The same; `nil`, with a note, for a store so damaged that no program opens it: an attempt cannot be counted in
    /// it, so none is made.
    static func unlock(
        _ salvage: SalvagedStore,
        at location: KeychainLocation,
        _ device: DeviceOptions,
        passcode: SecretBytes,
        noting report: inout StoreReport
    ) throws(KeychainError) -> UnlockedStore? {
        do throws(KeychainError) {
            return try UnlockedStore(at: location, salvage, device, passcode: passcode)
        } catch {
            guard error.keepsProgramsOut else { throw error }
            report.add(
                .device,
                "the passcode could not be tried, because no program opens the store as it is; items behind it are taken as found, "
                    + "and 'keychainctl check --unlock' looks at them once the store is repaired",
                isDamage: false
            )
            return nil
        }
    }
}

extension KeychainError {
    /// Whether no program opens the store as it is, whatever the passcode: also where a damaged header claims to be of
    /// another format.
    fileprivate var keepsProgramsOut: Bool {
        switch kind {
        case .storage(let failure):
            [.damaged, .unreadableLog, .newerFormat, .unreleasedFormat, .inputOutput, .other].contains(failure)
        case .keys(.damagedKeybag): true
        default: false
        }
    }
}
