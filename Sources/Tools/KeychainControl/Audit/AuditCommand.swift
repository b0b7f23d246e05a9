// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainAudit
import KeychainCore
import KeychainHost
import KeychainOnDemand
import KeychainProtection
import KeychainRouting

/// `keychainctl service audit`: whether the daemon logs requests.
struct AuditCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "audit",
        abstract: "Shows or sets whether the daemon logs requests; 'keychainctl log' shows the log.",
        discussion: CommandDiscussion.text(
            """
            An entry contains the time, the program and its identity, the function, the class, the access groups and \
            the status, and never a secret. The setting persists across restarts of the daemon. The log is \
            \(AuditFile.name) beside the keychain: at most \(AuditFile.maximumBytes >> 20) MiB, and one older file.
            """,
            examples: [
                "keychainctl service audit on": "Logs who used what from now on.",
                "keychainctl service audit on --attributes service,account":
                    "Logs the service and the account of items as well.",
            ]
        )
    )

    /// The setting.
    enum State: String, ExpressibleByArgument, CaseIterable {
        case on
        case off
    }

    @Argument(help: "'on' or 'off'; omit it to show the setting.")
    var state: State?

    @Option(
        help: ArgumentHelp(
            "Attributes of items to log too, separated by commas: \(Self.attributeNames).",
            valueName: "names"
        )
    )
    var attributes: String?

    private static let attributeNames = AuditAttribute.allCases.map(\.rawValue).joined(separator: ", ")

    func validate() throws {
        guard let attributes else { return }
        guard state == .on else { throw ValidationError("--attributes requires 'on'.") }
        guard AuditAttribute.list(attributes) != nil else {
            throw ValidationError("--attributes requires names separated by commas: \(Self.attributeNames).")
        }
    }

    func run() throws {
        let surroundings = Surroundings.current
        let service = try surroundings.service()
        try service.checkSetsAuditLog()
        guard let folder = try service.folder() else {
            throw Refusal("there is no keychain yet; 'keychainctl service enable' creates one")
        }
        switch state {
        case .on:
            let settings = AuditSettings(attributes: Set(AuditAttribute.list(attributes ?? "") ?? []))
            do { try settings.write(in: folder) } catch { throw Refusal("\(error)") }
        case .off: AuditSettings.remove(in: folder)
        case nil: break
        }
        surroundings.printLine(Self.text(AuditSettings(in: folder)))
        guard state != nil else { return }
        guard try service.owner() == .daemon else {
            surroundings.remark("It takes effect when the daemon owns the keychain: 'keychainctl service enable'.")
            return
        }
        // A running daemon reads the settings when a program connects.
        if try service.running() != nil { _ = try? service.daemon.performByRunning(.device(.status)) }
    }

    private static func text(_ settings: AuditSettings?) -> String {
        guard let settings else { return "The daemon does not log requests." }
        let names = settings.attributes.map(\.rawValue).sorted()
        return names.isEmpty
            ? "The daemon logs requests, without attributes of items."
            : "The daemon logs requests, with attributes of items: \(names.joined(separator: ", "))."
    }
}
