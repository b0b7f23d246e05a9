// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import KeychainWire
import ServerTestSupport
import Testing

/// A copy of a signed program that is changed through a shared mapping, which leaves its times as they are, and then
/// asks each of the daemons.
@Suite(.enabled(if: TemporaryFolder.memory != nil, "there is no tmpfs"), .timeLimit(.minutes(10)))
struct SharedMappingTests {
    private static let anna: uid_t = 1

    /// Changes the last byte of a file; its times stay as they are.
    private static let change = """
        import mmap, os
        path = %@
        before = os.stat(path)
        with open(path, "r+b") as file:
            page = mmap.mmap(file.fileno(), 0)
            page[len(page) - 1] ^= 1
            page.close()
        after = os.stat(path)
        assert (before.st_ctime_ns, before.st_size, before.st_ino) == (after.st_ctime_ns, after.st_size, after.st_ino)
        """

    @Test("the changed program finds nothing of the signed one, although the daemon knew that")
    func user() throws {
        let folder = try DaemonFolder()
        let shell = try Shell.beside(folder)
        try attack(shell, shell, owner: geteuid())
        withExtendedLifetime(folder) {}
    }

    @Test(
        "the same with the system service",
        .enabled(if: SystemServiceFolder.mayLookAtPrograms, "the service needs CAP_SYS_PTRACE to look at programs")
    )
    func system() throws {
        let service = try SystemServiceFolder(looksAtPrograms: true)
        let root = Shell(environment: ["HOME": service.path(of: ""), "PATH": "/usr/bin:/bin"])
        let anna = try service.enabledShell(of: Self.anna)
        // Without one, the service stores nothing for signed programs.
        let set = try anna.control("device set-passcode --passcode-stdin", input: "1234\n")
        #expect(set.status == 0, "\(set)")
        try attack(anna, root, owner: Self.anna)
        withExtendedLifetime(service) {}
    }

    /// Has a user patch a copy of a program that somebody else signed.
    private func attack(_ shell: Shell, _ signer: Shell, owner: uid_t) throws {
        let folder = try TemporaryFolder(prefix: "km", in: TemporaryFolder.memory)
        #expect(chmod(folder.path, 0o755) == 0)
        let (tool, key) = (folder.path(of: "tool"), folder.path(of: "team.pem"))
        try InstalledProgram.copy(DaemonFolder.program("security"), to: tool)
        for words in try [["team", "create", key], SigningWords.of(tool, key: key)] {
            let outcome = try signer.run("keychainctl", words)
            #expect(outcome.status == 0, "\(outcome)")
        }
        #expect(chown(folder.path, owner, owner) == 0 && chown(tool, owner, owner) == 0)
        let words = ["-a", "name", "-s", "service"]
        let added = try shell.run(tool, ["add-generic-password"] + words + ["-w", "signed"])
        #expect(added.status == 0, "\(added)")
        func find() throws -> Shell.Outcome { try shell.run(tool, ["find-generic-password"] + words + ["-w"]) }
        // So that the daemon may have cached its hash.
        let isSettled = eventually("the program was changed more than a second ago") {
            var status = stat()
            return stat(tool, &status) == 0 && time(nil) > status.st_ctim.tv_sec + 1
        }
        #expect(isSettled)
        #expect(try find().output == "signed\n")
        try Workshop().python(Self.change.replacingOccurrences(of: "%@", with: "'\(tool)'"))
        let changed = try find()
        #expect(changed.status == 44 && !changed.output.contains("signed"), "\(changed)")
    }
}
