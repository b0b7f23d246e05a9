// SPDX-License-Identifier: Apache-2.0

import KeychainAudit
import KeychainCore
import KeychainIdentity

/// A program whose requests are logged.
struct AuditedProgram: Sendable {
    private let log: AuditLog
    private let caller: AuditCaller

    /// A program.
    ///
    /// - Parameters:
    ///   - peer: the process and its identity.
    ///   - log: the log.
    init(_ peer: IdentifiedPeer, _ log: AuditLog) {
        caller = AuditCaller(
            user: peer.process.user,
            process: peer.process.identifier,
            program: peer.process.executablePathBytes.map(AuditCaller.text),
            identity: peer.identity.auditText
        )
        self.log = log
    }

    /// A program that is known as far as `caller` says.
    init(_ caller: AuditCaller, _ log: AuditLog) {
        self.caller = caller
        self.log = log
    }

    /// Logs a command.
    ///
    /// - Parameters:
    ///   - command: the command as the program sent it.
    ///   - result: its result.
    func note(_ command: KeychainCommand, _ result: Result<KeychainReply, KeychainError>) {
        guard let settings = log.settings, let operation = command.auditedOperation else { return }
        let request = command.auditedRequest
        var attributes: [AuditAttribute: String] = [:]
        for attribute in settings.attributes {
            // Only text: the bytes of an attribute may be anything.
            guard case .string(let text)? = request?.operation.mainDictionary[attribute.key] else { continue }
            attributes[attribute] = text
        }
        log.note(
            AuditRecord(
                time: .now,
                caller: caller,
                operation: operation,
                itemClass: request?.operation.itemClassText,
                accessGroups: request.map { $0.operation.namedAccessGroups.nonEmpty ?? $0.client.accessGroups } ?? [],
                status: result.auditedStatus,
                attributes: attributes
            )
        )
    }
}

extension AuditLog {
    /// Logs that a connection was refused.
    func noteRefusal(of peer: PeerUser, _ error: KeychainError) {
        guard settings != nil else { return }
        let caller = AuditCaller(user: peer.user, process: peer.process, program: nil, identity: "unknown")
        note(AuditRecord(time: .now, caller: caller, operation: "connect", status: error.status.rawValue))
    }
}

extension ClientIdentity {
    /// The identity, for a log.
    fileprivate var auditText: String {
        let application = applicationIdentifier.map { " \($0)" } ?? ""
        return switch kind {
        case .flatpak(let name): "flatpak \(name)"
        case .snap(let name): "snap \(name)"
        case .systemUnit(let unit): "systemd \(unit)"
        case .signed(let team): "team \(team)\(application)"
        case .rootManifest(let file): "manifest \(file)\(application)"
        case .anonymous: AuditCaller.anonymous
        }
    }
}

extension KeychainCommand {
    /// The call of an item function that is executed or explained.
    fileprivate var auditedRequest: KeychainRequest? {
        switch self {
        case .items(let request): request
        case .explain(let request), .itemsExplained(let request): request.call
        case .device, .authentication, .enclave, .maintenance, .files: nil
        }
    }

    /// The name in a log; `nil` for what a library does with authentication contexts, which requests nothing, and for a
    /// look at the log itself, which would never end.
    fileprivate var auditedOperation: String? {
        switch self {
        case .items(let request): request.operation.functionName
        case .explain(let request): "explain \(request.call.operation.functionName)"
        case .itemsExplained(let request): request.call.operation.functionName
        case .device(let command): "device \(command.auditedName)"
        case .authentication(.check): "authentication check"
        case .authentication(.evaluate): "authentication"
        case .authentication: nil
        case .enclave(.kind): nil
        case .enclave(.makeKey): "enclave make key"
        case .enclave(.key): "enclave public key"
        case .enclave(.use): "enclave use key"
        case .maintenance(.check): "check"
        case .maintenance(.recover): "recover"
        case .maintenance(.createBackup): "create backup"
        case .maintenance(.restoreBackup): "restore backup"
        case .maintenance(.takeOver): "take over"
        case .maintenance(.giveBack): "give back"
        case .maintenance(.move(let move)): move.auditedOperation
        case .maintenance(.auditLog): nil
        case .files(.lockAll): "lock all keychain files"
        case .files(.keychain(_, let action)): "keychain file \(action.auditedName)"
        }
    }
}

extension StoreMove {
    /// The name in a log; `nil` for what changes nothing, and for rows: what they belong to is logged.
    fileprivate var auditedOperation: String? {
        switch self {
        case .begin: "move begin"
        case .step(.receive, of: _): "move receive"
        case .step(.activate, of: _): "move activate"
        case .step(.send, of: _): "move send"
        case .step(.resume, of: _): "move resume"
        case .step(.remove, of: _): "move remove"
        case .status, .step(.append, of: _), .step(.rows, of: _), .step(.compare, of: _): nil
        }
    }
}

extension KeychainCommand.Device {
    fileprivate var auditedName: String {
        switch self {
        case .status: "status"
        case .lock: "lock"
        case .lockThisProcess: "lock this process"
        case .unlock: "unlock"
        case .setPasscode: "set passcode"
        case .changePasscode: "change passcode"
        case .removePasscode: "remove passcode"
        case .setPolicy: "set policy"
        }
    }
}

extension KeychainFileCommand.Action {
    fileprivate var auditedName: String {
        switch self {
        case .create: "create"
        case .delete: "delete"
        case .lock: "lock"
        case .unlock: "unlock"
        case .status: "status"
        case .setSettings: "set settings"
        case .changePassword: "change password"
        case .items: "items"
        case .secret: "secret"
        case .access: "access"
        case .add: "add"
        case .update: "update"
        case .setPartitions: "set partition list"
        case .remove: "remove"
        }
    }
}

extension KeychainRequest.Operation {
    fileprivate var itemClassText: String? {
        guard let value = mainDictionary[PropertyKey.itemClass] else { return nil }
        // Any other text may be a secret that was put there by mistake.
        guard case .string(let text) = value, ItemClass(rawValue: text) != nil else { return "unknown" }
        return text
    }
}

extension Result<KeychainReply, KeychainError> {
    /// The status that the program gets, also of an explained call.
    fileprivate var auditedStatus: Int32 {
        switch self {
        case .success(.explained(let outcome)):
            if case .failure(let error) = outcome.result { error.status.rawValue } else { 0 }
        case .success: 0
        case .failure(let error): error.status.rawValue
        }
    }
}

extension Array {
    fileprivate var nonEmpty: [Element]? { isEmpty ? nil : self }
}
