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

    /// Creates a program from the information in `caller`.
    init(_ caller: AuditCaller, _ log: AuditLog) {
        self.caller = caller
        self.log = log
    }

    /// The maximum number of items that are logged with one command; an entry without an item stands for more.
    static let maximumItems = 256

    /// Whether anything is logged.
    var isLogged: Bool { log.settings != nil }

    /// Logs a command: an entry for each item that it concerned.
    ///
    /// - Parameters:
    ///   - command: the command as the program sent it.
    ///   - result: its result.
    ///   - items: the attributes of the items; none if they are not known.
    func record(
        _ command: KeychainCommand,
        _ result: Result<KeychainReply, KeychainError>,
        items: [[String: PropertyValue]] = []
    ) {
        let row = command.row
        guard let settings = log.settings, !row.traits.contains(.isUnlogged) else { return }
        let request = command.itemCall
        let time = AuditTime.now
        for item in items.prefix(Self.maximumItems) {
            let itemClass = item.text(PropertyKey.itemClass).flatMap(ItemClass.init(rawValue:))
            log.record(
                AuditRecord(
                    time: time,
                    caller: caller,
                    operation: row.name,
                    itemClass: itemClass?.rawValue ?? request?.operation.itemClassText,
                    accessGroups: [item.text(AttributeName.accessGroup.description)].compactMap(\.self),
                    status: result.auditedStatus,
                    attributes: settings.selected { item[$0] }
                )
            )
        }
        guard items.isEmpty || items.count > Self.maximumItems else { return }
        log.record(
            AuditRecord(
                time: time,
                caller: caller,
                operation: row.name,
                itemClass: request?.operation.itemClassText,
                accessGroups: command.authorizedCall?.operation.namedAccessGroups.nonEmpty
                    ?? command.client?.accessGroups ?? [],
                status: result.auditedStatus,
                attributes: settings.selected { request?.operation.mainDictionary[$0] }
            )
        )
    }
}

extension AuditSettings {
    /// The attributes that the owner selected, of those of a request or an item.
    fileprivate func selected(_ value: (String) -> PropertyValue?) -> [AuditAttribute: String] {
        var selected: [AuditAttribute: String] = [:]
        for attribute in attributes {
            // Only text: the bytes of an attribute may be anything.
            guard case .string(let text)? = value(attribute.key) else { continue }
            selected[attribute] = text
        }
        return selected
    }
}

extension [String: PropertyValue] {
    fileprivate func text(_ name: String) -> String? {
        guard case .string(let text)? = self[name] else { return nil }
        return text
    }
}

extension AuditLog {
    /// Logs that a connection was refused.
    func recordRefusal(of peer: PeerUser, _ error: KeychainError) {
        guard settings != nil else { return }
        let caller = AuditCaller(user: peer.user, process: peer.process, program: nil, identity: "unknown")
        record(AuditRecord(time: .now, caller: caller, operation: "connect", status: error.status.rawValue))
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

extension KeychainRequest.Operation {
    fileprivate var itemClassText: String? {
        guard let value = mainDictionary[PropertyKey.itemClass] else { return nil }
        // Any other text may be a misplaced secret.
        guard case .string(let text) = value, ItemClass(rawValue: text) != nil else { return "unknown" }
        return text
    }
}

extension Result<KeychainReply, KeychainError> {
    /// The status that the program gets, also of an explained call.
    var auditedStatus: Int32 {
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
