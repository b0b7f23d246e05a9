// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import KeychainTestSupport
import KeychainWire
import Synchronization
import Testing

@testable import KeychainControl

/// The units that systemd is given, and what it is asked to do.
struct SystemdUnitsTests {
    @Test("the service is the program by its absolute path, whatever characters are in it")
    func program() throws {
        let units = SystemdUnits(program: "/opt/a b/50%/\"x\"/$y/keychaind")
        let service = try #require(units.files.first { $0.name == SystemdUnits.serviceUnit }?.text)
        #expect(service.contains(#"ExecStart="/opt/a b/50%%/\"x\"/$$y/keychaind" --user"#), "\(service)")
        let socket = try #require(units.files.first { $0.name == SystemdUnits.socketUnit }?.text)
        #expect(socket.contains("ListenStream=%t/swift-keychain/keychaind.sock"))
        #expect(socket.contains("SocketMode=0600") && socket.contains("DirectoryMode=0700"))
    }

    @Test(
        "nothing keeps a check of the user's password from the rights that it needs (systemd.exec(5), NoNewPrivileges=)",
        arguments: [
            "NoNewPrivileges", "SystemCallFilter", "SystemCallArchitectures", "RestrictNamespaces", "PrivateDevices",
            "ProtectKernelTunables", "MemoryDenyWriteExecute", "LockPersonality", "RestrictAddressFamilies",
        ]
    )
    func privileges(_ directive: String) {
        for file in SystemdUnits(program: "/usr/bin/keychaind").files { #expect(!file.text.contains("\(directive)=")) }
    }

    @Test("no number of crashes makes systemd give up")
    func startLimit() {
        let units = SystemdUnits(program: "/usr/bin/keychaind")
        let texts = (units.files + units.filesOfFileDaemon).map(\.text)
        let services = (texts + SystemServiceFiles(program: "/usr/bin/keychaind").files.map(\.text)).filter {
            $0.contains("[Service]")
        }
        #expect(services.count == 3)
        for text in services {
            let parts = text.components(separatedBy: "[Service]")
            #expect(parts[0].contains("\nStartLimitIntervalSec=0\n") && parts[1].contains("\nRestartSec=1\n"))
        }
    }

    @Test("the files are written to a folder that is made, and removed from it")
    func files() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "systemd/user")
        try SystemdUnits(program: "/usr/bin/keychaind").write(to: path)
        let names = try Set(FileManager.default.contentsOfDirectory(atPath: path))
        #expect(names == [SystemdUnits.socketUnit, SystemdUnits.serviceUnit])
        SystemdUnits.remove(from: path)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path).isEmpty)
    }

    @Test("a package has the units written for its programs")
    func unitFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "units")
        let command = try #require(
            KeychainControl.parseAsRoot([
                "service", "unit-files", "--output", path, "--program", "/usr/bin/keychaind",
            ]) as? UnitFilesCommand
        )
        try command.run()
        let service = try String(contentsOfFile: "\(path)/\(SystemdUnits.serviceUnit)", encoding: .utf8)
        #expect(service.contains("\"/usr/bin/keychaind\""))
        let files = try String(contentsOfFile: "\(path)/swift-keychain-files.service", encoding: .utf8)
        #expect(files.contains("ExecStart=\"/usr/bin/keychaind\" --files --exit-when-idle"))
        #expect(files.contains("Requires=swift-keychain-files.socket\n"))
        let socket = try String(contentsOfFile: "\(path)/swift-keychain-files.socket", encoding: .utf8)
        #expect(socket.contains("ListenStream=%t/swift-keychain/keychaind-files.sock\n"))
    }

    @Test("a package has the units of the system service written, with its user and its folder")
    func systemFiles() throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "lib")
        let command = try #require(
            KeychainControl.parseAsRoot([
                "service", "unit-files", "--system", "--output", path, "--program", "/usr/bin/keychaind",
            ]) as? UnitFilesCommand
        )
        try command.run()
        func text(_ name: String) throws -> String { try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8) }
        let service = try text("systemd/system/\(SystemdUnits.serviceUnit)")
        #expect(service.contains("ExecStart=\"/usr/bin/keychaind\" --system"))
        #expect(service.contains("User=swift-keychain\n") && service.contains("StateDirectoryMode=0700"))
        let socket = try text("systemd/system/\(SystemdUnits.socketUnit)")
        #expect(socket.contains("ListenStream=\(SocketLocation.system.path)\n") && socket.contains("SocketMode=0666"))
        #expect(try text("sysusers.d/swift-keychain.conf").contains("u swift-keychain - "))
        let folders = try text("tmpfiles.d/swift-keychain.conf")
        #expect(folders.contains("d \(SocketLocation.system.folder) 0755 swift-keychain "))
    }

    @Test(
        "the system service sees the files that its programs see: it has no mount namespace of its own",
        arguments: [
            "ProtectSystem", "ProtectHome", "PrivateTmp", "PrivateDevices", "ProtectKernelTunables",
            "ProtectKernelModules", "ProtectKernelLogs", "ProtectControlGroups", "ProtectProc", "ProcSubset",
            "PrivateMounts", "ReadOnlyPaths", "InaccessiblePaths", "RootDirectory", "DynamicUser", "ProtectHostname",
            "TemporaryFileSystem", "BindPaths", "PrivateUsers", "PrivateNetwork", "PrivateIPC", "PrivatePIDs",
        ]
    )
    func namespaces(_ directive: String) {
        for file in SystemServiceFiles(program: "/usr/bin/keychaind").files {
            #expect(!file.text.contains("\(directive)="))
        }
    }

    @Test(
        "the system service may neither touch the memory of others, nor take all of the computer, nor hang for ever",
        arguments: [
            "SystemCallFilter=@system-service\nSystemCallFilter=~@privileged @resources process_vm_readv process_vm_writev",
            "MemoryMax=4G", "TasksMax=1024", "OOMPolicy=continue", "WatchdogSec=60", "TimeoutStopSec=20",
            "Restart=on-failure", "CapabilityBoundingSet=CAP_SYS_PTRACE", "NoNewPrivileges=yes",
        ]
    )
    func limits(_ lines: String) throws {
        let files = SystemServiceFiles(program: "/usr/bin/keychaind").files
        let service = try #require(files.first { $0.name == SystemdUnits.serviceUnit }?.text)
        #expect(service.contains("\n\(lines)\n"))
    }

    @Test("systemd is used where it runs for the user, and nowhere else")
    func manager() throws {
        let folder = try TemporaryFolder()
        let variables = ["XDG_RUNTIME_DIR": folder.path, "HOME": "/home/anna"]
        let calls = Mutex<[[String]]>([])
        func manager() -> UserManager? {
            UserManager.current(
                environment: { variables[$0] },
                output: { words throws(Refusal) in
                    calls.withLock { $0.append(words) }
                    if words.contains("fail") { throw Refusal("no") }
                    return ""
                }
            )
        }
        #expect(manager() == nil)
        try FileManager.default.createDirectory(atPath: folder.path(of: "systemd"), withIntermediateDirectories: false)
        #expect(FileManager.default.createFile(atPath: folder.path(of: "systemd/private"), contents: nil))
        let found = try #require(manager())
        #expect(found.unitFolder == "/home/anna/.config/systemd/user")
        try found.start()
        found.stop()
        #expect(found.restart() && !found.run(["fail"]))
        let words = calls.withLock { $0.map { $0.dropFirst(3).joined(separator: " ") } }
        #expect(
            words == [
                "daemon-reload", "enable --now swift-keychain.socket", "disable --now swift-keychain.socket",
                "stop swift-keychain.service", "restart swift-keychain.service", "fail",
            ]
        )
    }

    @Test("connections are counted by the kernel's table")
    func connections() {
        let table = """
            Num       RefCount Protocol Flags    Type St Inode Path
            0000: 00000002 00000000 00010000 0001 01 1 /run/keychaind.sock
            0000: 00000003 00000000 00000000 0001 03 2 /run/keychaind.sock
            0000: 00000003 00000000 00000000 0001 03 3 /run/other socket
            0000: 00000003 00000000 00000000 0001 03 4
            """
        #expect(SocketTable.connections(at: "/run/keychaind.sock", in: table) == 1)
        #expect(SocketTable.connections(at: "/run/other socket", in: table) == 1)
        #expect(SocketTable.connections(at: "/none", in: table) == 0)
    }
}
