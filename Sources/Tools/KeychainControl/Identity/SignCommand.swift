// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CommandHelp
import FoundationEssentials
import Glibc
import KeychainCore
import KeychainHost
import KeychainIdentity
import KeychainPropertyLists

/// `keychainctl sign`: signs a program's access groups, which the daemon then grants.
struct SignCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sign",
        abstract: "Signs programs, so that only they get the access groups of a team.",
        discussion: CommandDiscussion.text(
            """
            Writes a manifest beside each program, which binds the executable's SHA-256 to an application identifier and to \
            access groups. Sign again after every build, and executables of one application together, so that they have the \
            same serial. Programs of one team with the same application identifier access the same items.

            What a program stored before it was signed is in groups that every program of the user can access. The signed \
            program can no longer access those.
            """,
            examples: [
                "keychainctl sign --team-key example .build/release/tool":
                    "Signs a program, with its bundle identifier or its name.",
                "keychainctl sign --team-key example --entitlements tool.entitlements tool":
                    "Signs it with the access groups of its entitlements.",
            ]
        )
    )

    @Option(help: ArgumentHelp("The team's key: a name, or the path of a file.", valueName: "key"), completion: .file())
    var teamKey: String

    @Option(
        help: ArgumentHelp(
            "Entitlements: a property list, in which $(AppIdentifierPrefix) stands for the team identifier and a period.",
            valueName: "file"
        ),
        completion: .file(extensions: ["entitlements", "plist"])
    )
    var entitlements: String?

    @Option(
        help: ArgumentHelp(
            "The application, such as com.example.tool; default: the bundle identifier, or the program's name.",
            valueName: "identifier"
        )
    )
    var identifier: String?

    @Option(
        name: .customLong("library"),
        help: ArgumentHelp(
            "A library that it loads and that root does not own or that is an interpreter.",
            valueName: "file"
        ),
        completion: .file()
    )
    var libraries: [String] = []

    @Flag(
        help: """
            It executes code that it generates, as a just-in-time compiler does; also set by the entitlement \
            com.apple.security.cs.allow-jit.
            """
    )
    var jit = false

    @Flag(
        help: """
            It may be started with LD_PRELOAD and the like, or look for libraries where others than root can put one \
            (RUNPATH); also set by the entitlement com.apple.security.cs.allow-dyld-environment-variables.
            """
    )
    var preload = false

    @Flag(
        help: """
            Its system calls may be filtered (seccomp), for a program that confines itself before it connects; whoever \
            starts it can then read the secrets that it receives.
            """
    )
    var seccomp = false

    @Option(help: "Orders the versions of an application; default: the seconds since 1970.")
    var serial: Int?

    @Option(
        help: ArgumentHelp("The manifest to write; default: beside the program.", valueName: "file"),
        completion: .file()
    )
    var output: String?

    @Argument(help: "The executables.", completion: .file())
    var programs: [String]

    func validate() throws {
        guard output == nil || programs.count == 1 else {
            throw ValidationError("--output can only be used with one program.")
        }
        guard serial ?? 0 >= 0 else { throw ValidationError("The serial must not be negative.") }
    }

    func run() throws {
        let key = try TeamKeyFile(teamKey)
        let now = Date()
        for path in programs {
            let (program, manifest) = try sign(path, with: key, at: now)
            let target = output ?? program.path + ProgramManifest.fileSuffix
            try Self.checkMayReplace(target)
            try PublicFile.write(manifest.document.text + "\n", to: target)
            if let objection = program.libraryObjection, !manifest.allowsPreload {
                Surroundings.current.remark("warning: it will not be identified where it is now: \(objection).")
            }
            let groups =
                manifest.accessGroups.isEmpty ? "no access group" : manifest.accessGroups.joined(separator: ", ")
            Surroundings.current.printLine(
                "\(target): \(program.path) is \(manifest.applicationIdentifier), serial \(manifest.serial), with \(groups)"
            )
        }
    }

    /// Refuses to write over anything but a manifest: a program or a key that a slip named would be lost.
    private static func checkMayReplace(_ path: String) throws(Refusal) {
        try OwnFolder.check(path)
        guard access(path, F_OK) == 0 else { return }
        let document = try? AtomicFile.read(path, limit: 1 << 20).map { (file) throws(IdentityError) in
            try SignedDocument(text: file.bytes.filter { $0 != UInt8(ascii: "\n") })
        }
        guard document?.purpose == .manifest else {
            throw Refusal("\(path.printable) is there already and is no manifest; remove it, or name another file")
        }
    }

    private func sign(
        _ path: String,
        with key: TeamKeyFile,
        at now: Date
    ) throws(Refusal) -> (ProgramFile, ProgramManifest) {
        let program: ProgramFile
        do throws(IdentityError) { program = try ProgramFile(path: path) } catch { throw Refusal(error.description) }
        let (application, groups, isTrue) = try entitlements(of: program.path, key.team)
        do throws(IdentityError) {
            var contents = ProgramManifest.Contents(
                team: key.team,
                applicationIdentifier: application,
                accessGroups: groups,
                executable: program.digest,
                serial: serial ?? Int(now.timeIntervalSince1970),
                created: SigningTime.text(now)
            )
            for library in libraries { contents.libraries.append(try ProgramFile.digest(ofLibrary: library)) }
            contents.isJIT = jit || isTrue("com.apple.security.cs.allow-jit")
            contents.allowsPreload = preload || isTrue("com.apple.security.cs.allow-dyld-environment-variables")
            contents.allowsFilters = seccomp
            contents.statements = key.statements
            return (program, try ProgramManifest(signing: contents, by: key.key))
        } catch { throw Refusal(error.description) }
    }

    /// The application identifier and the access groups of a program, and the value of an entitlement.
    private func entitlements(
        of path: String,
        _ team: TeamIdentifier
    ) throws(Refusal) -> (application: String, groups: [String], isTrue: (String) -> Bool) {
        let folder = try? ProgramFolder(path: path)
        let name = identifier ?? (try? folder?.bundleIdentifier()) ?? URL(fileURLWithPath: path).lastPathComponent
        let bundleIdentifier = name.hasPrefix(team.prefix) ? String(name.dropFirst(team.prefix.count)) : name
        let application = team.prefix + bundleIdentifier
        guard let entitlements else { return (application, [application], { _ in false }) }
        let url = URL(fileURLWithPath: entitlements)
        let file = try EntitlementsFile(url, prefix: team.prefix, bundleIdentifier: bundleIdentifier)
        guard file.unknownVariables.isEmpty else {
            throw Refusal("\(entitlements): unknown variable \(file.unknownVariables[0])")
        }
        let groups = GroupsFile.groups(of: file.contents)
        let named = ["application-identifier", "com.apple.application-identifier"].compactMap {
            file.contents[$0]?.string
        }
        if let other = groups.first(where: { !team.owns($0) }) {
            throw Refusal(
                "\(entitlements) names '\(other)', which a signature cannot grant: a program's groups begin with its team's "
                    + "\(team.prefix) In the file, write $(AppIdentifierPrefix) for it."
            )
        }
        return (named.first ?? application, groups, { file.contents[$0] == .boolean(true) })
    }
}
