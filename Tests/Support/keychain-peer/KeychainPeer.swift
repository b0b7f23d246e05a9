// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc
import KeychainClient
import KeychainCore
import KeychainServer
import KeychainWire

/// One end of a connection to the daemon's server, for tests to kill and stop: `keychain-peer COMMAND SOCKET
/// ARGUMENT…`.
///
/// A line is printed for each step that was acknowledged.
@main
enum KeychainPeer {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else { exit(2) }
        let location = SocketLocation(path: arguments[2])
        switch arguments[1] {
        case "serve": serve(location, log: arguments[3])
        case "add": add(location, prefix: arguments[3], count: arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1)
        case "ask": ask(location)
        case "observe":
            observe(location, group: arguments[3], times: arguments.count > 4 ? Int(arguments[4]) ?? 1 : 1)
        case "fork": fork(location, name: arguments[3])
        case "close": closeAll(location, name: arguments[3])
        default: exit(2)
        }
    }

    /// Serves a keychain that writes the account of each item that is added to a log, until it is told to end.
    private static func serve(_ location: SocketLocation, log: String) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGTERM)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        do {
            let socket = try ListeningSocket(location)
            let keychain = LoggingKeychain(log)
            let server = try KeychainServer(sockets: [socket.descriptor], admission: EverybodysAdmission(keychain))
            Task.detached {
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGTERM)
                var signal: Int32 = 0
                sigwait(&signals, &signal)
                server.stop()
            }
            printLine("ready")
            server.run()
            printLine("ended")
        } catch {
            printLine("failed \(error)")
        }
    }

    /// Adds items, and says of each what became of it.
    ///
    /// One that was not added, as none is while no daemon listens, is added again.
    private static func add(_ location: SocketLocation, prefix: String, count: Int) {
        let keychain = keychain(location)
        for number in 0..<count {
            var outcome = outcome(keychain, "\(prefix)-\(number)")
            for _ in 0..<6_000 where outcome.hasPrefix("failed") {
                usleep(10_000)
                outcome = self.outcome(keychain, "\(prefix)-\(number)")
            }
            printLine(outcome)
        }
        printLine("done")
    }

    /// Evaluates a policy whose question is never answered.
    private static func ask(_ location: SocketLocation) {
        let keychain = DaemonKeychain(at: location, authenticator: SilentAuthenticator())
        do {
            try keychain.authentication.evaluate(.deviceOwner, reason: "to test", AuthenticationContext())
            printLine("shown")
        } catch {
            printLine("failed \(error)")
        }
    }

    /// Adds in a process, in its forked child while the parent has its connection open, and in the parent again.
    private static func fork(_ location: SocketLocation, name: String) {
        let keychain = keychain(location)
        printLine(outcome(keychain, "\(name)-before"))
        let child = storm_fork(60)
        if child == 0 {
            printLine(outcome(keychain, "\(name)-child"))
            _exit(0)
        }
        var status: Int32 = 0
        waitpid(child, &status, 0)
        printLine(outcome(keychain, "\(name)-after"))
        printLine("done \(status)")
    }

    /// Adds, closes all descriptors as a program does that becomes a daemon, and adds again while all their numbers are
    /// those of sockets of its own: `arrived COUNT`, the bytes at these, and `open COUNT`, how many of them are left.
    private static func closeAll(_ location: SocketLocation, name: String) {
        var sockets: [Int32] = []
        do {
            let keychain = keychain(location)
            printLine(outcome(keychain, "\(name)-before"))
            for number in Int32(3)..<256 { close(number) }
            while sockets.count < 128 {
                var pair: [Int32] = [-1, -1]
                guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { break }
                sockets += pair
            }
            printLine(outcome(keychain, "\(name)-after"))
        }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        let arrived = sockets.map { max(0, recv($0, &buffer, buffer.count, Int32(MSG_DONTWAIT))) }
        printLine("arrived \(arrived.reduce(0, +))")
        printLine("open \(sockets.count { send($0, "x", 1, Int32(MSG_DONTWAIT)) == 1 })")
        printLine("done")
    }

    /// Says of each change that it is told of where it was, and forks a child that stays when it is told to.
    private static func observe(_ location: SocketLocation, group: String, times: Int) {
        var observations = (0..<times).map { _ in
            keychain(location).observeChanges(as: Client(accessGroups: [group])) { notice in
                guard case .changed(let items) = notice else { return printLine("unknown") }
                for items in items { printLine("\(items.itemClass.rawValue) \(items.accessGroup)") }
            }
        }
        while let line = readLine() {
            guard line == "fork" else { continue }
            let child = storm_fork(60)
            if child == 0 {
                // Ended in the child, it goes on in the parent.
                observations = []
                _exit(0)
            }
            var status: Int32 = 0
            waitpid(child, &status, 0)
            printLine("forked")
        }
        withExtendedLifetime(observations) {}
    }

    private static func keychain(_ location: SocketLocation) -> DaemonKeychain {
        var options = ClientOptions()
        options.returnMilliseconds = 60_000
        return DaemonKeychain(at: location, options: options)
    }

    private static func outcome(_ keychain: DaemonKeychain, _ name: String) -> String {
        do throws(KeychainError) {
            _ = try keychain.perform(
                KeychainRequest(.add(["acct": .string(name)]), client: Client(accessGroups: ["test"]))
            )
            return "ok \(name)"
        } catch {
            return [.transport, .service(.silentAfterCommand)].contains(error.kind)
                ? "unknown \(name)" : "failed \(name)"
        }
    }

    static func printLine(_ line: String) {
        let bytes = Array((line + "\n").utf8)
        _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
    }
}

/// A keychain that has one log of everything that it was told to add.
private final class LoggingKeychain: KeychainBackend {
    private let log: Int32

    init(_ path: String) { log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600) }

    var families: CommandFamily { .all }

    func carryOut(_ command: KeychainCommand) throws(KeychainError) -> KeychainReply {
        switch command {
        case .items(let request):
            if case .add(let attributes) = request.operation, case .string(let name)? = attributes["acct"] {
                let line = Array((name + "\n").utf8)
                _ = line.withUnsafeBytes { write(log, $0.baseAddress, $0.count) }
            }
            return .answer(.nothing)
        case .authentication(.evaluate):
            let reply = CallAuthenticator().ask(AuthenticationPrompt(.passcode, reason: "to test"))
            KeychainPeer.printLine("answered \(reply)")
            return .done
        case .authentication(.release):
            KeychainPeer.printLine("released")
            return .done
        default: return .done
        }
    }
}

/// Somebody who looks at a question for ever, until it is ended.
private struct SilentAuthenticator: Authenticator {
    var biometry: Biometry { .none }

    var canAskForSecrets: Bool { true }

    func ask(_ prompt: AuthenticationPrompt) -> AuthenticationReply {
        KeychainPeer.printLine("asked")
        while !prompt.cancellation.isCancelled { usleep(10_000) }
        return .ended
    }
}

private struct EverybodysAdmission: Admission {
    private let keychain: any KeychainBackend

    init(_ keychain: any KeychainBackend) { self.keychain = keychain }

    func admit(_ socket: Int32) throws(KeychainError) -> any ConnectedPeer { Peer(socket, keychain) }
}

private struct Peer: ConnectedPeer {
    let process: ProcessInstance
    let backend: any KeychainBackend
    let vouchesForBiometry = false

    init(_ socket: Int32, _ backend: any KeychainBackend) {
        var credentials = (pid: pid_t(0), uid: uid_t(0), gid: gid_t(0))
        var size = socklen_t(MemoryLayout.size(ofValue: credentials))
        getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size)
        process = ProcessInstance(identifier: credentials.pid, startTime: 0)
        self.backend = backend
    }

    func permitted(_ command: KeychainCommand) throws(KeychainError) -> KeychainCommand { command }

    func confirm() throws(KeychainError) {}

    func changeFilter(for client: Client) throws(KeychainError) -> ChangeFilter {
        ChangeFilter(groups: client.accessGroups)
    }
}
