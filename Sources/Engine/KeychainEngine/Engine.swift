// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// The rules of the keychain over one store and one device: no global state, no file names, no Foundation.
///
/// Each operation is a file in `Operations/`. Not thread-safe: ``EngineAccess`` admits one call at a time, and retries
/// it if another process held the store.
final class Engine {
    let store: Store
    /// Another one after the store got it by this engine.
    var rootKey: any RootKey
    /// The source that keeps root keys, including this one.
    let rootKeys: RootKeySources
    /// Where the store lies; `nil` for one in memory.
    let folder: PrivateDirectory?
    let session: DeviceSession
    /// Whose stores are opened.
    let owner: StoreOwner
    /// The minimum derivation work that a passcode or password may specify.
    let floor: ScryptFloor
    let clock: any KeychainClock
    let random: any RandomSource
    /// Evaluates whether certificates are trusted; `nil` for no evaluation.
    let certificateJudge: (any CertificateJudge)?
    /// What is sealed for passwords instead of their bare secrets; `nil` for these.
    let secretForm: (any SecretForm)?

    /// Where locks are detected; `nil` for a keychain in memory.
    let lockMark: LockMark?

    /// Whether the current call has committed a change.
    private(set) var hasChanged = false

    /// The keybag that was read last, its revision, and search tags that were created with it.
    private var opened: (revision: Int64, keybag: OpenKeybag, tags: SearchTagCache)?

    /// The keys that the current transaction, or the last one of the call, may use.
    ///
    /// Between calls, only the session holds unlocked keys.
    private var current: Sealer?

    init(
        store: Store,
        rootKey: any RootKey,
        rootKeys: RootKeySources,
        folder: PrivateDirectory?,
        session: DeviceSession,
        owner: StoreOwner,
        floor: ScryptFloor,
        clock: any KeychainClock,
        random: any RandomSource,
        certificateJudge: (any CertificateJudge)?,
        secretForm: (any SecretForm)?
    ) {
        self.store = store
        self.rootKey = rootKey
        self.rootKeys = rootKeys
        self.folder = folder
        lockMark = folder.map(LockMark.init)
        self.session = session
        self.owner = owner
        self.floor = floor
        self.clock = clock
        self.random = random
        self.certificateJudge = certificateJudge
        self.secretForm = secretForm
    }

    /// Carries out a request.
    func perform(
        _ request: KeychainRequest,
        _ authorization: Authorization
    ) throws(KeychainError) -> KeychainAnswer {
        let client = request.client
        switch request.operationForDataProtection {
        case .add(let dictionary):
            var request = ItemRequest(function: .add, client: client, dictionary: dictionary)
            request.largestSecret = largestSecret
            return try add(request, authorization)
        case .copyMatching(let dictionary):
            let request = ItemRequest(function: .copyMatching, client: client, dictionary: dictionary)
            return try copyMatching(request, authorization)
        case .update(let query, let attributes):
            var request = ItemRequest(function: .update, client: client, dictionary: query, attributes: attributes)
            request.largestSecret = largestSecret
            try update(request, authorization)
        case .delete(let dictionary):
            try delete(ItemRequest(function: .delete, client: client, dictionary: dictionary), authorization)
        case .set(let query, let attributes, let addition):
            try set(
                ItemRequest(function: .update, client: client, dictionary: query, attributes: attributes),
                orAdd: ItemRequest(function: .add, client: client, dictionary: addition),
                authorization
            )
        }
        return .nothing
    }

    /// The size limit of what is sealed as the secret of an item.
    private var largestSecret: Int {
        owner == .keychainFile ? ItemLimits.fileContentsByteCount : ItemLimits.secretByteCount
    }
}

// MARK: - Transactions

extension Engine {
    /// The device as the transaction under way sees it.
    var device: Sealer {
        guard let current else { preconditionFailure("a device is only known inside a transaction") }
        return current
    }

    /// Search tags that were created with the keybag of ``device``.
    var searchTagCache: SearchTagCache? { opened?.tags }

    /// Reads the keybag of a store that was just opened, and does what an earlier process left to be done.
    func start() throws(KeychainError) {
        let record = try read { (reader) throws(KeychainError) in try reader.deviceRecord() }
        try migrate()
        if let folder, ReplacementMark(folder).isThere { try? settleRootKey() }
        if record.owesLogErasure { try? eraseLog() }
        try acceptInheritedUnlock()
        if session.currentUnlock != nil { try? resealFormerRows() }
        try? listLookupsIfDue()
    }

    /// Adopts the keybag of a store that was just created, whose record is the first one.
    func start(with made: NewKeybag) {
        let record = DeviceRecord()
        if let unlocked = made.unlocked { session.install(unlocked, of: stored(made.keybag, record), nil) }
        opened = (record.keybagRevision, made.keybag, SearchTagCache())
    }

    /// Forgets what an earlier call changed.
    func resetChanges() { hasChanged = false }

    /// Runs `body` on one state of the store and the device.
    func read<Result>(
        _ body: (RowReader) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try store.read { (reader) throws(KeychainError) in
            try refresh(reader)
            return try body(reader)
        }
    }

    /// Runs `body` as one change of the store and the device: durable when this returns, undone when it throws.
    func write<Result>(
        _ body: (RowWriter) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        if store.hasFormerTables {
            try read { (_) throws(KeychainError) in }
            try migrate()
        }
        let result = try store.write { (writer) throws(KeychainError) in
            try refresh(writer)
            return try body(writer)
        }
        hasChanged = true
        return result
    }

    /// Takes in what other processes did to the device: another keybag, a lock.
    private func refresh(_ reader: RowReader) throws(KeychainError) {
        let record = try reader.deviceRecord()
        let keybag: OpenKeybag
        if let opened, opened.revision == record.keybagRevision {
            keybag = opened.keybag
        } else {
            let bytes = try reader.keybag()
            do {
                keybag = try OpenKeybag(bytes, rootKey: rootKey, owner: owner, floor: floor)
                opened = (record.keybagRevision, keybag, SearchTagCache())
            } catch {
                // Whether these are still the keys of the store is unknown in that case.
                session.lock()
                opened = nil
                throw KeychainError(error)
            }
        }
        current = Sealer(keybag, session.keys(of: stored(keybag, record), lockMark), random: random)
    }

    /// The device with a keybag and a record of this engine's store.
    func stored(_ keybag: OpenKeybag, _ record: DeviceRecord) -> StoredDevice {
        StoredDevice(keybag: keybag, record: record, file: store.file)
    }

    /// This engine in the current transaction, but with another device state and time, to explain a call without
    /// changes.
    ///
    /// - Throws: `errSecInteractionNotAllowed` for a state with keys that are currently locked.
    func supposing(_ state: LockState?, at time: Timestamp?) throws(KeychainError) -> Engine {
        guard state != nil || time != nil else { return self }
        let other = Engine(
            store: store,
            rootKey: rootKey,
            rootKeys: rootKeys,
            folder: folder,
            session: session,
            owner: owner,
            floor: floor,
            clock: time.map(FixedClock.init) ?? clock,
            random: random,
            certificateJudge: certificateJudge,
            secretForm: secretForm
        )
        guard let supposed = state.map(device.inState) ?? device else {
            throw KeychainError(
                .interactionNotAllowed,
                "the keychain cannot be explained in that state: its keys are locked now, or no passcode is set"
            )
        }
        other.current = supposed
        return other
    }

    /// Lets go of the keys that the last transaction used.
    func forgetDevice() { current = nil }

    /// Empties the log, which may contain an earlier keybag.
    func eraseLog() throws(KeychainError) {
        guard try store.eraseLog() else { return }
        try store.write { (writer) throws(KeychainError) in
            var record = try writer.deviceRecord()
            guard record.owesLogErasure else { return }
            record.owesLogErasure = false
            try writer.setDeviceRecord(record)
        }
    }
}
