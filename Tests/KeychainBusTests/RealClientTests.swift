// SPDX-License-Identifier: Apache-2.0

import CSystemd
import Foundation
import Glibc
import KeychainBus
import KeychainTestSupport
import Testing

/// Programs of others on a bus of ours, with a service over sd-bus: no dbus-daemon is there.
@Suite(.timeLimit(.minutes(5)))
struct RealClientTests {
    private let bus: TestBus
    private let shell: Shell

    init() throws {
        bus = try TestBus()
        shell = Shell(environment: ["PATH": "/usr/bin:/bin", "DBUS_SESSION_BUS_ADDRESS": bus.bus.address])
    }

    /// Runs a program while the service is there.
    private func run(_ program: String, _ arguments: [String]) throws -> Shell.Outcome {
        let service = try EchoService(TestBus.service, on: try bus.bus.connect())
        defer { service.stop() }
        return try shell.run(program, arguments)
    }

    @Test(
        "busctl",
        arguments: [
            ("call org.example.Service /org/example org.example.Echo Echo s hello", "s \"hello\"\n"),
            ("call org.example.Service / org.freedesktop.DBus.Peer Ping", ""),
            (
                "get-property org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus Features",
                "as 1 \"HeaderFiltering\"\n"
            ),
            (
                "call org.freedesktop.DBus /org/freedesktop/DBus org.freedesktop.DBus NameHasOwner s org.example.Service",
                "b true\n"
            ),
        ]
    )
    func busctl(_ line: String, _ output: String) throws {
        let words = ["--user", "--address=\(bus.bus.address)"] + line.split(separator: " ").map(String.init)
        let outcome = try run("/usr/bin/busctl", words)
        #expect(outcome == Shell.Outcome(status: 0, output: output, errors: ""))
    }

    @Test("busctl lists and describes", arguments: ["list", "introspect org.freedesktop.DBus /org/freedesktop/DBus"])
    func busctlLists(_ line: String) throws {
        let words = ["--no-pager", "--address=\(bus.bus.address)"] + line.split(separator: " ").map(String.init)
        let outcome = try run("/usr/bin/busctl", words)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.output.contains(line == "list" ? "org.example.Service" : "NameOwnerChanged"))
    }

    @Test("GDBus: calls, waits and descriptions")
    func gdbus() throws {
        let address = ["--address", bus.bus.address]
        let target = ["--dest", "org.example.Service", "--object-path", "/org/example"]
        var outcome = try run(
            "/usr/bin/gdbus",
            ["call"] + address + target + ["--method", "org.example.Echo.Echo", "hello"]
        )
        #expect(outcome == Shell.Outcome(status: 0, output: "('hello',)\n", errors: ""))
        outcome = try run(
            "/usr/bin/gdbus",
            ["call"] + address + ["--dest", "org.example.None", "--object-path", "/", "--method", "a.b.C"]
        )
        #expect(outcome.status == 1)
        #expect(outcome.errors.contains("org.freedesktop.DBus.Error.ServiceUnknown"))
        outcome = try run(
            "/usr/bin/gdbus",
            ["introspect"] + address + ["--dest", "org.freedesktop.DBus", "--object-path", "/org/freedesktop/DBus"]
        )
        #expect(outcome.status == 0 && outcome.output.contains("GetConnectionCredentials"))
        outcome = try run("/usr/bin/gdbus", ["wait", "--session", "--timeout", "60", "org.example.Service"])
        #expect(outcome.status == 0, "\(outcome.errors)")
    }

    @Test("GDBus gets signals")
    func gdbusSignals() throws {
        let service = try EchoService(TestBus.service, on: try bus.bus.connect())
        defer { service.stop() }
        let monitor = try shell.process(
            "/usr/bin/stdbuf",
            ["-oL", "/usr/bin/gdbus", "monitor", "--session", "--dest", TestBus.service]
        )
        let output = Pipe()
        monitor.standardOutput = output
        try monitor.run()
        // A child of a thread of Dispatch blocks every signal that can be blocked.
        defer { kill(monitor.processIdentifier, SIGKILL) }
        var text = ""
        // It says nothing of when it has begun.
        let isTold = try eventually("a signal") {
            let word = "word\(text.utf8.count)"
            _ = try shell.run(
                "/usr/bin/busctl",
                ["--user", "call", TestBus.service, "/org/example", "org.example.Echo", "Echo", "s", word]
            )
            var ready = pollfd(fd: output.fileHandleForReading.fileDescriptor, events: Int16(POLLIN), revents: 0)
            while poll(&ready, 1, 100) > 0 {
                let more = output.fileHandleForReading.availableData
                guard !more.isEmpty else { break }
                text += String(decoding: more, as: UTF8.self)
            }
            return text.contains("org.example.Echo.Echoed ('word")
        }
        #expect(isTold, "\(text)")
    }

    @Test("libdbus: dbus-send")
    func libdbus() throws {
        let arguments = [
            "--session", "--print-reply=literal", "--dest=org.example.Service", "/org/example", "org.example.Echo.Echo",
            "string:hello",
        ]
        let outcome = try run("/usr/bin/dbus-send", arguments)
        #expect(outcome == Shell.Outcome(status: 0, output: "   hello", errors: ""))
    }

    @Test("libdbus in Python: calls, names and who a program is")
    func python() throws {
        let outcome = try run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import dbus, os, time
                bus = dbus.SessionBus()
                echo = bus.get_object("org.example.Service", "/org/example", introspect=False)
                print(echo.Echo("a" * 1000000, dbus_interface="org.example.Echo") == "a" * 1000000)
                print(echo.Process(dbus_interface="org.example.Echo") == os.getpid())
                print(bus.get_unix_user(bus.get_unique_name()) == os.getuid())
                print(bus.request_name("org.example.Python", 4), bus.name_has_owner("org.example.Python"))
                try: bus.request_name("org.example.Service", 4)
                except dbus.DBusException as error: print(error.get_dbus_name())
                print(bus.release_name("org.example.Python"))
                try: bus.get_object("org.example.None", "/").Do()
                except dbus.DBusException as error: print(error.get_dbus_name())
                """,
            ]
        )
        let output = """
            True
            True
            True
            1 True
            org.freedesktop.DBus.Error.AccessDenied
            1
            org.freedesktop.DBus.Error.ServiceUnknown

            """
        #expect(outcome == Shell.Outcome(status: 0, output: output, errors: ""))
    }

    @Test("jeepney: calls, in the other order of bytes too, signals and descriptors")
    func jeepney() throws {
        let outcome = try run(
            "/usr/bin/python3",
            [
                "-c",
                """
                import os
                from jeepney import DBusAddress, MatchRule, Properties, message_bus, new_method_call
                from jeepney.low_level import Endianness
                from jeepney.io.blocking import Proxy, open_dbus_connection
                bus = open_dbus_connection("SESSION", enable_fds=True)
                print(bus.unique_name.startswith(":"))
                echo = DBusAddress("/org/example", "org.example.Service", "org.example.Echo")
                driver = Proxy(message_bus, bus)
                rule = MatchRule(type="signal", sender="org.example.Service", path="/org/example", member="Echoed")
                driver.AddMatch(rule)
                with bus.filter(MatchRule(type="signal", member="Echoed")) as queue:
                    print(bus.send_and_get_reply(new_method_call(echo, "Echo", "sas", ("one", ["two"]))).body)
                    print(bus.recv_until_filtered(queue, timeout=60).body)
                call = new_method_call(echo, "Process")
                call.header.endianness = Endianness.big
                print(bus.send_and_get_reply(call).body[0] == os.getpid())
                ends = os.pipe()
                reply = bus.send_and_get_reply(new_method_call(echo, "Echo", "h", (ends[1],)))
                with reply.body[0].to_file("w") as file: file.write("through")
                os.close(ends[1])
                print(os.read(ends[0], 100))
                credentials = driver.GetConnectionCredentials(bus.unique_name)[0]
                print(sorted(credentials), credentials["UnixUserID"][1] == os.getuid())
                """,
            ]
        )
        let output = """
            True
            ('one', ['two'])
            ('one', ['two'])
            True
            b'through'
            ['ProcessFD', 'ProcessID', 'UnixUserID'] True

            """
        #expect(outcome == Shell.Outcome(status: 0, output: output, errors: ""))
    }
}
