// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// A folder with programs, a team that signs them, and a socket that they connect to.
final class Workbench {
    let folder: TemporaryFolder
    let key = TeamKey()
    var options = IdentityOptions()
    var record = IdentityRecord()
    private let listener: Int32

    /// As many bytes as a program may have sent before it is looked at.
    static let greetingByteCount = 16

    init(in base: String? = nil) throws {
        folder = try TemporaryFolder(prefix: "kp", in: base)
        options.rootManifestFolder = folder.path(of: "programs.d")
        options.manifestFolders = [folder.path(of: "manifests")]
        listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        let bound = Self.withAddress(folder.path(of: "s")) { bind(listener, $0, $1) }
        guard bound == 0, listen(listener, 16) == 0 else { throw PeerProgram.Failure("listen: \(errno)") }
    }

    deinit { close(listener) }

    private static func withAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8) + [0]) }
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    var socketPath: String { folder.path(of: "s") }

    /// A copy of the helper.
    func install(_ name: String = "tool") throws -> String {
        let path = folder.path(of: name)
        try InstalledProgram.copy(PeerProgram.path(), to: path)
        return path
    }

    /// A folder with one program, which the team signed.
    static func withSignedTool(in base: String? = nil) throws -> (bench: Workbench, tool: String) {
        let bench = try Workbench(in: base)
        let tool = try bench.install()
        try bench.sign(tool)
        return (bench, tool)
    }

    var team: TeamIdentifier { TeamIdentifier(firstKey: key.publicKey) }

    /// What a manifest of a program says, which tests change.
    func contents(_ path: String, serial: Int = 7) throws -> ProgramManifest.Contents {
        ProgramManifest.Contents(
            team: team,
            applicationIdentifier: team.prefix + "com.example.tool",
            accessGroups: [team.prefix + "com.example.tool", team.prefix + "com.example.shared"],
            executable: try ProgramFile(path: path).digest,
            serial: serial,
            created: "2026-11-23T03:00:00Z"
        )
    }

    /// Signs a program by the team's key, or another one.
    @discardableResult
    func sign(
        _ path: String,
        by signer: TeamKey? = nil,
        to file: String? = nil,
        _ change: (inout ProgramManifest.Contents) -> Void = { _ in }
    ) throws -> ProgramManifest {
        var contents = try contents(path)
        change(&contents)
        let manifest = try ProgramManifest(signing: contents, by: signer ?? key)
        try write(manifest.document.text + "\n", to: file ?? path + ProgramManifest.fileSuffix)
        return manifest
    }

    func write(_ text: String, to path: String) throws {
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(
            at: url.deletingLastPathComponent(),
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o755]
        )
        try Data(text.utf8).write(to: url)
    }

    /// The next connection.
    func accept() throws -> Connection {
        var ready = pollfd(fd: listener, events: Int16(POLLIN), revents: 0)
        guard poll(&ready, 1, 120_000) > 0 else { throw PeerProgram.Failure("nobody connects") }
        let socket = Glibc.accept(listener, nil, nil)
        guard socket >= 0 else { throw PeerProgram.Failure("accept") }
        return Connection(socket)
    }

    final class Connection {
        let socket: Int32
        init(_ socket: Int32) { self.socket = socket }
        deinit { close(socket) }
    }

    /// Starts a program that connects.
    func start(_ words: String...) throws -> (PeerProgram, Connection) {
        let program = try PeerProgram(words + [socketPath])
        return (program, try accept())
    }

    /// Starts a program as Flatpak does, as `org.example.App`, and waits until it has connected.
    func startFlatpak(_ tool: String, _ options: [String] = []) throws -> (PeerProgram, Connection) {
        // A file for the root folder, over one that is there: nothing is left behind outside of the namespace.
        let script = #"""
            mkdir "$1/upper" && mount -t tmpfs none "$1/upper" && printf '[Application]\nname=org.example.App\n' > "$1/upper/.flatpak-info" &&
            for d in bin lib lib64 usr opt tmp; do
                [ -e /$d ] && mkdir -p "$1/upper/$d" && mount --rbind /$d "$1/upper/$d"; done
            exec chroot "$1/upper" "$2" "$3"
            """#
        let sandbox = folder.path(of: "sandbox")
        try FileManager.default.createDirectory(atPath: sandbox, withIntermediateDirectories: false)
        let launcher = ["/usr/bin/unshare", "--mount"] + options
        let program = try PeerProgram(launcher + ["/bin/sh", "-c", script, "sh", sandbox, tool, socketPath])
        return (program, try accept())
    }

    /// Who a connected process is, to an examiner that may know hashes of files, or to a new one.
    func identify(_ connection: Connection, by examiner: ProgramExaminer? = nil) throws -> IdentifiedPeer {
        let peer = try PeerProcess(socket: connection.socket, greetingByteCount: Self.greetingByteCount)
        return (examiner ?? ProgramExaminer(options)).identify(peer, &record)
    }

    /// Who a process is that need not be connected.
    func identify(_ program: PeerProgram) throws -> IdentifiedPeer {
        ProgramExaminer(options).identify(try PeerProcess(identifier: program.identifier), &record)
    }

    /// Expects that a program is identified, and is not answered any more after it has carried out some commands.
    func expectRefusal(
        of path: String,
        after commands: String...,
        answering answer: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let (program, connection) = try start(path)
        let peer = try identify(connection)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)", sourceLocation: sourceLocation)
        try peer.confirm()
        for command in commands { #expect(try program.ask(command) == answer, sourceLocation: sourceLocation) }
        #expect(throws: KeychainError.self, sourceLocation: sourceLocation) { try peer.confirm() }
        withExtendedLifetime(connection) {}
    }

    /// Who a program is that is started and connects.
    func identity(_ words: String..., by examiner: ProgramExaminer? = nil) throws -> ClientIdentity {
        let program = try PeerProgram(words + [socketPath])
        defer { withExtendedLifetime(program) {} }
        return try identify(accept(), by: examiner).identity
    }

    /// A process that has the last byte of a file mapped, and can change it without a change of the file's times.
    static func mapping(_ path: String) throws -> PeerProgram {
        let mapping = try PeerProgram([PeerProgram.path(), "-"])
        #expect(try mapping.ask("map \(path)") == "mapped")
        return mapping
    }

    /// The mark of a file.
    static func mark(_ path: String) throws -> FileMark {
        var status = stat()
        guard stat(path, &status) == 0 else { throw PeerProgram.Failure("stat \(path): \(errno)") }
        return FileMark(status)
    }

    /// Waits until a file was last changed so long ago that its hash may be cached.
    static func waitUntilSettled(_ path: String) throws {
        let isSettled = eventually("\(path) was changed more than a second ago") {
            var status = stat()
            var now = timespec()
            guard stat(path, &status) == 0, clock_gettime(CLOCK_REALTIME, &now) == 0 else { return false }
            return (now.tv_sec, now.tv_nsec) > (status.st_ctim.tv_sec + 1, status.st_ctim.tv_nsec)
        }
        guard isSettled else { throw PeerProgram.Failure("\(path) is in the future") }
    }

    /// The helper, compiled with further arguments, such as a library to link it to.
    func program(_ name: String, _ arguments: String...) throws -> String {
        let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        let source = tests.deletingLastPathComponent().appendingPathComponent("Support/signed-program/main.c").path
        let path = folder.path(of: name)
        let words = ["/usr/bin/env", "clang", "-O1", "-pthread", "-Wl,--no-as-needed", "-o", path, source]
        try PeerProgram.run(words + arguments)
        return path
    }

    /// A library that is compiled from C.
    func library(_ name: String, _ source: String) throws -> String {
        let path = folder.path(of: name)
        try write(source, to: path + ".c")
        try PeerProgram.run(["/usr/bin/env", "clang", "-O2", "-shared", "-fPIC", "-o", path, path + ".c"])
        return path
    }
}

/// Expects that a program is anonymous and owns no group, and that a reason has these words.
func expectAnonymous(
    _ identity: ClientIdentity,
    _ words: String,
    at location: SourceLocation = #_sourceLocation
) {
    #expect(identity.kind == .anonymous, "\(identity)", sourceLocation: location)
    #expect(identity.ownedGroups.isEmpty, sourceLocation: location)
    let reasons = identity.reasons.joined(separator: "\n")
    #expect(reasons.contains(words), "\(reasons)", sourceLocation: location)
}

/// Expects that what sees another system, and so may be confined, has no group that programs of the user share.
func expectSandboxed(
    _ identity: ClientIdentity,
    _ words: String,
    at location: SourceLocation = #_sourceLocation
) {
    expectAnonymous(identity, words, at: location)
    #expect(identity.isSandboxed, sourceLocation: location)
    #expect(identity.groups(claimed: ["swift-keychain.common", "mine"]).isEmpty, sourceLocation: location)
    #expect(identity.refusal(of: "mine")?.contains(words) == true, sourceLocation: location)
}
