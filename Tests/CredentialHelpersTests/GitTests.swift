// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// The real git, with `git-credential-keychain` as its helper.
@Suite(.enabled(if: Caller.git != nil, "there is no git"))
struct GitTests {
    private let programs: HelperPrograms
    private let git: String

    init() throws {
        programs = try HelperPrograms()
        git = try #require(Caller.git)
        let configuration = "[credential]\n\thelper =\n\thelper = \(programs.path(.git))\n"
        try configuration.write(toFile: programs.folder.path(of: ".gitconfig"), atomically: false, encoding: .utf8)
    }

    private func credential(_ operation: String, _ input: String) throws -> Shell.Outcome {
        try programs.shell.run(git, ["credential", operation], input: input)
    }

    @Test("fill, approve and reject")
    func sequence() throws {
        let place = "protocol=https\nhost=example.com\n"
        #expect(try credential("fill", place).status != 0)
        #expect(try credential("approve", "\(place)username=ada\npassword=s3cret\n").errors.isEmpty)
        let filled = try credential("fill", place)
        #expect(filled.status == 0 && filled.output == "\(place)username=ada\npassword=s3cret\n")
        // A rejection of an old password leaves the new one.
        #expect(try credential("reject", "\(place)username=ada\npassword=old\n").status == 0)
        #expect(try credential("fill", place).status == 0)
        #expect(try credential("reject", "\(place)username=ada\npassword=s3cret\n").status == 0)
        #expect(try credential("fill", place).status != 0)
    }

    @Test("paths are told apart where git is asked to")
    func paths() throws {
        let run = { (operation: String, input: String) in
            try programs.shell.run(
                git,
                ["-c", "credential.useHttpPath=true", "credential", operation],
                input: input
            )
        }
        let place = "protocol=https\nhost=example.com\n"
        #expect(try run("approve", "\(place)path=a.git\nusername=u\npassword=p\n").status == 0)
        #expect(try run("fill", "\(place)path=a.git\n").output.contains("password=p\n"))
        #expect(try run("fill", "\(place)path=b.git\n").status != 0)
    }

    @Test("a clone over HTTP takes its password from the keychain, and a wrong one is erased")
    func clone() throws {
        let server = try AuthenticatingServer(in: programs.folder, user: "ada", password: "s3cret")
        let source = programs.folder.path(of: "www/repo.git")
        let made = try programs.shell.run("/bin/sh", ["-c", Self.makeRepository, "sh", source])
        #expect(made.status == 0, "\(made)")
        let place = "protocol=http\nhost=127.0.0.1:\(server.port)\n"
        let url = "http://127.0.0.1:\(server.port)/repo.git"
        let clone = { (name: String) in
            try programs.shell.run(git, ["clone", "-q", url, programs.folder.path(of: name)])
        }
        #expect(try clone("none").status != 0)
        #expect(try credential("approve", "\(place)username=ada\npassword=wrong\n").status == 0)
        #expect(try clone("wrong").status != 0)
        let erased = try programs.run(.git, ["get"], input: place)
        #expect(erased == Shell.Outcome(status: 0, output: "", errors: ""))
        #expect(try credential("approve", "\(place)username=ada\npassword=s3cret\n").status == 0)
        let cloned = try clone("right")
        #expect(cloned.status == 0, "\(cloned)")
        #expect(FileManager.default.fileExists(atPath: programs.folder.path(of: "right/file")))
        #expect(try programs.run(.git, ["get"], input: place).output == "username=ada\npassword=s3cret\n")
        withExtendedLifetime(server) {}
    }

    /// A repository that is served as files.
    private static let makeRepository = """
        set -e
        work="$(mktemp -d)"
        git init -q "$work"
        echo contents > "$work/file"
        git -C "$work" add file
        git -C "$work" -c user.name=A -c user.email=a@example.com commit -q -m one
        mkdir -p "$(dirname "$1")"
        git clone -q --bare "$work" "$1"
        git -C "$1" update-server-info
        rm -rf "$work"
        """
}

/// Files over HTTP for one user, by a server in Python on the loopback interface.
private final class AuthenticatingServer {
    let port: Int
    private let process: Process

    init(in folder: TemporaryFolder, user: String, password: String) throws {
        let script = folder.path(of: "server.py")
        try FileManager.default.createDirectory(atPath: folder.path(of: "www"), withIntermediateDirectories: true)
        try Self.source.write(toFile: script, atomically: false, encoding: .utf8)
        process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", script, folder.path(of: "www"), user, password]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        // It listens before it tells where.
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        guard let port = Int(line.trimmingCharacters(in: .whitespacesAndNewlines)) else { throw Failure(line: line) }
        self.port = port
    }

    struct Failure: Error { let line: String }

    deinit {
        // Children of a test have most signals blocked.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    private static let source = """
        import base64, functools, http.server, sys
        folder, user, password = sys.argv[1:]
        expected = "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()
        class Handler(http.server.SimpleHTTPRequestHandler):
            def do_GET(self):
                if self.headers.get("Authorization") == expected: return super().do_GET()
                self.send_response(401)
                self.send_header("WWW-Authenticate", 'Basic realm="test"')
                self.send_header("Content-Length", "0")
                self.end_headers()
        server = http.server.HTTPServer(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
        print(server.server_port, flush=True)
        server.serve_forever()
        """
}
