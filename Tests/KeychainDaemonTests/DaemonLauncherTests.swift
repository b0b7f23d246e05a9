// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainHost
import KeychainOnDemand
import KeychainRouting
import KeychainTestSupport
import KeychainWire
import Testing

@Suite("Starting a daemon on demand")
struct DaemonLauncherTests {
    @Test("where systemd is to start it and its user is not logged in, nothing else is started, and the error says so")
    func notLoggedIn() throws {
        let folder = try TemporaryFolder()
        let location = KeychainLocation(path: folder.path(of: "store"))
        let runtime = folder.path(of: "user/1000")
        let socket = SocketLocation(path: "\(runtime)/swift-keychain/keychaind.sock")
        let record = ServiceRecord(program: "/bin/false", socket: socket.path, unit: "swift-keychain.socket")
        try record.write(in: PrivateDirectory(location))
        let error = #expect(throws: KeychainError.self) {
            try DaemonLauncher(storeAt: location).start(listeningAt: socket)
        }
        #expect(error?.status == .notAvailable)
        #expect(error?.reason.contains("\(runtime) is missing") == true, "\(error?.reason ?? "")")
        #expect(error?.reason.contains("loginctl enable-linger") == true)
    }

    @Test("a daemon that a program starts looks for published statements where the program's XDG_CONFIG_HOME says")
    func configurationFolder() throws {
        let folder = try DaemonFolder(isEnabled: false)
        var environment = try Shell.beside(folder).environment
        // A daemon that gives its folder as the reason why it does not start.
        let programs = try TemporaryFolder()
        let script = "echo \"looks in $XDG_CONFIG_HOME\"\nexit 1\n"
        environment["SWIFT_KEYCHAIND"] = try programs.makeProgram("keychaind", script)
        environment["XDG_CONFIG_HOME"] = "/elsewhere"
        let refused = try Shell(environment: environment).control("service enable")
        #expect(refused.status == 1 && refused.errors.contains("looks in /elsewhere"), "\(refused)")
    }

    @Test("the status of a service says when its daemon is not installed any more")
    func notInstalled() throws {
        let folder = try DaemonFolder()
        let shell = try Shell.beside(folder)
        #expect(try shell.control("service status").output.contains("started by the next call"))
        var environment = shell.environment
        environment["SWIFT_KEYCHAIND"] = "/nonexistent/keychaind"
        let status = try Shell(environment: environment).control("service status")
        #expect(status.status == 0)
        #expect(status.output.contains("not running: ") && status.output.contains("/nonexistent/keychaind is missing"))
    }
}
