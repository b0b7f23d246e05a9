// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainIdentity
import KeychainServer

/// A process of the user whom the daemon serves, and what its identity permits.
final class UserProgram: ConnectedPeer {
    let process: ProcessInstance
    let vouchesForBiometry = false
    let keptByteCount: Int

    private let keychain: any ServedKeychain
    let identity: ClientIdentity
    private let executable: @Sendable () -> FileMark?
    private let reidentify: @Sendable () throws(KeychainError) -> Void
    private let proofs: PasscodeProofs
    private let life: DaemonLife
    private let calls: ProgramKeychain
    let audited: AuditedProgram?
    private let isSystemService: Bool
    private let path: String?

    /// Creates a program.
    ///
    /// - Parameters:
    ///   - process: the process that runs it.
    ///   - identity: its identity.
    ///   - keychain: executes its commands.
    ///   - proofs: which processes entered the passcode.
    ///   - life: counts its connections.
    ///   - isSystemService: whether the daemon is the system service, which runs as another user than the program.
    ///   - path: that of its executable; `nil` if it is not known.
    ///   - audited: logs its requests; `nil` for no log.
    ///   - keptByteCount: the approximate number of bytes that are kept of its identity.
    ///   - executable: the process's current executable; `nil` if that cannot be inspected.
    ///   - reidentify: fails if the process no longer runs that program.
    init(
        _ process: ProcessInstance,
        as identity: ClientIdentity,
        keychain: any ServedKeychain,
        proofs: PasscodeProofs,
        life: DaemonLife,
        isSystemService: Bool = false,
        path: String? = nil,
        audited: AuditedProgram? = nil,
        keptByteCount: Int = 0,
        executable: @escaping @Sendable () -> FileMark? = { nil },
        reidentify: @escaping @Sendable () throws(KeychainError) -> Void = {}
    ) {
        self.process = process
        self.identity = identity
        self.keychain = keychain
        self.executable = executable
        self.reidentify = reidentify
        self.proofs = proofs
        self.life = life
        self.audited = audited
        self.keptByteCount = keptByteCount
        self.isSystemService = isSystemService
        self.path = path
        let prover = { @Sendable in PasscodeProofs.Prover(process: process, executable: executable()) }
        calls = ProgramKeychain(
            keychain,
            for: identity,
            prover: prover,
            proofs: proofs,
            life: life,
            isSystemService: isSystemService
        )
        life.beginConnection()
    }

    deinit { life.endConnection() }

    /// The same process with the identity of a program that it vouches for.
    func acting(as identity: ClientIdentity) -> UserProgram {
        UserProgram(
            process,
            as: identity,
            keychain: keychain,
            proofs: proofs,
            life: life,
            isSystemService: isSystemService,
            path: path,
            audited: audited,
            executable: executable,
            reidentify: reidentify
        )
    }

    var backend: any KeychainBackend { calls }

    /// The processes of a sandbox share limits, so that together they get no more than one program.
    var application: String? { identity.isSandboxed ? identity.applicationIdentifier : nil }

    var isSandboxed: Bool { identity.isSandboxed }

    var programName: String? { application ?? path }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand {
        let row = command.row
        // It would open the path with its own rights instead of the program's.
        guard !isSystemService || !row.traits.contains(.opensPath) else {
            throw KeychainError(
                .missingEntitlement,
                "the system service opens no files for programs, so it neither creates nor restores backups"
            )
        }
        try check(row.right)
        // For the owner, the items of every client are explained; nothing is executed.
        if case .explain = command, row.right == .owner { return command }
        guard let claimed = command.client else { return command }
        let scope = AccessScope(identity: identity, storedGroups: keychain.accessGroups)
        var permitted = command
        if case .lookup(let request) = command {
            permitted.client = try scope.permittedLookup(request)
        } else {
            permitted.client = try scope.permitted(claimed, for: command.authorizedCall?.operation)
        }
        if isSystemService, let call = permitted.authorizedCall { try checkIsKept(call) }
        return permitted
    }

    private func check(_ right: CommandRow.Right) throws(KeychainError) {
        switch right {
        case .everyProgram: break
        // Whether a passcode is set is known for certain only in the midst of the command (ProgramKeychain).
        case .outsideOfSandbox(let what), .passcodeOfSystemService(let what): try checkIsOutsideOfSandbox(what)
        case .passcode(let what):
            try checkIsOutsideOfSandbox(what)
            try checkKnowsPasscode()
        case .owner: try checkIsOwner()
        }
    }

    func confirm() throws(KeychainError) { try reidentify() }

    /// Refuses to store in a group of the program's own while no passcode is set.
    ///
    /// The system service recognizes the owner of a keychain by the passcode: any program of the user could set the
    /// first one, and take the keychain with all its contents out of the service.
    private func checkIsKept(_ request: KeychainRequest) throws(KeychainError) {
        let groups = request.operation.groupsStoredIn(of: request.client.accessGroups)
        guard groups.contains(where: identity.owns), try !keychain.device.status().hasPasscode else { return }
        throw KeychainError(
            .notAvailable,
            "no passcode is set, and without one the system service stores nothing in a program's own access group, "
                + "because any program could set the first one and take all items out of the service; set one with "
                + "`keychainctl device set-passcode`",
            subject: AttributeName.accessGroup.description,
            facts: ["proof": "passcode"]
        )
    }

    /// Refuses commands that concern all clients' items to a program that has not entered the passcode, unless a
    /// root-owned manifest grants it owner rights.
    private func checkIsOwner() throws(KeychainError) {
        if identity.hasOwnerRights { return }
        try checkKnowsPasscode()
    }

    /// Refuses a command to any program that has not entered the passcode.
    ///
    /// Without a passcode, every program of the user can read the files of the user's own store, and counts as its
    /// owner; but a sandbox cannot, and would have the daemon open files for it outside of the sandbox. No program can
    /// read the files of the system service.
    private func checkKnowsPasscode() throws(KeychainError) {
        try checkIsOutsideOfSandbox("this")
        guard try keychain.device.status().hasPasscode else {
            guard isSystemService else { return }
            throw KeychainError(
                .missingEntitlement,
                "this is reserved for the owner of the keychain, whom the system service knows by the passcode: set "
                    + "one first",
                facts: ["proof": "passcode"]
            )
        }
        let prover = PasscodeProofs.Prover(process: process, executable: executable())
        if proofs.isProved(by: prover, try keychain.currentUnlock()) { return }
        throw KeychainError(
            .missingEntitlement,
            "this is reserved for the owner of the keychain: this process has to enter the passcode first",
            facts: ["proof": "passcode"]
        )
    }

    /// Refuses commands that affect the user's items outside of the sandbox, such as a change of the passcode.
    private func checkIsOutsideOfSandbox(_ what: String) throws(KeychainError) {
        guard identity.isSandboxed else { return }
        let reasons = identity.reasons.isEmpty ? "" : ": \(identity.reasons.joined(separator: "; "))"
        throw KeychainError(
            .missingEntitlement,
            "\(what) is reserved for the owner of the keychain, and not available to a sandbox\(reasons). Where this program "
                + "is in none, the daemon was started in one: `keychainctl service restart`",
            facts: ["proof": KeychainError.outsideOfSandbox]
        )
    }
}

extension KeychainRequest.Operation {
    /// The access groups in which it may make or change an item, for a client with some groups.
    fileprivate func groupsStoredIn(of groups: [String]) -> [String] {
        switch self {
        case .copyMatching, .delete: []
        case .add(let item): item.accessGroup.map { [$0] } ?? Array(groups.prefix(1))
        case .update: namedAccessGroups.isEmpty ? groups : namedAccessGroups
        case .set(let query, let attributes, let addition):
            Self.update(query, attributes: attributes).groupsStoredIn(of: groups)
                + Self.add(addition).groupsStoredIn(of: groups)
        }
    }
}

/// Adds to errors which access groups were not searched, and why.
extension UserProgram {
    /// Executes the permitted part of a command, and explains its failure by the command as it was sent.
    func perform(_ permitted: KeychainCommand, sentAs command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        let reply: KeychainReply
        do throws(KeychainError) {
            reply = try backend.perform(permitted)
        } catch {
            guard case .items(let request) = command else { throw error }
            throw explained(error, request.client)
        }
        guard case .itemsExplained(let request) = command, case .explained(var outcome) = reply,
            case .failure(let error) = outcome.result
        else { return reply }
        outcome.result = .failure(explained(error, request.call.client))
        return .explained(outcome)
    }

    /// An error that also lists the groups that were not searched, with reasons: items in a group that a program has
    /// lost still exist.
    private func explained(_ error: KeychainError, _ claimed: Client) -> KeychainError {
        guard error.status == .itemNotFound else { return error }
        let refusals = refusals(of: claimed)
        var sentences: [String] = []
        if !refusals.isEmpty {
            sentences.append("not searched, although the program claims it: \(refusals.joined(separator: "; "))")
        }
        sentences += refusals.isEmpty ? [identity.loss].compactMap(\.self) : identity.reasons
        if !refusals.isEmpty, identity.isKnown, identity.isConfined {
            sentences.append(
                "what the program stored there before it was identified is kept: a program that is not, such as "
                    + "'security', can read it, and this one can store it again"
            )
        }
        var error = error
        if identity.loss != nil { error.kind = .lostIdentity }
        error.reason = ([error.reason] + sentences).joined(separator: "; ")
        return error
    }

    /// The maximum number of groups that an error names; further ones are only counted.
    static let maximumNamedGroups = 16

    /// Why claimed groups were left out, each a sentence without a period and without the identity's reasons.
    private func refusals(of client: Client) -> [String] {
        let refused = client.accessGroups.filter { $0 != Client.everyGroup && identity.refusal(of: $0) != nil }
        let named = refused.prefix(Self.maximumNamedGroups).compactMap { identity.refusal(of: $0, givesReasons: false) }
        guard refused.count > named.count else { return named }
        return named + ["and \(refused.count - named.count) more"]
    }
}

/// Notifications to the program.
extension UserProgram {
    /// Permits the groups that a request of the program could use.
    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
        if let clip = client.appClipIdentifier {
            return ChangeFilter(groups: identity.refusal(of: clip) == nil ? [clip] : [])
        }
        guard client.accessGroups.contains(Client.everyGroup) else {
            return ChangeFilter(groups: identity.groups(claimed: client.accessGroups))
        }
        return ChangeFilter { [identity] group in
            identity.refusal(of: group) == nil || identity.hasManagerRights && identity.manages(group)
        }
    }
}
