// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost

/// What people wait for: the commands of `keychainctl` for passwords, each as a whole process, beside `secret-tool` and
/// `pass` where they are installed.
struct CommandRun {
    let size: Int
    let rounds: Int
    let scratch: Scratch

    private static let item = Item(number: 4_242)
    private static let secretTool = "/usr/bin/secret-tool"

    func run(_ report: inout Report) throws {
        let program = try ChildProcess.besideThis("keychainctl")
        let store = try fill()
        let keychainctl = TimedCommand(program, variables: variables(of: store))
        let item = Self.item
        let name = "\(item.service)/\(item.account)"
        var commands: [Measured] = [
            Measured("get", keychainctl.with(["get", name])),
            Measured("list", keychainctl.with(["list"]), milliseconds: 150),
            Measured("search", keychainctl.with(["search", "exmple", "user-42"]), milliseconds: 150),
            Measured(
                "completion of names",
                // As the script of bash runs it.
                keychainctl.with(["---completion", "get", "--", "positional@0", "2", "0", "keychainctl", "get", ""]),
                milliseconds: 30
            ),
            Measured("exec", keychainctl.with(["exec", "--env", "A=keychain://\(name)", "--", "/bin/true"])),
        ]
        let service = try secretService(on: store)
        defer { service?.stop() }
        if let service {
            let variables = ["DBUS_SESSION_BUS_ADDRESS=\(service.address)", "HOME=\(scratch.folder)"]
            let command = TimedCommand(Self.secretTool, variables: variables)
            let words = ["lookup", "service", item.service, "account", item.account]
            commands.append(Measured("secret-tool lookup, keychaind", command.with(words)))
        }
        let pass = try PasswordStore(in: scratch)
        defer { pass?.stop() }
        if let pass { commands.append(Measured("pass show", pass.command)) }
        Report.show(Report.commandHeading(scratch, size: size, rounds: rounds))
        // A command that fails is fast.
        for measured in commands { _ = try measured.command.run() }
        let samples = try measure(commands.map(\.command))
        let compared = commands.firstIndex { $0.what.hasPrefix("secret-tool") }
        for (index, measured) in commands.enumerated() {
            Report.show(report.command(measured, samples, participant: index, to: compared))
        }
        Report.show(report.exec(beyond: samples, get: 0, exec: 4))
        try importFiles(keychainctl, into: &report)
        try browse(program, on: store, into: &report)
    }

    /// A command, and how long it may take by the clock on the wall.
    struct Measured {
        let what: String
        let command: TimedCommand
        let milliseconds: Double?

        init(_ what: String, _ command: TimedCommand, milliseconds: Double? = nil) {
            (self.what, self.command, self.milliseconds) = (what, command, milliseconds)
        }
    }

    /// Both clocks of commands that take turns.
    private func measure(_ commands: [TimedCommand]) throws -> Samples {
        var samples = Samples(participants: commands.count)
        for round in -1..<rounds {
            for turn in commands.indices {
                let index = (turn + round + 1) % commands.count
                let time = try commands[index].run()
                if round >= 0 { samples.append(time, index) }
            }
        }
        return samples
    }

    /// A file of as many entries as there are items, which goes into an empty keychain each time.
    private func importFiles(_ keychainctl: TimedCommand, into report: inout Report) throws {
        let file = scratch.path("passwords.csv")
        let lines = (0..<size).map { number in
            let item = Item(number: number)
            return "\(item.label),https://\(number).example.com/,\(item.account),secret-\(number)\r\n"
        }
        try Data(("name,url,username,password\r\n" + lines.joined()).utf8).write(to: URL(fileURLWithPath: file))
        let folder = scratch.path("commands-import")
        var samples: [[Clock: Double]] = []
        // Each takes long.
        for _ in 0..<min(rounds, 5) {
            samples.append(try keychainctl.with(["import", file]).with(variables: variables(of: folder)).run())
            try FileManager.default.removeItem(atPath: folder)
        }
        Report.show(report.imports(samples, size: size))
    }

    private func browse(_ program: String, on store: String, into report: inout Report) throws {
        var screens: [BrowsedScreen] = []
        for round in -1..<rounds {
            let screen = try BrowsedScreen(program, variables: variables(of: store) + ["TERM=xterm"])
            if round >= 0 { screens.append(screen) }
        }
        Report.show(report.browse(screens, size: size))
    }

    private func variables(of store: String) -> [String] {
        [
            "HOME=\(scratch.folder)", "XDG_RUNTIME_DIR=\(scratch.folder)", "SWIFT_KEYCHAIN_HOME=\(store)",
            "SWIFT_KEYCHAIN_AUTHENTICATOR=none", "SAP_SHELL=bash", "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
        ]
    }

    /// The same items behind the Secret Service; `nil` where there is no `secret-tool`.
    private func secretService(on store: String) throws -> SecretServiceProcess? {
        guard FileManager.default.isExecutableFile(atPath: Self.secretTool), SecretServiceProcess.hasBusDaemon else {
            return nil
        }
        let copy = scratch.path("commands-service")
        try FileManager.default.copyItem(atPath: store, toPath: copy)
        return try SecretServiceProcess(storeIn: copy, onOwnBus: false, scratch, "commands")
    }

    /// A store with generic passwords of the common group, filled where no write waits for a disk.
    private func fill() throws -> String {
        let original = try scratch.inMemory(suffix: "-commands")
        defer { original.remove() }
        do {
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: original.path("store")))
            for number in 0..<max(size, Self.item.number + 1) {
                let item = Item(number: number)
                let attributes: PropertyDictionary = [
                    "class": .string("genp"), "svce": .string(item.service), "acct": .string(item.account),
                    "labl": .string(item.label), "v_Data": .data(SecretBytes(item.secret)),
                ]
                _ = try keychain.perform(KeychainRequest(.add(attributes), client: .person))
            }
        }
        let folder = scratch.path("commands")
        try FileManager.default.copyItem(atPath: original.path("store"), toPath: folder)
        return folder
    }
}

/// A program that is run to its end, whose output nobody reads.
struct TimedCommand {
    private let program: String
    private let variables: [String]
    private var words: [String] = []

    init(_ program: String, variables: [String]) { (self.program, self.variables) = (program, variables) }

    func with(_ words: [String]) -> TimedCommand {
        var command = self
        command.words = words
        return command
    }

    func with(variables: [String]) -> TimedCommand {
        var command = TimedCommand(program, variables: variables)
        command.words = words
        return command
    }

    /// How long it took from its start to its end, and how long processors worked for it and its children.
    func run() throws -> [Clock: Double] {
        let null = open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { close(null) }
        let start = Clock.wall.now
        let process = try ChildProcess(
            program,
            words,
            environment: variables,
            descriptors: [0: null, 1: null, 2: null]
        )
        let (status, processor) = process.waitForUsage()
        let wall = Clock.wall.now - start
        guard status == 0 else { throw Failure("\(program) \(words.joined(separator: " ")) ended with \(status)") }
        return [.wall: wall, .processor: processor]
    }
}

/// `pass` with a password and a key of one run.
private struct PasswordStore {
    let command: TimedCommand
    private let agent: TimedCommand

    /// Returns `nil` where `pass` or gpg is not installed.
    init?(in scratch: Scratch) throws {
        let (pass, gpg) = ("/usr/bin/pass", "/usr/bin/gpg")
        guard [pass, gpg].allSatisfy({ FileManager.default.isExecutableFile(atPath: $0) }) else { return nil }
        let home = scratch.path("gnupg")
        try FileManager.default.createDirectory(
            atPath: home,
            withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700]
        )
        let variables = [
            "HOME=\(scratch.folder)", "GNUPGHOME=\(home)", "PASSWORD_STORE_DIR=\(scratch.path("passwords"))",
            "PATH=/usr/bin:/bin", "LANG=C.UTF-8",
        ]
        func run(_ program: String, _ words: [String]) throws {
            _ = try TimedCommand(program, variables: variables).with(words).run()
        }
        try run(gpg, ["--batch", "--passphrase", "", "--quick-generate-key", "benchmark", "future-default", "default"])
        try run(pass, ["init", "benchmark"])
        try run(pass, ["generate", "web/ada"])
        command = TimedCommand(pass, variables: variables).with(["show", "web/ada"])
        agent = TimedCommand("/usr/bin/gpgconf", variables: variables).with(["--kill", "gpg-agent"])
    }

    /// Ends the agent that gpg has started.
    func stop() { _ = try? agent.run() }
}

extension Report {
    static func commandHeading(_ scratch: Scratch, size: Int, rounds: Int) -> String {
        """
        Commands as whole processes, \(size) items in \(scratch.folder); medians of \(rounds) interleaved rounds.

        | command | the clock (ms) | processor (ms) | processor to secret-tool |
        | --- | ---: | ---: | ---: |
        """
    }

    /// The times of a command, and the processor's to that of another one.
    mutating func command(
        _ measured: CommandRun.Measured,
        _ samples: Samples,
        participant index: Int,
        to other: Int?
    ) -> String {
        let wall = samples.median(.wall, index) / 1e6
        let limit = measured.what == "get" ? 10 : measured.milliseconds
        let ratio = other.map { samples.ratio(.processor, index, to: $0) }
        // What gets one password has an aim beside what gets one.
        let judged =
            measured.what == "get"
            ? ratio.map { compared("get, processor to secret-tool lookup", with: $0, limit: 1) }
            : ratio.map(Self.number)
        return Self.row(
            [
                measured.what, compared("\(measured.what) (ms)", with: wall, limit: limit),
                Self.number(samples.median(.processor, index) / 1e6), judged ?? "",
            ])
    }

    /// What `exec` takes beyond `get`.
    mutating func exec(beyond samples: Samples, get: Int, exec: Int) -> String {
        let difference = (samples.median(.wall, exec) - samples.median(.wall, get)) / 1e6
        return Self.row(["exec beyond get", compared("exec beyond get (ms)", with: difference, limit: 3), "", ""])
    }

    /// An import of a file.
    mutating func imports(_ samples: [[Clock: Double]], size: Int) -> String {
        let wall = Samples.median(samples.map { $0[.wall] ?? 0 }) / 1e6
        let processor = Samples.median(samples.map { $0[.processor] ?? 0 }) / 1e6
        let what = "import of \(size) entries"
        return Self.row([
            what, compared("\(what) (ms)", with: wall, limit: size <= 10_000 ? 3_000 : nil), Self.number(processor), "",
        ])
    }

    /// The first screen of `browse`.
    mutating func browse(_ screens: [BrowsedScreen], size: Int) -> String {
        let wall = Samples.median(screens.map(\.nanoseconds)) / 1e6
        let peak = Samples.median(screens.map { Double($0.peakKibibytes) }) / 1024
        return [
            Self.row(["browse, first screen", compared("browse, first screen (ms)", with: wall, limit: 200), "", ""]),
            Self.row([
                "browse, peak of memory (MiB)", compared("browse, memory (MiB)", with: peak, limit: 57.2), "", "",
            ]),
        ].joined(separator: "\n")
    }
}
