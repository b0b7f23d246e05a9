// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import KeychainCore
import KeychainDoctor
import KeychainHost
import KeychainIdentity
import KeychainProtection

/// `keychainctl verify`: shows how the daemon identifies a program.
struct VerifyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Shows how the daemon identifies a program, and why; exit status 1 if it is anonymous.",
        discussion: CommandDiscussion.text(
            """
            Examines the program as it is now: the daemon does not rely on the result. With --pid, it examines a running \
            process as the daemon would if the process connected. If the system service owns the keychain, manifests count \
            where the service looks for them and can read them; what it has recorded of programs, it alone knows.
            """,
            examples: [
                "keychainctl verify /usr/local/bin/tool": "Shows whether a daemon knows the program, and its groups.",
                "keychainctl verify --pid 4711": "Shows it of a running program.",
            ]
        )
    )

    @Argument(help: "An executable.", completion: .file())
    var program: String?

    @Option(help: ArgumentHelp("The process ID of a running program.", valueName: "number"))
    var pid: Int32?

    @Flag(help: "Write a JSON object.")
    var json = false

    func validate() throws {
        guard (program != nil) != (pid != nil) else { throw ValidationError("Name either a program or --pid.") }
    }

    func run() throws {
        let identification = try identify()
        Surroundings.current.printLine(
            json ? IdentificationText.json(identification).indentedText : IdentificationText.plain(identification)
        )
        guard identification.identity.isKnown else { throw ExitCode.failure }
    }

    private func identify() throws(Refusal) -> Identification {
        let isOfSystem = try isOfSystem()
        let folder = isOfSystem ? nil : try folder()
        let examiner = ProgramExaminer(isOfSystem ? .ofSystemService : .ofUser, store: folder?.path)
        do throws(IdentityError) {
            var record = try IdentityRecord(in: folder)
            if let program { return examiner.identify(programAt: program, record) }
            let peer = try PeerProcess(identifier: pid ?? 0)
            return examiner.identify(peer, &record).identification
        } catch { throw Refusal(error.description) }
    }

    /// Whether the system service owns the keychain.
    private func isOfSystem() throws(Refusal) -> Bool {
        // In a keychain without a daemon, programs are identified as by a user's daemon.
        guard let service = try? Surroundings.current.service() else { return false }
        let owner = try service.owner()
        return owner == .system || owner == .moving
    }

    /// The folder of the keychain, in which the daemon records information about programs.
    private func folder() throws(Refusal) -> PrivateDirectory? {
        do throws(FileError) {
            let location = try KeychainLocation(environment: { name throws(FileError) in
                try ProcessEnvironment.path(name)
            })
            return try PrivateDirectory(existing: location)
        } catch { throw Refusal(error.description) }
    }
}

/// The identity of a program, as text and as JSON.
enum IdentificationText {
    static func plain(_ identification: Identification) -> String {
        let identity = identification.identity
        var lines = [headline(identity)]
        if identity.isKnown {
            let groups = identity.ownedGroups.isEmpty ? "none" : identity.ownedGroups.joined(separator: ", ")
            lines.append("access groups that it owns: \(groups)")
        }
        let others =
            identity.isConfined
            ? "others: none, whatever it claims"
            : "others: unowned groups that it claims, as any program of the user can"
        lines.append(others)
        if identity.hasOwnerRights { lines.append("it has the rights of the keychain's owner") }
        if identity.hasManagerRights { lines.append("it manages the items of every program in the Secret Service") }
        let width = identification.checks.map(\.name.count).max() ?? 0
        for check in identification.checks {
            let name = check.name + String(repeating: " ", count: width - check.name.count)
            lines.append("  \(mark(check.result))  \(name)  \(check.detail)")
        }
        return lines.map { DoctorReport.printable($0) }.joined(separator: "\n")
    }

    private static func mark(_ result: IdentityCheck.Result) -> String {
        switch result {
        case .passed: "ok    "
        case .failed: "failed"
        case .absent: "-     "
        }
    }

    private static func headline(_ identity: ClientIdentity) -> String {
        let application = identity.applicationIdentifier ?? ""
        return switch identity.kind {
        case .flatpak(let name): "the Flatpak application \(name)"
        case .snap(let name): "the snap \(name) (\(application))"
        case .systemUnit(let unit): "the system service \(unit)"
        case .signed(let team): "\(application), signed for team \(team)"
        case .rootManifest(let file): "\(application), by \(file)"
        case .anonymous: "anonymous: nothing proves its identity"
        }
    }

    static func json(_ identification: Identification) -> JSONValue {
        let identity = identification.identity
        let (kind, name): (String, String?) =
            switch identity.kind {
            case .flatpak(let name): ("flatpak", name)
            case .snap(let name): ("snap", name)
            case .systemUnit(let unit): ("systemUnit", unit)
            case .signed(let team): ("signed", team.description)
            case .rootManifest(let file): ("rootManifest", file)
            case .anonymous: ("anonymous", nil)
            }
        let checks = identification.checks.map { check -> JSONValue in
            .object([
                "name": .string(check.name), "result": .string(check.result.rawValue), "detail": .string(check.detail),
            ])
        }
        return .object([
            "version": .integer(1),
            "kind": .string(kind),
            "name": name.map { .string($0) } ?? .null,
            "applicationIdentifier": identity.applicationIdentifier.map { .string($0) } ?? .null,
            "groups": .strings(identity.ownedGroups),
            "confined": .boolean(identity.isConfined),
            "ownerRights": .boolean(identity.hasOwnerRights),
            "managerRights": .boolean(identity.hasManagerRights),
            "checks": .array(checks),
        ])
    }
}
