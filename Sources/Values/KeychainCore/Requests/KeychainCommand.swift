// SPDX-License-Identifier: Apache-2.0

/// A command for a keychain: a plain value, so that it can be sent to another process.
///
/// All except the calls of item functions are boxed, so that these remain small.
package enum KeychainCommand: Sendable, Hashable {
    /// A call of an item function; the reply is an ``KeychainReply/answer(_:)``.
    case items(KeychainRequest)
    /// The explanation of a call of an item function; the reply is an ``KeychainReply/explanation(_:)``.
    ///
    /// Changes nothing, and prompts no one.
    indirect case explain(ExplanationRequest)
    /// A call of an item function and its explanation as of before the call, in one transaction; the reply is an
    /// ``KeychainReply/explained(_:)``, also for a call that fails.
    indirect case itemsExplained(ExplanationRequest)
    /// A command for the device.
    indirect case device(Device)
    /// Authentication of the device's owner.
    indirect case authentication(Authentication)
    /// Keys that never leave the device.
    indirect case enclave(Enclave)
    /// Maintenance of the store.
    indirect case maintenance(Maintenance)
    /// File-based keychains, which exist besides the data protection keychain.
    indirect case files(KeychainFileCommand)
    /// Items by their lookup attributes, for the Secret Service.
    indirect case lookup(LookupRequest)
    /// Former values of items.
    indirect case history(HistoryRequest)

    /// A command for the device, as ``KeychainDevice`` writes it.
    ///
    /// The reply is ``KeychainReply/done`` unless another one is specified.
    package enum Device: Sendable, Hashable {
        /// The information available without the passcode; the reply is a ``KeychainReply/deviceStatus(_:)``.
        case status
        /// Locks the device for every process.
        case lock
        /// Locks the keys that this process, or this client of a service, unlocked.
        case lockThisProcess
        /// Unlocks the device.
        case unlock(SecretBytes)
        /// Sets the first passcode.
        case setPasscode(SecretBytes)
        /// Replaces the passcode.
        case changePasscode(from: SecretBytes, to: SecretBytes)
        /// Removes the passcode.
        case removePasscode(SecretBytes)
        /// Sets the policy of the device.
        case setPolicy(DevicePolicy)
        /// What is known without passcode and root key; the reply is a ``KeychainReply/deviceSummary(_:)``.
        case summary
        /// Makes a recovery key valid, in place of an earlier one; the passcode is `nil` where none is set.
        case createRecoveryKey(RecoveryKey, passcode: SecretBytes?)
        /// Checks whether a recovery key opens the store; changes nothing.
        case checkRecoveryKey(RecoveryKey)
        /// Sets another passcode and another recovery key by a recovery key, and another root key if that is lost; the
        /// new passcode is `nil` for none, where none was set.
        case useRecoveryKey(RecoveryKey, newPasscode: SecretBytes?, newRecoveryKey: RecoveryKey)
        /// Makes the recovery key invalid; the passcode is `nil` where none is set.
        case removeRecoveryKey(passcode: SecretBytes?)
        /// Erases the device: no items, no passcode, no recovery key, other keys.
        case erase
    }

    /// A command for the authentication service, as ``AuthenticationService`` writes it.
    ///
    /// The reply is ``KeychainReply/done`` unless another one is specified.
    package enum Authentication: Sendable, Hashable {
        /// The available biometry; the reply is a ``KeychainReply/biometry(_:)``.
        case biometry
        /// Whether a policy can be evaluated now.
        case check(AuthenticationPolicy, AuthenticationContext)
        /// Requests the required authentication, unless it was provided in the context before.
        case evaluate(Demand, reason: String, AuthenticationContext)
        /// The state of a context; the reply is a ``KeychainReply/context(_:)``.
        case status(of: Bytes16)
        /// Discards the application password of a context, whether it was typed or set by the program.
        case forgetPassword(of: Bytes16)
        /// Invalidates a context and ends its open prompts.
        case invalidate(Bytes16)
        /// Discards a context that will not be used again.
        case release(Bytes16)

        /// The required authentication.
        package enum Demand: Sendable, Hashable {
            /// The requirement of a policy.
            case policy(AuthenticationPolicy)
            /// The requirement of an access control.
            case accessControl(AccessControl)
        }
    }

    /// A command for the enclave, as ``KeyEnclave`` writes it.
    package enum Enclave: Sendable, Hashable {
        /// The storage of the keys; the reply is an ``KeychainReply/enclave(_:)``.
        case kind
        /// Creates a key; the reply is an ``KeychainReply/enclaveKey(_:)``.
        case makeKey(EnclaveAlgorithm, AccessControl, AuthenticationContext?)
        /// The public part of a sealed key; the reply is an ``KeychainReply/enclaveKey(_:)``.
        case key(SecretBytes)
        /// Uses a sealed key; the reply is a ``KeychainReply/secret(_:)``.
        case use(EnclaveOperation, SecretBytes, AuthenticationContext?)
    }

    /// A command about the store as a whole, as ``KeychainMaintenance`` writes it.
    package enum Maintenance: Sendable, Hashable {
        /// Authenticates every row; the reply is an ``KeychainReply/integrity(_:)``.
        case check
        /// Restores quarantined items that can be opened again; the reply is a ``KeychainReply/count(_:)``.
        case recover
        /// Makes a backup; the reply is a ``KeychainReply/backup(_:)``, or a ``KeychainReply/sentBackup(_:_:)`` if that
        /// is the destination.
        case createBackup(BackupRequest)
        /// Creates the keychain from a backup, if there is none yet; the reply is a ``KeychainReply/backup(_:)``. Or
        /// merges a backup into the keychain; the reply is a ``KeychainReply/merge(_:)``.
        case restoreBackup(RestoreRequest)
        /// Stores the secret of scheduled backups, or removes it; the reply is ``KeychainReply/done``.
        case setBackupSecret(SecretBytes?)
        /// The status of the root key; the reply is a ``KeychainReply/rootKeyStatus(_:)``.
        case rootKeyStatus
        /// Replaces the root key of the store, with one of the same kind if none is specified; the reply is
        /// ``KeychainReply/done``.
        case replaceRootKey(kind: RootKeyKind?, passcode: SecretBytes?)
        /// The versions of the store and its features; the reply is a ``KeychainReply/storeStatus(_:)``.
        case storeStatus
        /// Brings the store to an earlier revision of its format; the reply is a ``KeychainReply/storeDowngrade(_:)``.
        case downgradeStore(revision: UInt8)
        /// Moves all items of an access group to another one; the reply is a ``KeychainReply/groupMove(_:)``.
        case moveGroup(GroupMove)
        /// Makes the system service serve the keychain of the user again; the reply is ``KeychainReply/done``.
        case takeOver
        /// Makes the system service refuse every command except ``takeOver`` from now on, because the user's keychain
        /// is elsewhere; fails if the keychain has items and must not have any. The reply is ``KeychainReply/done``.
        case giveBack(onlyIfEmpty: Bool)
        /// Moves the keychain into the system service, or out of it; the reply is ``KeychainReply/done`` unless another
        /// one is specified.
        case move(StoreMove)
        /// The system service's log of the user's programs, after the entry with a number; the reply is an
        /// ``KeychainReply/auditPage(_:)``.
        case auditLog(after: Int)
    }
}

extension KeychainCommand {
    /// The call of an item function that is executed, explained, or both; `nil` for every other command.
    package var itemCall: KeychainRequest? {
        switch self {
        case .items(let request): request
        case .explain(let request), .itemsExplained(let request): request.call
        case .device, .authentication, .enclave, .maintenance, .files, .lookup, .history: nil
        }
    }

    /// The call of an item function whose permissions the command needs; `nil` for a command that concerns no items of
    /// a client.
    package var authorizedCall: KeychainRequest? {
        switch self {
        case .maintenance(.moveGroup(let move)): move.update(of: .genericPassword)
        case .lookup(let request): request.authorizedCall
        case .history(let request): request.authorizedCall
        default: itemCall
        }
    }

    /// The authentication contexts in the command, with their settings.
    package var authenticationContexts: [AuthenticationContext] {
        switch self {
        case .items(let request): request.operation.authenticationContexts
        case .explain(let request), .itemsExplained(let request): request.call.operation.authenticationContexts
        case .authentication(.check(_, let context)), .authentication(.evaluate(_, reason: _, let context)): [context]
        case .enclave(.makeKey(_, _, let context)), .enclave(.use(_, _, let context)): context.map { [$0] } ?? []
        case .lookup(let request): request.context.map { [$0] } ?? []
        case .history(let request): request.context.map { [$0] } ?? []
        case .authentication, .device, .enclave, .maintenance, .files: []
        }
    }

    /// The authentication contexts that the command names.
    package var contextIdentifiers: [Bytes16] {
        switch self {
        case .authentication(.status(let identifier)), .authentication(.forgetPassword(let identifier)),
            .authentication(.invalidate(let identifier)), .authentication(.release(let identifier)):
            [identifier]
        case .items, .explain, .itemsExplained, .device, .authentication, .enclave, .maintenance, .files, .lookup,
            .history:
            authenticationContexts.map(\.identifier)
        }
    }
}

/// The reply to a successful command: a plain value.
package enum KeychainReply: Sendable, Hashable {
    /// It was done; there is no other result.
    case done
    /// The result of a call of an item function.
    case answer(KeychainAnswer)
    /// The explanation of a call.
    indirect case explanation(Explanation)
    /// The outcome of a call and its explanation.
    indirect case explained(ExplainedOutcome)
    /// The status of the device.
    indirect case deviceStatus(DeviceStatus)
    /// The biometry of the device.
    indirect case biometry(Biometry)
    /// The state of a context.
    case context(AuthenticationContext.Status)
    /// The storage of the enclave's keys.
    case enclave(KeyEnclaveKind)
    /// A key of the enclave.
    indirect case enclaveKey(EnclaveKey)
    /// A signature, or a shared secret.
    case secret(SecretBytes)
    /// The result of an integrity check.
    indirect case integrity(IntegrityReport)
    /// A number.
    case count(Int)
    /// The contents of a backup.
    indirect case backup(BackupReport)
    /// The contents of a backup, and its bytes.
    indirect case sentBackup(BackupReport, SecretBytes)
    /// What came of merging a backup.
    indirect case merge(BackupMergeReport)
    /// The status of a file-based keychain.
    case fileStatus(KeychainFileStatus)
    /// Label and times of a file-based keychain.
    case fileDetails(KeychainFileDetails)
    /// Items of a file-based keychain.
    case fileItems([KeychainFileItem])
    /// The access control list of an item of a file-based keychain.
    indirect case itemAccess(ItemAccess)
    /// The contents of a store that is to be moved.
    indirect case moveStatus(MoveStatus)
    /// A keychain that is being moved, without its rows.
    indirect case movedDevice(MovedDevice)
    /// Rows that are being moved.
    case movedRows([MovedRow])
    /// A part of a log.
    indirect case auditPage(AuditPage)
    /// The status of a root key.
    indirect case rootKeyStatus(RootKeyStatus)
    /// The versions of a store.
    indirect case storeStatus(StoreStatus)
    /// A store at an earlier revision, or why it is not.
    indirect case storeDowngrade(StoreDowngrade)
    /// The items of an access group that were moved, and those that were not.
    indirect case groupMove(GroupMoveReport)
    /// What is known of a device without its keys.
    indirect case deviceSummary(DeviceSummary)
    /// The items that have lookup attributes.
    case lookupMatches([LookupMatch])
    /// Items as the Secret Service sees them.
    case lookupItems([LookupItem])
    /// Secrets of items.
    case lookupSecrets([LookupSecret])
    /// The item that was stored with lookup attributes.
    case lookupStored(LookupStored)
    /// The former values of an item.
    case history(ItemHistory)
}

extension KeychainCommand {
    /// The maximum number of bytes of a text in a prompt.
    package static let longestText = 4 << 10

    /// The maximum number of bytes of an application password.
    package static let longestPassword = 64 << 10

    /// The maximum number of access groups of a client: the entitlements of real programs have a few dozen.
    package static let maximumAccessGroups = 1_024

    /// Refuses values that are larger than necessary, and that would be kept for long or require much work.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        if let claimed = client?.accessGroups, claimed.count > Self.maximumAccessGroups {
            throw .parameter(
                "the client claims \(claimed.count) access groups; there may be \(Self.maximumAccessGroups)"
            )
        }
        if case .authentication(.evaluate(_, let reason, _)) = self { try Self.check(reason) }
        if case .lookup(let request) = self { try request.checkSizes() }
        if case .history(let request) = self { try request.checkSizes() }
        if case .files(let command) = self { try command.checkSizes() }
        for context in authenticationContexts {
            let settings = context.settings
            for text in [settings.localizedReason, settings.localizedFallbackTitle, settings.localizedCancelTitle] {
                try Self.check(text ?? "")
            }
            guard (context.applicationPassword?.count ?? 0) <= Self.longestPassword else {
                throw .parameter("the application password is longer than \(Self.longestPassword) bytes")
            }
        }
    }

    private static func check(_ text: String) throws(KeychainError) {
        guard text.utf8.count <= longestText else {
            throw .parameter("the reason or the title of a prompt is longer than \(longestText) bytes")
        }
    }
}
