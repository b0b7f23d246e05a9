// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore

/// A keychain inside this process: the engine over a store in a folder or in memory, and its device.
///
/// Thread-safe: calls take turns, and reads run concurrently with changes. Several processes may use the same folder at
/// once. A forked child may continue to use the object: a fork waits a moment for calls in progress and closes the
/// folder, and each process reopens it for itself. Unlocked keys stay with the parent. A child that is forked during a
/// call that takes longer returns `errSecNotAvailable` from then on, until it executes a program.
package final class EmbeddedKeychain: KeychainBackend {
    let access: EngineAccess

    let evaluator: Evaluator

    /// The known access groups, for use while items are locked.
    var knownGroups: KnownGroups { access.knownGroups }

    /// The keychain of a folder.
    ///
    /// Nothing is read or created before the first call.
    ///
    /// - Parameters:
    ///   - location: the folder; the first call that stores something creates it, with an empty keychain.
    ///   - options: how long to wait for other processes.
    ///   - device: the components of its device.
    ///   - clock: the source of dates.
    ///   - random: the source of identifiers.
    package convenience init(
        at location: KeychainLocation,
        options: StoreOptions = StoreOptions(),
        device: DeviceOptions = DeviceOptions(),
        clock: any KeychainClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) {
        self.init(EngineAccess(to: .folder(location, options), device: device, clock: clock, random: random))
    }

    /// The keychain of a folder, in which changes of several threads share syncs of the log or do not.
    package convenience init(at location: KeychainLocation, makesChangesTogether: Bool, device: DeviceOptions) {
        self.init(at: location, options: StoreOptions(makesChangesTogether: makesChangesTogether), device: device)
    }

    /// A keychain in memory, empty, gone with the object, of at most so many MiB if a number is given.
    package static func inMemory(
        largestMebibytes: Int? = nil,
        device: DeviceOptions = DeviceOptions(),
        clock: any KeychainClock = SystemClock(),
        random: any RandomSource = SystemRandomSource()
    ) -> EmbeddedKeychain {
        EmbeddedKeychain(
            EngineAccess(
                to: .memory(passcode: nil, largestMebibytes: largestMebibytes),
                device: device,
                clock: clock,
                random: random
            )
        )
    }

    /// A keychain in memory on a device that has a passcode and is unlocked.
    ///
    /// It is equivalent to setting the passcode first, and faster.
    package static func inMemory(
        passcode: SecretBytes,
        device: DeviceOptions,
        clock: any KeychainClock
    ) throws(KeychainError) -> EmbeddedKeychain {
        guard !passcode.isEmpty else { throw KeychainError(DeviceError.emptyPasscode) }
        return EmbeddedKeychain(
            EngineAccess(to: .memory(passcode: passcode), device: device, clock: clock, random: SystemRandomSource())
        )
    }

    /// A keychain in memory from another source.
    convenience init(source: EngineAccess.Source, _ device: DeviceOptions, _ clock: any KeychainClock) {
        self.init(EngineAccess(to: source, device: device, clock: clock, random: SystemRandomSource()))
    }

    private init(_ access: EngineAccess) {
        self.access = access
        evaluator = Evaluator(
            device: KeychainDevice(EmbeddedDevice(access).perform),
            authenticator: access.device.authenticator,
            hostClock: access.device.hostClock,
            enforcesAccessControl: access.device.personality.enforcesAccessControl,
            maximumContexts: access.device.maximumContexts,
            derivations: access.derivations
        )
    }

    /// The interface of a data protection keychain.
    package var families: CommandFamily { .dataProtection }

    /// Carries out a command; a change is durable when it returns.
    package func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let reply = try reply(to: command)
        // An erasure, for example, is no transaction of the engine.
        if access.observers.areThere, command.has(.replacesItems) { access.observers.tellUnknown() }
        return reply
    }

    private func reply(to command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request): .answer(try perform(request))
        case .explain(let request): .explanation(try explain(request))
        case .itemsExplained(let request): .explained(try performExplaining(request))
        case .device(let command): try EmbeddedDevice(access).perform(command)
        case .authentication(let command): try evaluator.perform(command)
        case .enclave(let command): try EmbeddedEnclave(access: access, evaluator: evaluator).perform(command)
        case .maintenance(let command): try perform(command)
        case .files: throw .unserved(command)
        case .lookup(let request): try perform(request)
        case .history(let request): try perform(request)
        }
    }

    private func perform(_ command: KeychainCommand.Maintenance) throws(KeychainError) -> KeychainReply {
        switch command {
        case .check: return .integrity(try check())
        case .recover: return .count(try recover())
        case .createBackup(let request): return try perform(request)
        case .restoreBackup(let request): return try perform(request)
        case .setBackupSecret(let secret):
            try setBackupSecret(secret)
            return .done
        case .rootKeyStatus: return .rootKeyStatus(try RootKeyReplacement(access).status())
        case .replaceRootKey(let kind, let passcode):
            try RootKeyReplacement(access).replace(kind, passcode: passcode)
            return .done
        case .storeStatus: return .storeStatus(try storeStatus())
        case .downgradeStore(let revision): return .storeDowngrade(try downgradeStore(to: revision))
        case .moveGroup(let move): return .groupMove(try moveGroup(move))
        case .takeOver, .giveBack, .move, .auditLog: throw .unserved(.maintenance(command))
        }
    }

    /// Performs a request; durable when it returns.
    ///
    /// If an item requires it, the owner of the device is prompted, and then the request is retried.
    package func perform(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        try perform(request, Authorization(evaluator))
    }

    /// Reads for the keychain itself: that does not defer the automatic lock.
    package func observe(_ request: KeychainRequest) throws(KeychainError) -> KeychainAnswer {
        try access.withEngine(Authorization(evaluator), for: .observing) {
            (engine, authorization) throws(KeychainError) in
            try Self.perform(request, authorization, on: engine)
        }
    }

    /// Performs a request; `onFailure` is called for each failure, in the same turn.
    func perform(
        _ request: KeychainRequest,
        _ authorization: Authorization,
        onFailure: ((Engine) -> Void)? = nil
    ) throws(KeychainError) -> KeychainAnswer {
        let body = { (engine: Engine, authorization: Authorization) throws(KeychainError) -> KeychainAnswer in
            do throws(KeychainError) {
                return try Self.perform(request, authorization, on: engine)
            } catch {
                onFailure?(engine)
                throw error
            }
        }
        let use = request.use
        // A failure is explained in the turn of the call.
        if use == .reading || onFailure != nil { return try access.withEngine(authorization, for: use, body) }
        return try access.change(for: request, under: authorization, body)
    }

    private static func perform(
        _ request: KeychainRequest,
        _ authorization: Authorization,
        on engine: Engine
    ) throws(KeychainError) -> KeychainAnswer {
        do throws(KeychainError) {
            return try engine.perform(request, authorization)
        } catch  where error.status == .diskFull {
            // A log that was written back is written over by the next change: a delete on a full disk needs that.
            engine.store.checkpointLog()
            return try engine.perform(request, authorization)
        } catch {
            throw error
        }
    }

    func withEngine<Result>(
        _ use: EngineAccess.Use = .changing,
        _ body: (Engine) throws(KeychainError) -> Result
    ) throws(KeychainError) -> Result {
        try access.withEngine(use, body)
    }
}
