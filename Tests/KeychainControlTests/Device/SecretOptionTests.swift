// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainAuthenticators
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// Where secrets come from, and where they never do.
struct SecretOptionTests {
    private static let commands = [
        ["device", "unlock"], ["device", "set-passcode"], ["device", "change-passcode"],
        ["device", "remove-passcode", "--yes"], ["device", "set-policy", "--auto-lock", "1"],
        ["backup", "create", "/f"],
    ]

    @Test("a secret as an argument is a usage error that does not repeat it", arguments: commands)
    func argument(_ command: [String]) throws {
        let device = FakeDevice(passcode: "hunter2")
        var control = Control(device: device)
        control.answers = [.typed("hunter2"), .typed("hunter2")]
        for arguments in [
            ["hunter2"], ["--passcode=hunter2"], ["--passcode-fd", "hunter2"], ["--passcode-fd=hunter2"],
        ] {
            let outcome = try control.run(command + arguments)
            #expect(outcome.status == 2)
            #expect(!outcome.error.contains("hunter2"), "\(outcome)")
            #expect(outcome.prompts.isEmpty)
        }
        #expect(device.attempts == 0)
    }

    @Test(
        "two sources exclude each other, and a descriptor is a number",
        arguments: [
            ["--passcode-fd", "0", "--passcode-stdin"], ["--passcode-fd", "-1"], ["--passcode-fd", "4294967296"],
            ["--passcode-fd"],
        ]
    )
    func usage(_ options: [String]) throws {
        for command in Self.commands {
            #expect(try Control(device: FakeDevice(passcode: "1234")).run(command + options).status == 2)
        }
        let secret = options.map { $0.replacingPasscode }
        #expect(try Control(device: FakeDevice()).run(["backup", "restore", "/f"] + secret).status == 2)
    }

    /// What an unlock without a command says, which ends with status 1 all the same.
    private static let right = "The passcode is right."

    @Test("a line of a descriptor is taken, and not a byte more")
    func descriptor() throws {
        let pipe = try Pipe("1234\nthe rest")
        let number = "\(pipe.readEnd)"
        let outcome = try Control(device: FakeDevice(passcode: "1234")).run([
            "device", "unlock", "--passcode-fd", number,
        ])
        #expect(outcome.remarks.contains(Self.right))
        #expect(pipe.rest == "the rest")
        #expect(fcntl(pipe.readEnd, F_GETFD) & FD_CLOEXEC != 0, "what is run afterwards does not inherit it")
    }

    @Test("a descriptor that cannot be read is exit status 1")
    func closedDescriptor() throws {
        let folder = try TemporaryFolder()
        // Open, so that the number is nobody else's, but not for reading.
        let descriptor = open(folder.path(of: "file"), O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        defer { close(descriptor) }
        let arguments = ["device", "unlock", "--passcode-fd", "\(descriptor)"]
        let outcome = try Control(device: FakeDevice(passcode: "1234")).run(arguments)
        #expect(outcome.status == 1)
        #expect(outcome.error.contains("descriptor \(descriptor) is not open for reading"))
    }

    @Test("a passcode may have 1 MiB and not a byte more", arguments: [(0, true), (1, false)])
    func longest(_ more: Int, _ fits: Bool) throws {
        let passcode = String(repeating: "x", count: SecretLine.largestByteCount + more)
        var control = Control(device: FakeDevice(passcode: passcode))
        for end in ["", "\n"] {
            control.input = passcode + end
            let outcome = try control.run(["device", "unlock", "--passcode-stdin"])
            #expect(outcome.remarks.contains(Self.right) == fits)
            #expect(outcome.error.contains("the passcode is longer than 1048576 bytes") == !fits)
            #expect(!outcome.error.contains("xx"))
        }
    }

    @Test("a descriptor that has nothing yet is waited for")
    func nonBlocking() async throws {
        let pipe = try Pipe("12")
        #expect(fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK) == 0)
        async let outcome = Control(device: FakeDevice(passcode: "1234"))
            .run(["device", "unlock", "--passcode-stdin"], standardInput: pipe.readEnd)
        try pipe.write("34\n")
        #expect(await outcome.remarks.contains(Self.right))
    }

    /// A pipe that both ends of go away with the object.
    private final class Pipe: Sendable {
        let readEnd: Int32
        private let writeEnd: Int32

        init(_ text: String) throws {
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Control.Failure() }
            readEnd = ends[0]
            writeEnd = ends[1]
            try write(text)
        }

        deinit {
            close(readEnd)
            close(writeEnd)
        }

        func write(_ text: String) throws {
            let bytes = Array(text.utf8)
            guard Glibc.write(writeEnd, bytes, bytes.count) == bytes.count else { throw Control.Failure() }
        }

        var rest: String {
            var bytes = [UInt8](repeating: 0, count: 64)
            let count = read(readEnd, &bytes, bytes.count)
            return String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self)
        }
    }
}

extension String {
    fileprivate var replacingPasscode: String {
        hasPrefix("--passcode") ? "--secret" + dropFirst("--passcode".count) : self
    }
}
