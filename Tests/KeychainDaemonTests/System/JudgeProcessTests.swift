// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainClient
import KeychainCore
import KeychainTestSupport
import KeychainTrust
import KeychainWire
import ServerTestSupport
import Synchronization
import Testing

@testable import KeychainDaemon

/// Certificates of users, which the system service judges in a process of its own.
@Suite(.timeLimit(.minutes(10)))
struct JudgeProcessTests {
    private static let now = Timestamp(secondsSinceReferenceDate: Date().timeIntervalSinceReferenceDate)

    /// An anchor of this system, which is trusted.
    private static func anchor() throws -> [UInt8] {
        let judge = SystemTrust(settings: .inMemory())
        let anchors = try TrustEvaluator.systemAnchors()
        return try #require(
            anchors.first { (try? judge.trusts($0, others: [], for: .basicX509, at: now)) == true },
            "no certificate authority is installed"
        )
    }

    private static let unknown = CertificateMaker.certificate(
        subject: CertificateMaker.name("unknown"),
        issuer: CertificateMaker.name("unknown")
    )

    private static func judge(_ program: String? = nil, atMost milliseconds: Int32 = 60_000) throws -> JudgeProcess {
        JudgeProcess(program: try program ?? DaemonFolder.program("keychaind"), atMost: milliseconds)
    }

    @Test("a process of its own judges as the library does")
    func verdicts() throws {
        let judge = try Self.judge()
        let anchor = try Self.anchor()
        #expect(try judge.trusts(anchor, others: [], for: .basicX509, at: Self.now))
        #expect(try !judge.trusts(anchor, others: [], for: .basicX509, at: .referenceDate))
        #expect(try !judge.trusts(Self.unknown, others: [anchor], for: .basicX509, at: Self.now))
        #expect(try !judge.trusts([1, 2, 3], others: [], for: .tls(isServer: true, host: "a"), at: Self.now))
        #expect(try !judge.trusts([UInt8](repeating: 0x30, count: 1 << 20), others: [], for: .basicX509, at: Self.now))
    }

    @Test("the process is confined before it reads what a user chose, and has no capability and no further descriptor")
    func confinement() throws {
        let judge = try Self.judge()
        _ = try judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
        let process = try #require(judge.identifier)
        try Self.expectConfinement(of: process)
        let files = try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd")
        #expect(files.sorted() == ["0", "1", "2"])
        #expect(try FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task").count == 1)
        let score = try String(contentsOfFile: "/proc/\(process)/oom_score_adj", encoding: .utf8)
        #expect(score == "1000\n", "it is ended before the service where memory is short")
        let words = try String(contentsOfFile: "/proc/\(process)/cmdline", encoding: .utf8)
        #expect(words == "keychaind\0--judge-certificates\0")
    }

    private static func expectConfinement(of process: pid_t) throws {
        let status = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
        #expect(status.contains("\nSeccomp:\t2\n") && status.contains("\nNoNewPrivs:\t1\n"), "\(status)")
        #expect(status.contains("\nThreads:\t1\n"))
        let limits = try String(contentsOfFile: "/proc/\(process)/limits", encoding: .utf8)
        for (name, limit) in [("Max address space", 512 << 20), ("Max cpu time", 30)] {
            let line = limits.split(separator: "\n").first { $0.hasPrefix(name) }
            #expect(
                line?.dropFirst(name.count).split(separator: " ").prefix(2) == ["\(limit)", "\(limit)"],
                "\(limits)"
            )
        }
    }

    @Test("one whose time is over, or that was killed, is replaced")
    func replaced() throws {
        let judge = try Self.judge()
        let anchor = try Self.anchor()
        for _ in 0..<3 {
            #expect(try judge.trusts(anchor, others: [], for: .basicX509, at: Self.now))
            kill(try #require(judge.identifier), SIGKILL)
        }
    }

    @Test("one whose time is over is not asked any more, also if it has not ended by itself")
    func overdue() throws {
        let folder = try TemporaryFolder()
        let (program, list) = (folder.path(of: "program"), folder.path(of: "list"))
        try "#!/bin/sh\necho $$ >> '\(list)'\nexec '\(DaemonFolder.program("keychaind"))' \"$@\"\n"
            .write(toFile: program, atomically: true, encoding: .utf8)
        #expect(chmod(program, 0o700) == 0)
        let judge = JudgeProcess(program: program, atMost: 60_000, livingFor: 0)
        for _ in 0..<3 {
            #expect(try !judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now))
            #expect(judge.identifier == nil)
        }
        let lines = try String(contentsOfFile: list, encoding: .utf8).split(separator: "\n")
        let identifiers = lines.compactMap { pid_t($0) }
        #expect(Set(identifiers).count == 3)
        for identifier in identifiers { Self.expectIsGone(identifier) }
    }

    /// Expects that nothing is left of a process, not even that it has ended.
    private static func expectIsGone(_ process: pid_t, _ location: SourceLocation = #_sourceLocation) {
        let isGone = eventually("nobody has to wait for it any more") { kill(process, 0) != 0 && errno == ESRCH }
        #expect(isGone, sourceLocation: location)
    }

    @Test("one that ends is waited for at once, whether somebody asks again or not")
    func ended() throws {
        let judge = try Self.judge()
        _ = try judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
        let process = try #require(judge.identifier)
        kill(process, SIGKILL)
        Self.expectIsGone(process)
        #expect(judge.identifier == nil)
    }

    @Test("one that does not end when its time is over is ended then, whether somebody asks again or not")
    func hanging() throws {
        let judge = JudgeProcess(program: try DaemonFolder.program("keychaind"), atMost: 60_000, livingFor: 3_000)
        let process = try Self.stopped(judge)
        Self.expectIsGone(process)
        #expect(judge.identifier == nil)
    }

    /// The process of a judge, stopped: it does nothing any more, and does not end.
    private static func stopped(_ judge: JudgeProcess) throws -> pid_t {
        var process: pid_t?
        let isStopped = try eventually("it is stopped") {
            _ = try judge.trusts(unknown, others: [], for: .basicX509, at: now)
            process = judge.identifier
            // Its time may be over by now.
            return process.map { kill($0, SIGSTOP) == 0 } ?? false
        }
        #expect(isStopped)
        return try #require(process)
    }

    @Test("one that hangs while it is asked is ended, and replaced")
    func hangingWhileAsked() throws {
        let judge = JudgeProcess(program: try DaemonFolder.program("keychaind"), atMost: 2_000, livingFor: 600_000)
        var process: pid_t?
        // A loaded machine may take longer to start one.
        #expect(eventually("one has answered") { (try? Self.stopped(judge)).map { process = $0 } != nil })
        let error = #expect(throws: KeychainError.self) {
            try judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
        }
        #expect(error?.reason.contains("too long") == true, "\(String(describing: error))")
        Self.expectIsGone(try #require(process))
        let isReplaced = eventually("another one answers") {
            (try? judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)) == false
        }
        #expect(isReplaced)
    }

    @Test("nothing of one remains once it has ended, or nobody has it any more: no process, thread or descriptor")
    func released() throws {
        var process: pid_t?
        do {
            let judge = JudgeProcess(program: try DaemonFolder.program("keychaind"), atMost: 60_000, livingFor: 600_000)
            process = try Self.stopped(judge)
        }
        Self.expectIsGone(try #require(process))
        weak var child: JudgeChild?
        do {
            let started = try JudgeChild(DaemonFolder.program("keychaind"), livingFor: 600_000)
            child = started
            process = started.runningIdentifier
            started.end()
        }
        // It closes its descriptor by its own end.
        #expect(eventually("it is released") { child == nil })
        Self.expectIsGone(try #require(process))
    }

    @Test("the process of one user holds up no other user's, whatever it does")
    func otherUsers() throws {
        let judge = JudgeProcess(program: try DaemonFolder.program("keychaind"), atMost: 600_000, livingFor: 600_000)
        let process = try Self.stopped(judge)
        let verdict = Mutex<Bool?>(nil)
        Thread.detachNewThread {
            let isTrusted = try? judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
            verdict.withLock { $0 = isTrusted }
        }
        #expect(try !Self.judge().trusts(Self.unknown, others: [], for: .basicX509, at: Self.now))
        #expect(verdict.withLock(\.self) == nil, "it was not held up at all")
        #expect(kill(process, SIGCONT) == 0)
        #expect(eventually("it answers") { verdict.withLock(\.self) == false })
    }

    @Test(
        "a process chooses neither success nor another status than it may have",
        arguments: [Status.success, .itemNotFound, .missingEntitlement, .io]
    )
    func statuses(_ status: Status) throws {
        let folder = try TemporaryFolder()
        let frame = try JudgementVerdict.failure(KeychainError(status, "chosen")).encoded()
        try Data(frame.unprotectedCopy).write(to: URL(fileURLWithPath: folder.path(of: "verdict")))
        let script = "/bin/cat '\(folder.path(of: "verdict"))'\nexec /bin/cat >/dev/null\n"
        let judge = try Self.judge(folder.makeProgram("liar", script))
        let error = #expect(throws: KeychainError.self) {
            try judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
        }
        #expect(error?.status == (status == .io ? .io : .notAvailable))
        #expect((error?.reason == "chosen") == (status == .io), "\(String(describing: error))")
    }

    struct Failure: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let program: String
        let reason: String
    }

    private static let failing: [Failure] = [
        Failure(
            testDescription: "that is not there",
            program: "/nowhere/keychaind",
            reason: "no process can be started"
        ),
        Failure(testDescription: "that ends at once", program: "/bin/false", reason: "ended"),
        Failure(
            testDescription: "that sends the question back",
            program: "echo",
            reason: "does not answer as it should"
        ),
        Failure(testDescription: "that says nothing", program: "silent", reason: "too long"),
    ]

    @Test("what goes wrong with a process is an error, and never a verdict", arguments: failing)
    func failures(_ failure: Failure) throws {
        let folder = try TemporaryFolder()
        let scripts = ["echo": "exec cat\n", "silent": "exec sleep 600\n"]
        var program = failure.program
        if let script = scripts[program] { program = try folder.makeProgram(program, script) }
        let judge = try Self.judge(program, atMost: failure.program == "silent" ? 100 : 60_000)
        let error = #expect(throws: KeychainError.self) {
            try judge.trusts(Self.unknown, others: [], for: .basicX509, at: Self.now)
        }
        #expect(error?.status == .notAvailable)
        #expect(error?.reason.contains(failure.reason) == true, "\(String(describing: error))")
        #expect(judge.identifier == nil)
    }

    @Test(
        "the system service finds trusted certificates, and reads none with the library of OpenSSL itself",
        .enabled(if: SystemServiceFolder.isPossible, "only root runs programs as other users")
    )
    func service() throws {
        let looksAtPrograms = SystemServiceFolder.mayLookAtPrograms
        let service = try SystemServiceFolder(looksAtPrograms: looksAtPrograms)
        let keychain = DaemonKeychain(at: service.socket)
        let anchor = try Self.anchor()
        for (number, certificate) in [anchor, Self.unknown].enumerated() {
            let item: PropertyDictionary = [
                "class": .string("cert"), "slnr": .data(SecretBytes([UInt8(number)])),
                PropertyKey.valueData: .data(SecretBytes(certificate)),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: .person))
        }
        let query: PropertyDictionary = [
            "class": .string("cert"), PropertyKey.matchTrustedOnly: .boolean(true),
            PropertyKey.matchLimit: .string(PropertyKey.matchLimitAll), PropertyKey.returnData: .boolean(true),
        ]
        func find() throws -> KeychainAnswer {
            try keychain.perform(KeychainRequest(.copyMatching(query), client: .person))
        }
        #expect(try find() == .list([.data(SecretBytes(anchor))]))
        let maps = try String(contentsOfFile: "/proc/\(service.process)/maps", encoding: .utf8)
        #expect(maps.contains("keychaind") && !maps.contains("libcrypto"))
        // One that ends by itself meanwhile is followed by another one.
        let isConfined = try eventually("the process that judges is seen") { () throws -> Bool in
            _ = try find()
            guard let child = Self.child(of: service.process),
                let status = try? String(contentsOfFile: "/proc/\(child)/status", encoding: .utf8)
            else { return false }
            return status.contains("\nCapPrm:\t0000000000000000\n") && status.contains("\nSeccomp:\t2\n")
        }
        #expect(isConfined)
        #expect(eventually("no process of an earlier question remains") { Self.child(of: service.process) == nil })
    }

    /// A child of a process (proc(5), `/proc/PID/stat`, field 4).
    private static func child(of parent: pid_t) -> pid_t? {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return names.lazy.compactMap { pid_t($0) }.first { process in
            let text = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
            // The parent stands behind the name, which is in parentheses, and the state.
            let fields = text?.split(separator: ")").last?.split(separator: " ") ?? []
            return fields.count > 1 && pid_t(fields[1]) == parent
        }
    }
}
