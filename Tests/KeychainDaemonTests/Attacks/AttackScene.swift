// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainRouting
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

@testable import KeychainIdentity

/// A daemon with an item of a signed program, and that program.
final class AttackScene {
    /// What a program gets for its command.
    enum Answer: Equatable {
        case secret
        case refused(Status)
        /// The connection is closed.
        case nothing
    }

    struct Failure: Error { let reason: String }

    /// A program that nobody signed.
    let other: String

    /// The signed program, without a manifest.
    private let source: String

    /// The group of the item.
    let group: String

    private let mode: ProgramAttackTests.Mode
    private let user: DaemonFolder?
    private let system: SystemServiceFolder?
    private let folder: String
    private let key = TeamKey()
    private let contents: ProgramManifest.Contents
    private var number = 0
    private var rootsFolder: TemporaryFolder?
    private static let secret = Array("the secret of the signed program".utf8)
    private static let anna: uid_t = 1
    private static let date = "2026-11-23T03:00:00Z"

    init(_ mode: ProgramAttackTests.Mode) throws {
        self.mode = mode
        user = mode == .user ? try DaemonFolder() : nil
        system = mode == .system ? try SystemServiceFolder(looksAtPrograms: true) : nil
        if let user { _ = try user.parts().daemon.perform(.device(.status)) }
        folder = user?.path(beside: "programs") ?? system?.path(of: "programs") ?? ""
        other = "\(folder)/other"
        let team = TeamIdentifier(firstKey: key.publicKey)
        group = "\(team.prefix)com.example.tool"
        try Self.makeFolder(folder)
        source = "\(folder)/source"
        try InstalledProgram.copy(DaemonFolder.program("signed-program"), to: source)
        contents = ProgramManifest.Contents(
            team: team,
            applicationIdentifier: group,
            accessGroups: [group],
            executable: try ProgramFile(path: source).digest,
            serial: 2,
            created: Self.date
        )
        try run("/bin/cp", source, other)
        // It is another executable, and does the same.
        try run("/bin/sh", "-c", "printf x >> \"$0\"", other)
        if let system {
            let shell = try system.enabledShell(of: Self.anna)
            let set = try shell.control("device set-passcode --passcode-stdin", input: "1234\n")
            guard set.status == 0 else { throw Failure(reason: "\(set)") }
        }
        let item: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("name"), "agrp": .string(group),
            PropertyKey.valueData: .data(SecretBytes(Self.secret)),
        ]
        let added = try answer(to: ProgramAttack(name: "the add", expected: .nothing), .add(item))
        guard added == .nothing else { throw Failure(reason: "\(added)") }
    }

    /// Makes a folder that every user can look into.
    static func makeFolder(_ path: String) throws {
        guard mkdir(path, 0o755) == 0, chmod(path, 0o755) == 0 else { throw Failure(reason: "\(path): \(errno)") }
    }

    /// The manifest of the program as its team signs it, with other contents, or by another key.
    func manifest(
        by signer: TeamKey? = nil,
        _ change: (inout ProgramManifest.Contents) -> Void = { _ in }
    ) throws -> String {
        var contents = self.contents
        change(&contents)
        return try ProgramManifest(signing: contents, by: signer ?? key).document.text + "\n"
    }

    /// A manifest of the other program that somebody else signed, between the header and the signature of the team's.
    func forgedManifest() throws -> String {
        let digest = try ProgramFile(path: other).digest
        let own = try manifest().split(separator: ".")
        let forged = try manifest(by: TeamKey()) { $0.executable = digest }.split(separator: ".")
        return "\(own[0]).\(forged[1]).\(own[2])"
    }

    /// A valid manifest of the program, by another team.
    func manifestOfOtherTeam() throws -> String {
        let signer = TeamKey()
        let team = TeamIdentifier(firstKey: signer.publicKey)
        return try manifest(by: signer) { contents in
            contents.team = team
            contents.applicationIdentifier = "\(team.prefix)com.example.tool"
            contents.accessGroups = [contents.applicationIdentifier]
        }
    }

    /// A manifest by a key that the team adds, which revokes the first.
    func manifestByNextKey() throws -> String {
        let next = TeamKey()
        let rotation = TeamStatement.Content.rotation(newKey: next.publicKey)
        let revocation = TeamStatement.Content.keyRevocation(key: key.publicKey, successor: next.publicKey)
        let statements = [
            try TeamStatement(rotation, of: contents.team, created: Self.date, by: key),
            try TeamStatement(revocation, of: contents.team, created: Self.date, by: next),
        ]
        return try manifest(by: next) { $0.statements = statements }
    }

    /// A script in a folder, with an interpreter that it tells to connect nowhere.
    func script(in folder: String, for interpreter: String) throws -> String {
        let path = "\(folder)/script"
        try run("/bin/sh", "-c", #"printf '#!%s -\n' "$1" > "$0" && chmod 755 "$0""#, path, interpreter)
        return path
    }

    /// The beginning of a command that runs the program of a folder with another root folder.
    ///
    /// Its paths lead to copies of the program, of its manifest and of whatever it loads, and to the daemon's socket.
    /// Mounts would take a mount namespace, which is refused anyway.
    func changeRoot(to root: String, of folder: String) throws -> [String] {
        let script = #"""
            umask 022
            files="$(ldd "$0/tool" /usr/bin/setpriv | grep -o '/[^ :)]*')"
            for file in "$0/tool" "$0/tool$3" /usr/bin/setpriv $files; do
                [ -e "$file" ] || continue
                mkdir -p "$1${file%/*}" && cp -L "$file" "$1$file" || exit
            done
            mkdir -p "$1${2%/*}" && ln "$2" "$1$2"
            """#
        try run("/bin/sh", "-c", script, folder, root, socket, ProgramManifest.fileSuffix)
        let change = ["/bin/sh", "-c", #"PATH=$PATH:/usr/sbin:/sbin; exec chroot "$0" "$@""#, root]
        return (geteuid() == 0 ? [] : Namespaces.launcher) + change
    }

    /// What lets a program choose the numbers of its children (clone(2)); root may.
    var choosingNumbers: [String] { mode == .system ? ["--inh-caps=+sys_admin", "--ambient-caps=+sys_admin"] : [] }

    /// A library that nobody signed.
    var library: String {
        get throws { try library("evil.so", "unsigned la_version(unsigned version) { return version; }") }
    }

    /// A library that is compiled from C, once.
    func library(_ name: String, _ source: String, in place: String? = nil) throws -> String {
        let path = "\(place ?? folder)/\(name)"
        guard access(path, F_OK) != 0 else { return path }
        try Data(source.utf8).write(to: URL(fileURLWithPath: "\(path).c"))
        try run("/usr/bin/env", "clang", "-O2", "-shared", "-fPIC", "-o", path, "\(path).c")
        try run("/bin/chmod", "755", path)
        return path
    }

    /// A library that only root can change and that is an interpreter by its name.
    var interpreter: String {
        get throws {
            let place = try rootsFolder ?? TemporaryFolder(prefix: "swift-keychain", in: Self.stateFolder)
            rootsFolder = place
            #expect(chmod(place.path, 0o755) == 0)
            return try library("libpython3.99.so.1.0", "int Py_Main(void) { return 0; }", in: place.path)
        }
    }

    /// A folder of the system that only root can write to.
    private static let stateFolder = "/var/lib"

    /// Whether this process can make such a library.
    static let mayMakeSystemLibraries = geteuid() == 0 && access(stateFolder, W_OK) == 0

    /// Runs a program to its end: what this process has open for writing, a child that another test starts meanwhile
    /// has open as well, and the kernel executes no such file.
    func run(_ words: String...) throws {
        let process = try HelperProcess(words[0], Array(words.dropFirst()))
        let status = try process.wait()
        guard status == 0 else { throw HelperProcess.Failure.system("\(words)", status) }
    }

    /// Writes a file that every user can read.
    func write(_ text: String, to path: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        try run("/bin/chmod", "644", path)
    }

    /// What the program gets when it asks for its item, under attack.
    func answer(to attack: ProgramAttack) throws -> Answer {
        var query: PropertyDictionary = [
            "class": .string("genp"), "acct": .string("name"), PropertyKey.returnData: .boolean(true),
        ]
        if attack.namesGroup { query["agrp"] = .string(group) }
        return try answer(to: attack, .copyMatching(query))
    }

    private func answer(to attack: ProgramAttack, _ operation: KeychainRequest.Operation) throws -> Answer {
        let (program, place) = try start(attack)
        try tell(program, steps: attack.before(place, self) + [("connect \(socket)", "connected")], of: attack)
        #expect(try program.transmit(ClientGreeting().bytes), "\(attack.name)")
        guard try program.receive(Greeting.byteCount).count == Greeting.byteCount else { return .nothing }
        try tell(program, steps: attack.after(place, self), of: attack)
        let request = KeychainRequest(operation, client: Client(accessGroups: attack.groups(self)))
        let command = try WireMessage.command(1, .items(request)).encoded().unprotectedCopy
        try program.transmit(command, by: attack.isCopied ? "copy" : "transmit")
        return try receiveAnswer(program)
    }

    /// The program under attack before it connects, and its folder.
    private func start(_ attack: ProgramAttack) throws -> (HelperProcess, String) {
        number += 1
        let place = "\(folder)/\(number)"
        try Self.makeFolder(place)
        try run("/bin/cp", source, "\(place)/tool")
        try write(attack.manifest(self), to: "\(place)/tool\(ProgramManifest.fileSuffix)")
        let asUser = mode == .system ? SystemServiceFolder.asUser(Self.anna) : []
        let words = try attack.launcher(place, self) + asUser + attack.prefix(self) + attack.words(place, self) + ["-"]
        let program = try HelperProcess(words[0], Array(words.dropFirst()))
        #expect(try program.nextLine() == "ready", "\(attack.name)")
        try attack.meanwhile(place, self)
        return (program, place)
    }

    /// What `keychainctl verify` says of the program under attack.
    func verification(of attack: ProgramAttack) throws -> Shell.Outcome {
        let (program, place) = try start(attack)
        try tell(program, steps: attack.before(place, self), of: attack)
        let shell = Shell(environment: ["HOME": folder, "PATH": "/usr/bin:/bin"])
        return try shell.run("keychainctl", ["verify", "--pid", "\(program.identifier)"])
    }

    private func tell(_ program: HelperProcess, steps: [(String, String)], of attack: ProgramAttack) throws {
        for (command, answer) in steps { #expect(try program.ask(command) == answer, "\(attack.name): \(command)") }
    }

    private func receiveAnswer(_ program: HelperProcess) throws -> Answer {
        while let frame = try program.frame() {
            if frame.firstRange(of: Self.secret) != nil { return .secret }
            switch try WireMessage(SecretBytes(frame)) {
            case .working: continue
            case .failure(_, let error): return .refused(error.status)
            default: return .nothing
            }
        }
        return .nothing
    }

    private var socket: String { user?.socket ?? system?.socket.path ?? "" }
}

/// Whether and how this process has programs run in namespaces of their own.
enum Namespaces {
    /// The beginning of a command that makes some: as root, or as the root of a user namespace.
    static let launcher = ["/usr/bin/unshare"] + (geteuid() == 0 ? [] : ["--user", "--map-root-user"])

    static let arePossible: Bool = {
        let words = ["--mount", "--pid", "--fork", "--kill-child", "/bin/sh", "-c", ":"]
        return (try? HelperProcess(launcher[0], Array(launcher.dropFirst()) + words).wait()) == 0
    }()
}
