// SPDX-License-Identifier: Apache-2.0

/// What can be asked of a keychain: a plain value, so that it can be sent to another process.
///
/// All but the calls of item functions are boxed, so that these stay small.
package enum KeychainCommand: Sendable, Hashable {
    /// A call of an item function; the reply is an ``KeychainReply/answer(_:)``.
    case items(KeychainRequest)
    /// Why a call of an item function would give what it gives; the reply is an ``KeychainReply/explanation(_:)``.
    ///
    /// Changes nothing, and asks nobody.
    indirect case explain(ExplanationRequest)
    /// A call of an item function, and an explanation of it as of before it, in one transaction; the reply is an
    /// ``KeychainReply/explained(_:)``, also of a call that fails.
    indirect case itemsExplained(ExplanationRequest)
    /// What the device does.
    indirect case device(Device)
    /// Asking the owner of the device.
    indirect case authentication(Authentication)
    /// Keys that never leave the device.
    indirect case enclave(Enclave)
    /// Looking after the store.
    indirect case maintenance(Maintenance)
    /// File-based keychains, which are beside the data protection keychain.
    indirect case files(KeychainFileCommand)

    /// A command for the device, as ``KeychainDevice`` writes it.
    ///
    /// The reply is ``KeychainReply/done`` where no other is named.
    package enum Device: Sendable, Hashable {
        /// What is known without the passcode; the reply is a ``KeychainReply/deviceStatus(_:)``.
        case status
        /// Locks the device for every process.
        case lock
        /// Locks what this process, or this client of a service, has unlocked.
        case lockThisProcess
        /// Unlocks the device.
        case unlock(SecretBytes)
        /// Sets the first passcode.
        case setPasscode(SecretBytes)
        /// Replaces the passcode.
        case changePasscode(from: SecretBytes, to: SecretBytes)
        /// Removes the passcode.
        case removePasscode(SecretBytes)
        /// Says what the device does by itself.
        case setPolicy(DevicePolicy)
    }

    /// A command for the authentication service, as ``AuthenticationService`` writes it.
    ///
    /// The reply is ``KeychainReply/done`` where no other is named.
    package enum Authentication: Sendable, Hashable {
        /// Which biometry there is; the reply is a ``KeychainReply/biometry(_:)``.
        case biometry
        /// Whether a policy can be evaluated now.
        case check(AuthenticationPolicy, AuthenticationContext)
        /// Asks for what is demanded, unless it was shown in the context before.
        case evaluate(Demand, reason: String, AuthenticationContext)
        /// What is known of a context; the reply is a ``KeychainReply/context(_:)``.
        case status(of: Bytes16)
        /// Forgets the application password of a context, one that was typed as well as one that the program gave.
        case forgetPassword(of: Bytes16)
        /// Ends the use of a context, and the questions that are open in it.
        case invalidate(Bytes16)
        /// Forgets a context that will not be named again.
        case release(Bytes16)

        /// What the user has to authenticate with.
        package enum Demand: Sendable, Hashable {
            /// What a policy demands.
            case policy(AuthenticationPolicy)
            /// What an access control demands.
            case accessControl(AccessControl)
        }
    }

    /// A command for the enclave, as ``KeyEnclave`` writes it.
    package enum Enclave: Sendable, Hashable {
        /// What keeps the keys; the reply is an ``KeychainReply/enclave(_:)``.
        case kind
        /// Makes a key; the reply is an ``KeychainReply/enclaveKey(_:)``.
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
        /// Takes items out of quarantine that open again; the reply is a ``KeychainReply/count(_:)``.
        case recover
        /// Writes a backup; the reply is a ``KeychainReply/backup(_:)``.
        case createBackup(path: String, secret: SecretBytes)
        /// Makes the keychain of a backup, where there is none yet; the reply is a ``KeychainReply/backup(_:)``.
        case restoreBackup(path: String, secret: SecretBytes)
        /// What is known of the root key; the reply is a ``KeychainReply/rootKeyStatus(_:)``.
        case rootKeyStatus
        /// Gives the store another root key, of the kind that it has if none is named; the reply is
        /// ``KeychainReply/done``.
        case replaceRootKey(kind: RootKeyKind?, passcode: SecretBytes?)
        /// Has the system service serve the keychain of the user again; the reply is ``KeychainReply/done``.
        case takeOver
        /// Has the system service refuse every command but ``takeOver`` from now on, because the user's keychain is
        /// elsewhere; fails if the keychain has items and must not have any. The reply is ``KeychainReply/done``.
        case giveBack(onlyIfEmpty: Bool)
        /// Moves the keychain into the system service, or out of it; the reply is ``KeychainReply/done`` where none is
        /// named.
        case move(StoreMove)
        /// What the system service logged of the user's programs, after the entry of a number; the reply is an
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
        case .device, .authentication, .enclave, .maintenance, .files: nil
        }
    }

    /// The authentication contexts that the command brings along, with what the program set on them.
    package var authenticationContexts: [AuthenticationContext] {
        switch self {
        case .items(let request): request.operation.authenticationContexts
        case .explain(let request), .itemsExplained(let request): request.call.operation.authenticationContexts
        case .authentication(.check(_, let context)), .authentication(.evaluate(_, reason: _, let context)): [context]
        case .enclave(.makeKey(_, _, let context)), .enclave(.use(_, _, let context)): context.map { [$0] } ?? []
        case .authentication, .device, .enclave, .maintenance, .files: []
        }
    }

    /// The authentication contexts that the command names.
    package var contextIdentifiers: [Bytes16] {
        switch self {
        case .authentication(.status(let identifier)), .authentication(.forgetPassword(let identifier)),
            .authentication(.invalidate(let identifier)), .authentication(.release(let identifier)):
            [identifier]
        case .items, .explain, .itemsExplained, .device, .authentication, .enclave, .maintenance, .files:
            authenticationContexts.map(\.identifier)
        }
    }
}

/// What a command gives back when it succeeds: a plain value.
package enum KeychainReply: Sendable, Hashable {
    /// It was done, and there is nothing to say.
    case done
    /// The answer to a call of an item function.
    case answer(KeychainAnswer)
    /// Why a call gives what it gives.
    indirect case explanation(Explanation)
    /// What came of a call, and why.
    indirect case explained(ExplainedOutcome)
    /// The status of the device.
    indirect case deviceStatus(DeviceStatus)
    /// The biometry of the device.
    indirect case biometry(Biometry)
    /// What is known of a context.
    case context(AuthenticationContext.Status)
    /// What keeps the keys of the enclave.
    case enclave(KeyEnclaveKind)
    /// A key of the enclave.
    indirect case enclaveKey(EnclaveKey)
    /// A signature, or a shared secret.
    case secret(SecretBytes)
    /// What a check found.
    indirect case integrity(IntegrityReport)
    /// How many.
    case count(Int)
    /// What a backup holds.
    indirect case backup(BackupReport)
    /// What is known of a file-based keychain.
    case fileStatus(KeychainFileStatus)
    /// Items of a file-based keychain.
    case fileItems([KeychainFileItem])
    /// Who may use an item of a file-based keychain.
    indirect case itemAccess(ItemAccess)
    /// What a store has that is to be moved.
    indirect case moveStatus(MoveStatus)
    /// A keychain that is being moved, without its rows.
    indirect case movedDevice(MovedDevice)
    /// Rows that are being moved.
    case movedRows([MovedRow])
    /// A part of a log.
    indirect case auditPage(AuditPage)
    /// What is known of a root key.
    indirect case rootKeyStatus(RootKeyStatus)
}

extension KeychainCommand {
    /// The most bytes of a text that is shown with a prompt.
    package static let longestText = 4 << 10

    /// The most bytes of an application password.
    package static let longestPassword = 64 << 10

    /// The most access groups that a client claims: the entitlements of real programs name a few dozen.
    package static let mostAccessGroups = 1_024

    /// Refuses what would be kept for long, or makes for much work, and is larger than anybody needs.
    ///
    /// - Throws: `errSecParam`.
    package func checkSizes() throws(KeychainError) {
        if let claimed = itemCall?.client.accessGroups, claimed.count > Self.mostAccessGroups {
            throw .parameter("the client claims \(claimed.count) access groups; there may be \(Self.mostAccessGroups)")
        }
        if case .authentication(.evaluate(_, let reason, _)) = self { try Self.check(reason) }
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
