// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import CKeychainSupport
import CommandHelp
import Glibc
import KeychainCore
import KeychainHost

/// Clears the clipboard later, unless it has something else by then: run by ``ClipCommand``, in the background.
struct ClearClipboardCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "clear-clipboard",
        abstract: "Clears the clipboard, if what it has fits the digest on standard input.",
        discussion: CommandDiscussion.text(examples: [
            "keychainctl clear-clipboard xclip --after 45 < digest": "Waits before."
        ]),
        shouldDisplay: false
    )

    @Argument(help: "wayland, xclip, xsel, tmux or the path of a terminal.")
    var clipboard: Clipboard

    @Option(help: ArgumentHelp("The time before; 0 for at once.", valueName: "seconds"))
    var after: UInt32

    func run() throws {
        // Otherwise it would end with the terminal, and keep a file system busy.
        setsid()
        chdir("/")
        // A logout, too, clears the clipboard.
        let signals = Self.heldSignals()
        let surroundings = Surroundings.current
        let digest = ClipboardDigest(try SecretFile.read("-", standardInput: surroundings.standardInput))
        let turn = ClipboardTurn(of: clipboard, environment: surroundings.environment)
        defer { turn.end() }
        try SecretFile.write(SecretBytes([Self.isReady]), to: surroundings.standardOutput)
        Self.wait(seconds: after, signals)
        if turn.isLast { try clipboard.clear(digest) }
    }

    /// Has the signals that end a program wait until they are asked for.
    private static func heldSignals() -> sigset_t {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in [SIGTERM, SIGHUP, SIGINT] { sigaddset(&signals, signal) }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        return signals
    }

    /// Waits for a time, or for a signal.
    private static func wait(seconds: UInt32, _ signals: sigset_t) {
        let deadline = Deadline(milliseconds: Int32(clamping: Int64(seconds) * 1000))
        var signals = signals
        while true {
            let left = Int(deadline.millisecondsLeft)
            var time = timespec(tv_sec: left / 1000, tv_nsec: left % 1000 * 1_000_000)
            guard sigtimedwait(&signals, nil, &time) < 0, errno == EINTR else { break }
        }
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }

    /// What it writes as soon as the end of its caller does not end it.
    private static let isReady = UInt8(ascii: "\n")

    /// Starts it, with no descriptor of this program.
    @Sendable
    static func start(_ clipboard: Clipboard, _ digest: ClipboardDigest, after seconds: Int) throws(Refusal) {
        let words = ["keychainctl", configuration.commandName ?? "", clipboard.text, "--after", "\(seconds)"]
        var (socket, child): (Int32, pid_t) = (-1, 0)
        let failure = CStringVector.with(words) { keychain_spawn("/proc/self/exe", $0, environ, &socket, &child) }
        guard failure == 0 else { throw Self.failure("\(String(cString: strerror(failure)))") }
        defer { close(socket) }
        let isSent = digest.bytes.withUnsafeBytes { keychain_send(socket, $0.baseAddress, $0.count) == $0.count }
        shutdown(socket, Int32(SHUT_WR))
        var answer: UInt8 = 0
        let count = withUnsafeMutableBytes(of: &answer) { DescriptorInput.read(socket, $0) }
        guard isSent, count == 1, answer == isReady else { throw Self.failure("its program ended") }
    }

    private static func failure(_ why: String) -> Refusal { Refusal("the clipboard will not be cleared: \(why)") }
}

extension Clipboard: ExpressibleByArgument {
    init?(argument: String) {
        switch argument {
        case "wayland": self = .wayland
        case "xclip": self = .xclip
        case "xsel": self = .xsel
        case "tmux": self = .tmux
        case _ where argument.hasPrefix("/"): self = .terminal(argument)
        default: return nil
        }
    }

    /// What is read as it.
    var text: String {
        switch self {
        case .wayland: "wayland"
        case .xclip: "xclip"
        case .xsel: "xsel"
        case .tmux: "tmux"
        case .terminal(let path): path
        }
    }
}
