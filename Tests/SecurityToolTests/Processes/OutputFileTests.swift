// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import SecurityTranscripts
import Testing

/// Files that commands write secrets to.
struct OutputFileTests {
    private let user: ToolUser
    private let path: String

    init() throws {
        user = try ToolUser()
        path = user.temporary.path(of: "dump")
        try user.run(["add-generic-password", "-a", "alice", "-s", "svc", "-w", "hunter2"])
    }

    private func dump(_ path: String) throws -> ToolProcess.Result {
        try user.run(["dump-keychain", "-d", "-o", path])
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test("a file that is there is replaced by one of mode 0600, and who has it open gets nothing of the new one")
    func replaced() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        #expect(chmod(path, 0o666) == 0)
        let old = try #require(FileHandle(forReadingAtPath: path))
        #expect(try dump(path).status == 0)
        var status = stat()
        #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
        #expect(try text(path).contains("hunter2"))
        #expect(try old.readToEnd() == Data("old".utf8))
        #expect(try FileManager.default.contentsOfDirectory(atPath: user.temporary.path) == ["dump"])
    }

    @Test("no output takes the place of a file of the keychain, or of a keychain file")
    func ownFiles() throws {
        let keychain = user.temporary.path(of: "x.keychain")
        try user.run(["create-keychain", "-p", "p", keychain])
        let link = user.temporary.path(of: "link")
        #expect(symlink(user.keychainPath, link) == 0)
        let names = ["root.key", "keychain.db", "new"]
        let paths = names.flatMap { ["\(user.keychainPath)/\($0)", "\(link)/\($0)"] } + [keychain]
        for path in paths {
            let before = FileManager.default.contents(atPath: path)
            #expect(try dump(path).status == 1, "\(path)")
            #expect(FileManager.default.contents(atPath: path) == before, "\(path)")
        }
    }

    @Test("no keychain file is made in the keychain's own folder, where it would be taken for one of its files")
    func ownFolder() throws {
        let path = "\(user.keychainPath)/keychain.db.new"
        #expect(try user.run(["create-keychain", "-p", "p", path]).status != 0)
        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test("an export in the place of a file that everybody could read is for the caller alone")
    func exported() throws {
        let workshop = try Workshop()
        try workshop.run("openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=a -out certificate.pem")
        let session = ToolSession(user)
        let keychain = user.temporary.path(of: "x.keychain")
        let files = try ["key.pem", "certificate.pem"].map { name in
            let file = user.current.path(of: name)
            try Data(workshop.bytes(name)).write(to: URL(fileURLWithPath: file))
            return file
        }
        for words in [["create-keychain", "-p", "p", keychain]] + files.map({ ["import", $0, "-k", keychain] }) {
            #expect(try session.run(words, input: nil).status == 0, "\(words)")
        }
        for kind in ["privKeys", "certs"] {
            try Data("old".utf8).write(to: URL(fileURLWithPath: path))
            #expect(chmod(path, 0o644) == 0)
            let words = ["export", "-k", keychain, "-t", kind, "-f", "pemseq", "-o", path]
            #expect(try session.run(words, input: nil).status == 0)
            var status = stat()
            #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600, "\(kind)")
            #expect(try text(path).contains("BEGIN"))
        }
    }

    @Test("a symbolic link, a folder and a device are refused, and nothing is written")
    func refused() throws {
        let target = user.temporary.path(of: "target")
        try Data("old".utf8).write(to: URL(fileURLWithPath: target))
        #expect(symlink(target, path) == 0)
        let linked = try dump(path)
        #expect(linked.status == 1 && linked.errorText.contains("symbolic link"))
        #expect(try text(target) == "old")
        for other in [user.temporary.path, "/dev/zero", ""] { #expect(try dump(other).status == 1, "\(other)") }
    }

    @Test(
        "a file of another user is refused, and stays as it is",
        .enabled(if: geteuid() == 0, "only the superuser can give a file away")
    )
    func foreign() throws {
        try Data("old".utf8).write(to: URL(fileURLWithPath: path))
        #expect(chown(path, 65_534, 65_534) == 0)
        let refused = try dump(path)
        #expect(refused.status == 1 && refused.errorText.contains("belongs to user 65534"))
        #expect(try text(path) == "old")
    }

    @Test("standard output, /dev/null and a pipe of the caller's are written to directly")
    func direct() throws {
        for name in ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"] {
            #expect(try dump(name).outputText.contains("hunter2"), "\(name)")
        }
        #expect(try dump("/dev/null").status == 0)
        #expect(mkfifo(path, 0o600) == 0)
        let pipe = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK)
        defer { close(pipe) }
        #expect(try dump(path).status == 0)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        let count = read(pipe, &bytes, bytes.count)
        #expect(String(decoding: bytes[..<max(count, 0)], as: UTF8.self).contains("hunter2"))
    }

    @Test("an input without an end is refused", .timeLimit(.minutes(5)), arguments: ["import", "add-certificates"])
    func endless(_ command: String) throws {
        let refused = try user.run([command, "/dev/zero"])
        #expect(refused.status == 1)
        #expect((refused.errorText + refused.outputText).contains("/dev/zero"))
    }
}
