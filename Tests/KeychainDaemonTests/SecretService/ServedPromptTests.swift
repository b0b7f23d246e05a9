// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// `keychaind --secret-service` on a bus of its own, as a process: who is asked, and how it ends.
@Suite(.timeLimit(.minutes(10)))
final class ServedPromptTests {
    private let folder: TemporaryFolder
    private let bus: String
    private let shell: Shell
    private var daemons: [Process] = []

    private static let passcode = "open sesame"
    private static let item = ["service", "S", "account", "A"]

    init() throws {
        folder = try TemporaryFolder(prefix: "kp")
        bus = folder.path(of: "bus")
        shell = Shell(environment: [
            "SWIFT_KEYCHAIN_HOME": folder.path(of: "keychain"), "XDG_RUNTIME_DIR": folder.path, "HOME": folder.path,
            "SWIFT_KEYCHAIND": try DaemonFolder.program("keychaind"), "DBUS_SESSION_BUS_ADDRESS": "unix:path=\(bus)",
            "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "SWIFT_KEYCHAIN_AUTHENTICATOR": "none",
        ])
    }

    deinit { for daemon in daemons { kill(daemon.processIdentifier, SIGKILL) } }

    // MARK: - The daemon

    private var log: String { (try? String(contentsOfFile: folder.path(of: "log"), encoding: .utf8)) ?? "" }

    /// A daemon that is not started yet.
    ///
    /// - Parameters:
    ///   - options: more options.
    ///   - input: what it reads on standard input.
    ///   - authenticator: who asks the user; `nil` for the daemon's own choice.
    /// - Returns: The daemon.
    /// - Throws: why it cannot be started.
    private func daemon(_ options: [String], input: String = "", authenticator: String? = nil) throws -> Process {
        var environment = shell.environment
        environment["SWIFT_KEYCHAIN_AUTHENTICATOR"] = authenticator
        environment["DISPLAY"] = ":0"
        let words = ["--foreground", "--secret-service", "--bus", bus] + options
        let process = try Shell(environment: environment).process("keychaind", words)
        let path = folder.path(of: "log")
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        process.standardError = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        process.standardInput = try ChildInput.file(input)
        return process
    }

    /// Starts a daemon, which serves when this returns.
    @discardableResult
    private func start(_ options: [String] = [], input: String = "", authenticator: String? = nil) throws -> Process {
        let before = log.utf8.count
        let process = try daemon(options, input: input, authenticator: authenticator)
        try process.run()
        daemons.append(process)
        let isServing = eventually("it serves") {
            log.utf8.dropFirst(before).split(separator: 10).contains {
                String(decoding: $0, as: UTF8.self).contains("find the keychain as")
            }
        }
        try #require(isServing, "\(log)")
        return process
    }

    /// Has a daemon exit, which takes no longer than a moment.
    ///
    /// - Returns: Its exit status.
    private func stop(_ process: Process) -> Int32 {
        let begin = ContinuousClock.now
        kill(process.processIdentifier, SIGTERM)
        process.waitUntilExit()
        // A prompt takes two minutes by itself, and a daemon gives up after 17 seconds.
        #expect(begin.duration(to: .now) < .seconds(10))
        return process.terminationStatus
    }

    /// Starts a daemon whose keychain has a passcode and one item, and is locked.
    @discardableResult
    private func startLocked(_ options: [String] = [], authenticator: String? = nil) throws -> Process {
        let process = try start(["--unlock-fd", "0"] + options, input: Self.passcode, authenticator: authenticator)
        let stored = try shell.run("/usr/bin/secret-tool", ["store", "--label=x"] + Self.item, input: "secret")
        #expect(stored.status == 0, "\(stored) \(log)")
        #expect(try shell.security("lock-keychain").status == 0)
        return process
    }

    private func lookUp() throws -> Shell.Outcome {
        try shell.run("/usr/bin/secret-tool", ["lookup"] + Self.item)
    }

    // MARK: - Terminals

    @Test("a program in an SSH session is asked at its terminal, and gets the secret")
    func terminal() throws {
        try startLocked()
        let pty = try Pty()
        var environment = shell.environment
        environment["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22"
        let script =
            "echo \"process $$.\"; secret-tool lookup \(Self.item.joined(separator: " ")); echo \" status $?.\""
        let program = try TerminalProgram(script, on: pty, environment)
        try pty.readOutput(upTo: "Passcode: ")
        try pty.type("wrong\n")
        try pty.readOutput(upTo: "Wrong passcode. Try again.")
        try pty.readOutput(upTo: "Passcode: ")
        try pty.type("\(Self.passcode)\n")
        #expect(try pty.readOutput(upTo: " status 0.") == "\r\nsecret\r\n status 0.")
        program.wait()
        #expect(pty.hasEcho)
    }

    @Test("two programs at one terminal are asked once")
    func once() throws {
        try startLocked()
        let pty = try Pty()
        let lookup = "secret-tool lookup \(Self.item.joined(separator: " "))"
        let script = "echo \"process $$.\"; (\(lookup) & \(lookup); wait); echo \" end.\""
        let program = try TerminalProgram(script, on: pty, shell.environment)
        try pty.readOutput(upTo: "Passcode: ")
        try pty.type("\(Self.passcode)\n")
        let shown = try pty.readOutput(upTo: " end.")
        #expect(shown.components(separatedBy: "secret").count == 3 && !shown.contains("Passcode"), "\(shown)")
        program.wait()
    }

    @Test("a program in an SSH session without a terminal is answered at once, and the log says what to do")
    func noTerminal() throws {
        let daemon = try startLocked()
        var environment = shell.environment
        environment["SSH_CONNECTION"] = "192.0.2.1 1 192.0.2.2 22"
        let remote = Shell(environment: environment, prefix: ["/usr/bin/setsid", "--wait"])
        #expect(try remote.run("/usr/bin/secret-tool", ["lookup"] + Self.item).status == 1)
        #expect(log.contains("which is in an SSH session and not in the foreground of a terminal"))
        #expect(stop(daemon) == 0)
    }

    // MARK: - Pinentry

    private static let beginning = "echo $$ >\"${0%/*}/pid\"\n"
    private static let rest = "while IFS= read -r line; do case $line in GETPIN) @;; *) echo OK;; esac; done\n"

    private func pinentry(_ script: String) throws -> String {
        try folder.makeProgram("pinentry", Self.beginning + script)
    }

    private func pinentry(pin: String) throws -> String {
        try pinentry("echo OK\n" + Self.rest.replacing("@", with: pin))
    }

    private var pinentryProcess: pid_t? {
        let text = try? String(contentsOfFile: folder.path(of: "pid"), encoding: .utf8)
        return text.flatMap { $0.hasSuffix("\n") ? pid_t($0.dropLast()) : nil }
    }

    private func isThere(_ process: pid_t) -> Bool { kill(process, 0) == 0 }

    private static let hanging = [
        "exec sleep 600\n", "trap '' TERM HUP INT; echo OK; while :; do sleep 600; done\n",
        "echo OK\ntrap '' TERM\n" + rest.replacing("@", with: "while :; do sleep 600; done"),
    ]

    @Test("what is asked of the program of --pinentry unlocks the keychain")
    func chosen() throws {
        let daemon = try startLocked(["--pinentry", pinentry(pin: "echo 'D \(Self.passcode)'; echo OK")])
        #expect(try lookUp() == Shell.Outcome(status: 0, output: "secret", errors: ""))
        #expect(try shell.control("device status").output.contains("unlocked"))
        #expect(stop(daemon) == 0)
    }

    @Test("a pinentry that hangs ends with the program that it is for, and delays no other program", arguments: hanging)
    func vanished(script: String) throws {
        let daemon = try startLocked(["--pinentry", pinentry(script)])
        let client = try shell.process("/usr/bin/secret-tool", ["lookup"] + Self.item)
        client.standardOutput = FileHandle.nullDevice
        try client.run()
        #expect(eventually("it is asked") { pinentryProcess != nil })
        let process = try #require(pinentryProcess)
        #expect(try shell.run("/usr/bin/secret-tool", ["search", "service", "S"]).status == 0)
        kill(client.processIdentifier, SIGKILL)
        #expect(eventually("it ends") { !isThere(process) })
        #expect(stop(daemon) == 0)
    }

    @Test("a daemon that is stopped while somebody is asked ends at once, and the pinentry with it", arguments: hanging)
    func stopped(script: String) throws {
        let daemon = try startLocked(["--pinentry", pinentry(script)])
        let client = try shell.process("/usr/bin/secret-tool", ["lookup"] + Self.item)
        client.standardOutput = FileHandle.nullDevice
        client.standardError = FileHandle.nullDevice
        try client.run()
        defer { kill(client.processIdentifier, SIGKILL) }
        #expect(eventually("it is asked") { pinentryProcess != nil })
        let process = try #require(pinentryProcess)
        #expect(stop(daemon) == 0)
        #expect(!isThere(process))
    }

    @Test(
        "a pinentry that crashes, or answers something else, dismisses the prompt, and the daemon goes on",
        arguments: [
            "kill -9 $$\n", "echo garbage\n", "exit 0\n", "echo OK\n" + rest.replacing("@", with: "kill -9 $$"),
            "echo OK\n" + rest.replacing("@", with: "echo 'D %zz'; exec sleep 600"),
            "echo OK\n" + rest.replacing("@", with: "head -c 2000 /dev/zero; exec sleep 600"),
        ]
    )
    func broken(script: String) throws {
        let daemon = try startLocked(["--pinentry", pinentry(script)])
        #expect(try lookUp().status == 1)
        _ = try pinentry(pin: "echo 'D \(Self.passcode)'; echo OK")
        #expect(try lookUp() == Shell.Outcome(status: 0, output: "secret", errors: ""))
        #expect(stop(daemon) == 0)
    }

    // MARK: - Locks

    @Test("a lock and an unlock by security and by keychainctl are announced on the bus")
    func announced() throws {
        try startLocked()
        let output = folder.path(of: "signals")
        let words = ["-oL", "/usr/bin/gdbus", "monitor", "--session", "--dest", "org.freedesktop.secrets"]
        let monitor = try shell.process("/usr/bin/stdbuf", words)
        let descriptor = open(output, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        monitor.standardOutput = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try monitor.run()
        defer { kill(monitor.processIdentifier, SIGKILL) }
        var signals: String { (try? String(contentsOfFile: output, encoding: .utf8)) ?? "" }
        func count(_ isLocked: Bool) -> Int { signals.components(separatedBy: "{'Locked': <\(isLocked)>}").count - 1 }
        let unlock = ["device", "unlock", "--passcode-stdin"]
        // It says nothing of when it has begun.
        let hasBegun = try eventually("the monitor listens") {
            _ = try shell.run("keychainctl", unlock, input: Self.passcode)
            _ = try shell.security("lock-keychain")
            return count(true) > 0
        }
        try #require(hasBegun, "\(signals) \(log)")
        for door in ["security", "keychainctl"] {
            let before = (count(false), count(true))
            let outcome =
                door == "security"
                ? try shell.run("security", ["unlock-keychain", "-p", Self.passcode])
                : try shell.run("keychainctl", unlock, input: Self.passcode)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(eventually("the unlock") { count(false) > before.0 })
            #expect(
                try door == "security"
                    ? shell.security("lock-keychain").status == 0 : shell.control("device lock").status == 0
            )
            #expect(eventually("the lock") { count(true) > before.1 })
        }
        #expect(signals.contains("CollectionChanged (objectpath '/org/freedesktop/secrets/collection/login',)"))
    }

    // MARK: - Options

    @Test("an empty keychain gets the descriptor's first line as its passcode, with which the next daemon unlocks it")
    func unlockDescriptor() throws {
        #expect(stop(try start(["--unlock-fd", "0"], input: "\(Self.passcode)\nmore")) == 0)
        let daemon = try start(["--unlock-fd", "0"], input: Self.passcode)
        #expect(try shell.control("device status").output.contains("unlocked"))
        #expect(stop(daemon) == 0)
    }

    @Test("with another passcode the keychain stays locked, in one line that has none of it, and the daemon serves")
    func wrongPasscode() throws {
        #expect(stop(try start(["--unlock-fd", "0"], input: Self.passcode)) == 0)
        let before = log.split(separator: "\n").count
        let daemon = try start(["--unlock-fd", "0"], input: "hunter2")
        let lines = log.split(separator: "\n").dropFirst(before)
        #expect(lines.filter { $0.contains("the keychain stays locked: the passcode is wrong") }.count == 1)
        #expect(!log.contains("hunter2") && !log.contains(Self.passcode))
        let status = try shell.control("device status").output
        #expect(status.contains("Wrong passcodes:  1 in a row"), "\(status)")
        #expect(stop(daemon) == 0)
    }

    @Test("a keychain with items and no passcode refuses a descriptor, and keeps its items")
    func itemsWithoutPasscode() throws {
        let first = try start()
        #expect(try shell.run("/usr/bin/secret-tool", ["store", "--label=x"] + Self.item, input: "secret").status == 0)
        #expect(stop(first) == 0)
        let refused = try daemon(["--unlock-fd", "0"], input: Self.passcode)
        try refused.run()
        refused.waitUntilExit()
        #expect(refused.terminationStatus == 1)
        #expect(log.contains("the keychain has items and no passcode"))
        let daemon = try start()
        #expect(try lookUp() == Shell.Outcome(status: 0, output: "secret", errors: ""))
        #expect(stop(daemon) == 0)
    }

    @Test("a start that fails leaves the keychain embedded, as it was")
    func failedStart() throws {
        #expect(try shell.security("add-generic-password -s a -a b -w c").status == 0)
        let refused = try daemon(["--unlock-fd", "0"], input: Self.passcode)
        try refused.run()
        refused.waitUntilExit()
        #expect(refused.terminationStatus == 1)
        #expect(try shell.control("service status").output.contains("embedded"))
        #expect(try shell.security("find-generic-password -s a -w").output == "c\n")
    }

    @Test("a daemon in the background reads the descriptor too", arguments: [0, 3])
    func background(descriptor: Int) throws {
        let program = try #require(shell.process("keychaind", []).executableURL?.path)
        let file = folder.path(of: "passcode")
        try Data(Self.passcode.utf8).write(to: URL(fileURLWithPath: file))
        let line =
            "\(program) --background --secret-service --bus \(bus) --unlock-fd \(descriptor) \(descriptor)< \(file)"
        for _ in 0..<2 {
            #expect(try shell.run("/bin/sh", ["-c", line]).status == 0, "\(log)")
            let status = try shell.control("device status").output
            #expect(status.contains("unlocked"), "\(status)")
            #expect(try lookUp().status == 1)
            #expect(try shell.control("service disable").status == 0)
        }
    }

    @Test("without a descriptor locked items are refused at once")
    func locked() throws {
        #expect(stop(try startLocked()) == 0)
        let daemon = try start(authenticator: "none")
        let script = """
            import gi
            gi.require_version("Gio", "2.0")
            from gi.repository import Gio, GLib
            bus = Gio.bus_get_sync(Gio.BusType.SESSION, None)
            def call(path, interface, method, arguments):
                return bus.call_sync("org.freedesktop.secrets", path, "org.freedesktop.Secret." + interface, method,
                                     arguments, None, 0, 10000, None).unpack()
            root = "/org/freedesktop/secrets"
            _, session = call(root, "Service", "OpenSession", GLib.Variant("(sv)", ("plain", GLib.Variant("s", ""))))
            found, locked = call(root, "Service", "SearchItems", GLib.Variant("(a{ss})", ({"service": "S"},)))
            print(len(found), len(locked))
            try: call(locked[0], "Item", "GetSecret", GLib.Variant("(o)", (session,)))
            except GLib.Error as error: print(Gio.DBusError.get_remote_error(error))
            """
        let outcome = try shell.run("/usr/bin/python3", ["-c", script])
        #expect(outcome.output == "0 1\norg.freedesktop.Secret.Error.IsLocked\n", "\(outcome)")
        #expect(stop(daemon) == 0)
    }

    @Test("a name that another program has is waited for, in one line that names it, and no bus is tried again")
    func queue() throws {
        let other = try PrivateBus()
        var environment = shell.environment
        environment["DBUS_SESSION_BUS_ADDRESS"] = other.address
        let script = """
            import dbus.service, time
            name = dbus.service.BusName("org.freedesktop.secrets", dbus.SessionBus())
            time.sleep(600)
            """
        let taker = try Shell(environment: environment).process("/usr/bin/python3", ["-c", script])
        try taker.run()
        defer { kill(taker.processIdentifier, SIGKILL) }
        let isTaken = try eventually("the name is taken") {
            let words = ["--user", "status", "org.freedesktop.secrets"]
            return try Shell(environment: environment).run("/usr/bin/busctl", words).status == 0
        }
        #expect(isTaken)
        let words = ["--foreground", "--secret-service"]
        let process = try Shell(environment: environment).process("keychaind", words)
        let descriptor = open(folder.path(of: "log"), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        process.standardError = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        try process.run()
        daemons.append(process)
        let line =
            "keychaind: process \(taker.processIdentifier) has the name org.freedesktop.secrets on the bus; the keychain gets "
            + "it afterwards\n"
        #expect(eventually("the line") { log.contains(line) }, "\(log)")
        kill(taker.processIdentifier, SIGKILL)
        #expect(eventually("it serves") { log.contains("find the keychain as") })
        other.stop()
        #expect(eventually("it says so") { log.contains("the Secret Service is not served, and is tried again: ") })
        #expect(stop(process) == 0)
    }
}
