// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Foundation
import Glibc
import KeychainCore
import KeychainHost
import KeychainTestSupport
import Testing

@testable import KeychainIdentity

/// Attempts to be taken for a signed program by what is done to its process.
struct ProcessAttackTests {
    private let bench: Workbench
    private let tool: String

    init() throws { (bench, tool) = try Workbench.withSignedTool() }

    private static let isRoot = geteuid() == 0

    @Test("a library by LD_PRELOAD")
    func preload() throws {
        let library = try bench.library("evil.so", "int evil(void) { return 1; }")
        expectAnonymous(try bench.identity("/usr/bin/env", "LD_PRELOAD=\(library)", tool), "LD_PRELOAD")
    }

    @Test("a library by LD_AUDIT")
    func audit() throws {
        let library = try bench.library("audit.so", "unsigned la_version(unsigned version) { return version; }")
        expectAnonymous(try bench.identity("/usr/bin/env", "LD_AUDIT=\(library)", tool), "audit.so")
    }

    @Test("a library that is removed after it was loaded")
    func removedLibrary() throws {
        let library = try bench.library("gone.so", "int evil(void) { return 1; }")
        let program = try PeerProgram(["/usr/bin/env", "LD_PRELOAD=\(library)", tool, bench.socketPath])
        #expect(unlink(library) == 0)
        expectAnonymous(try bench.identify(bench.accept()).identity, "does not exist")
        withExtendedLifetime(program) {}
    }

    @Test("a library that a manifest names is the program's own")
    func namedLibrary() throws {
        let library = try bench.library("own.so", "int own(void) { return 1; }")
        let digest = try ProgramFile.digest(ofLibrary: library)
        try bench.sign(tool) { contents in
            contents.libraries = [digest]
            contents.allowsPreload = true
        }
        let identity = try bench.identity("/usr/bin/env", "LD_PRELOAD=\(library)", tool)
        #expect(identity.kind == .signed(bench.team), "\(identity.reasons)")
    }

    @Test("a program that is traced")
    func traced() throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("trace") == "traced")
        expectAnonymous(try bench.identify(connection).identity, "is tracing it")
    }

    @Test("a program that is traced after it was looked at is not answered")
    func tracedLater() throws {
        try bench.expectRefusal(of: tool, after: "trace", answering: "traced")
    }

    @Test("a program of which another thread than the first is traced")
    func tracedThread() throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("trace-thread") == "traced")
        expectAnonymous(try bench.identify(connection).identity, "is tracing it")
    }

    @Test("a program of which another thread is traced after it was looked at is not answered, from a second later on")
    func threadTracedLater() throws {
        let (program, connection) = try bench.start(tool)
        let peer = try bench.identify(connection)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        #expect(try program.ask("trace-thread") == "traced")
        #expect(
            eventually("it is refused") {
                do throws(KeychainError) { try peer.confirm() } catch { return error.status == .missingEntitlement }
                return false
            }
        )
        withExtendedLifetime(connection) {}
    }

    @Test("a program whose memory another process has, or a thread that one left", arguments: ["", "thread"])
    func sharedMemory(_ how: String) throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("share \(how)") == "shared")
        expectAnonymous(try bench.identify(connection).identity, "shares its memory")
    }

    @Test("a program that shares its memory with a child for a moment, as one that executes another program does")
    func memorySharedForAMoment() throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("share moment") == "shared")
        let peer = try bench.identify(connection)
        #expect(peer.identity.kind == .signed(bench.team), "\(peer.identity.reasons)")
        #expect(try program.ask("share moment") == "shared")
        try peer.confirm()
    }

    @Test("a program whose memory another process shares once it was looked at is not answered, from a second later on")
    func memorySharedLater() throws {
        let (program, connection) = try bench.start(tool)
        let peer = try bench.identify(connection)
        #expect(peer.identity.isKnown, "\(peer.identity.reasons)")
        #expect(try program.ask("share") == "shared")
        #expect(
            eventually("it is refused") {
                let words = "shares its memory"
                do throws(KeychainError) { try peer.confirm() } catch { return error.reason.contains(words) }
                return false
            }
        )
        withExtendedLifetime(connection) {}
    }

    @Test("a program that becomes another one after it was looked at is not answered")
    func execLater() throws {
        let other = try bench.install("other")
        try bench.expectRefusal(of: tool, after: "exec \(other)", answering: "ready")
    }

    @Test("a program that becomes another one and then itself again is not answered")
    func execToAndFro() throws {
        let other = try bench.install("other")
        try bench.expectRefusal(of: tool, after: "exec \(other)", "exec \(tool)", answering: "ready")
    }

    @Test("a program that sends a command and then becomes a signed one is refused")
    func execAfterMessage() throws {
        let evil = try bench.install("evil")
        let (program, connection) = try bench.start(evil)
        #expect(try program.ask("send a greeting and a command") == "sent")
        #expect(try program.ask("exec \(tool)") == "ready")
        #expect(throws: IdentityError.self) { try bench.identify(connection) }
    }

    /// Who holds the other end of the socket, the kernel does not say: the server compares the sender of each message
    /// (SCM_CREDENTIALS) with the process that was looked at.
    @Test(
        "a program that connects and becomes a signed one is taken for it: what others send on its socket is not its own"
    )
    func execBeforeMessage() throws {
        let evil = try bench.install("evil")
        let (program, connection) = try bench.start(evil)
        #expect(try program.ask("exec \(tool)") == "ready")
        #expect(try bench.identify(connection).identity.kind == .signed(bench.team))
        let (other, sender) = try bench.start(evil)
        #expect(try bench.identify(sender).identity.kind == .anonymous)
        withExtendedLifetime((program, other)) {}
    }

    @Test("a process that has ended is refused, whoever holds its socket")
    func passedSocket() throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("leave") == "left")
        #expect(throws: IdentityError.self) { try bench.identify(connection) }
    }

    @Test("a process that ends after it was looked at is not answered")
    func endedLater() throws {
        try bench.expectRefusal(of: tool, after: "leave", answering: "left")
    }

    @Test("a process that got the number of one that connected and ended is not taken for it", .enabled(if: isRoot))
    func reusedNumber() throws {
        let program = try PeerProgram([tool, "-"])
        let answer = try program.ask("another \(bench.socketPath)").split(separator: " ")
        let number = try #require(answer.first.flatMap { Int32($0) })
        let connection = try bench.accept()
        #expect(try program.ask("reuse \(number)") == "reused")
        #expect(kill(number, 0) == 0, "there is a process of this number again")
        #expect(throws: IdentityError.self) { try bench.identify(connection) }
    }

    @Test("a child of a program of the tests ends with it, however early it is killed", .enabled(if: isRoot))
    func childrenEnd() throws {
        for _ in 1...20 {
            let number: pid_t
            do {
                let program = try PeerProgram([tool, "-"])
                let answer = try program.ask("another \(bench.socketPath)").split(separator: " ")
                number = try #require(answer.first.flatMap { Int32($0) })
                _ = try bench.accept()
                #expect(try program.ask("reuse \(number)") == "reused")
            }
            var status: Int32 = 0
            guard storm_wait(number, 60_000, &status) == ETIMEDOUT else { continue }
            Issue.record("process \(number) is still there")
            kill(number, SIGKILL)
            return
        }
    }

    @Test("a process in another mount namespace counts as in a sandbox", .enabled(if: isRoot))
    func mountNamespace() throws {
        expectSandboxed(try bench.identity("/usr/bin/unshare", "--mount", tool), "mount namespace")
    }

    @Test(
        "what sees another system has the groups of others if it can write to the store by itself, and nothing more",
        .enabled(if: isRoot),
        arguments: [
            (":", true), ("mount -o bind,ro \"$1\" \"$1\"", false), ("mount -t tmpfs none \"$1\"", false),
            // Followed outside of the sandbox, it would lead to the store.
            ("mount -t tmpfs none \"$2\" && ln -s \"$1\" \"$1\"", false),
        ]
    )
    func storeInSandbox(_ command: String, _ hasGroups: Bool) throws {
        let outer = bench.folder.path(of: "outer")
        let path = "\(outer)/keychain"
        try FileManager.default.createDirectory(atPath: outer, withIntermediateDirectories: false)
        let folder = try PrivateDirectory(KeychainLocation(path: path))
        let service = try IdentityService(bench.options, folder: folder)
        let script = "\(command) && exec \"$3\" \"$4\""
        let words = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", path, outer, tool, bench.socketPath]
        let program = try PeerProgram(words)
        let connection = try bench.accept()
        let peer = try service.identify(socket: connection.socket, greetingByteCount: Workbench.greetingByteCount)
        #expect(peer.identity.kind == .anonymous && peer.identity.isSandboxed)
        #expect(peer.identity.groups(claimed: ["mine"]) == (hasGroups ? ["mine"] : []))
        withExtendedLifetime(program) {}
    }

    @Test("a process in another PID namespace counts as in a sandbox", .enabled(if: isRoot))
    func processNamespace() throws {
        let identity = try bench.identity("/usr/bin/unshare", "--pid", "--fork", "--kill-child", tool)
        expectSandboxed(identity, "PID namespace")
    }

    @Test("one that lets nobody look at it is told by what everybody may read", .enabled(if: isRoot))
    func foreignViewsOfAnybody() throws {
        for (words, views) in [
            ([], []), (["/usr/bin/unshare", "--mount"], ["mount namespace"]),
            (["/usr/bin/unshare", "--user"], ["user namespace"]),
            (["/usr/bin/unshare", "--user", "--map-root-user"], ["user namespace"]),
            (["/usr/bin/unshare", "--pid", "--fork", "--kill-child"], ["PID namespace"]),
        ] as [([String], [String])] {
            let program = try PeerProgram(words + [tool, bench.socketPath])
            #expect(try program.ask("undumpable") == "done")
            let connection = try bench.accept()
            let peer = try PeerProcess(
                socket: connection.socket,
                greetingByteCount: Workbench.greetingByteCount
            )
            #expect(try peer.foreignViewsOfAnybody() == views)
        }
    }

    @Test("a process with another root folder counts as in a sandbox", .enabled(if: isRoot))
    func rootFolder() throws {
        let root = bench.folder.path(of: "root")
        let script = #"""
            mkdir -p "$1/tmp" && for d in /bin /lib /lib64 /usr /opt; do
                [ -e $d ] && mkdir -p "$1$d" && mount --bind $d "$1$d"; done
            mkdir -p "$1$3" && mount --bind "$3" "$1$3" && exec chroot "$1" "$2" "$4"
            """#
        // The mounts go with the namespace.
        let words = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh", root, tool, bench.folder.path]
        let program = try PeerProgram(words + [bench.socketPath])
        expectSandboxed(try bench.identify(bench.accept()).identity, "root folder")
        withExtendedLifetime(program) {}
    }

    /// The kernel lets every user make a mount namespace with a root folder as they like.
    @Test(
        "an application of Flatpak can be feigned by a program outside of every sandbox",
        .enabled(if: isRoot),
        arguments: [[], ["--user", "--map-root-user"]]
    )
    func feignedFlatpak(_ options: [String]) throws {
        let (program, connection) = try bench.startFlatpak(tool, options)
        let identity = try bench.identify(connection).identity
        #expect(identity.kind == .flatpak("org.example.App"), "\(identity.reasons)")
        let groups = identity.groups(claimed: ["swift-keychain.common", "flatpak/org.example.App/cache"])
        #expect(groups == ["flatpak/org.example.App", "flatpak/org.example.App/cache"])
        #expect(identity.isSandboxed)
        withExtendedLifetime(program) {}
    }

    @Test("a signed program that hides from its user is anonymous to a daemon of that user", .enabled(if: !isRoot))
    func undumpable() throws {
        let (program, connection) = try bench.start(tool)
        #expect(try program.ask("undumpable") == "done")
        let identity = try bench.identify(connection).identity
        expectAnonymous(identity, "PR_SET_DUMPABLE")
        #expect(!identity.isSandboxed)
    }
}
