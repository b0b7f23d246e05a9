// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainCore
import KeychainHost
import Synchronization

/// A terminal without line editing, on its alternate screen, which has no scrollback (xterm, "Control Sequences").
final class BrowseTerminal {
    /// What happens at a terminal.
    enum Event {
        case bytes([UInt8])
        case resized
        case signal(Int32)
        case timeout
        case ended
    }

    static let stop = SIGTSTP

    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP]

    /// The end of a pipe that the handlers of signals write to.
    private static let notes = Atomic<Int32>(-1)

    private let terminal: Int32
    private let noted: Int32
    private var before = termios()
    private var isEntered = false
    /// What signals did before.
    private var actions: [Int32: sigaction] = [:]
    /// What the terminal shows.
    private var shown: BrowseScreen?

    /// Checks whether a terminal of this name can place characters.
    ///
    /// - Throws: ``Refusal`` for one that cannot.
    static func check(_ environment: (String) -> String?) throws(Refusal) {
        let name = environment("TERM") ?? ""
        guard !["", "dumb", "unknown"].contains(name) else {
            throw Refusal(
                "a terminal of the kind '\(name.printable)' (TERM) has no screen to browse; 'keychainctl list' and 'search' need none"
            )
        }
    }

    /// Opens the terminal of this process.
    ///
    /// - Throws: ``Refusal`` if there is none.
    init() throws(Refusal) {
        terminal = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var ends: [Int32] = [-1, -1]
        guard terminal >= 0, tcgetattr(terminal, &before) == 0, keychain_pipe(&ends) == 0 else {
            if terminal >= 0 { close(terminal) }
            throw Refusal("there is no terminal to browse on; 'keychainctl list' and 'search' write to standard output")
        }
        noted = ends[0]
        Self.notes.store(ends[1], ordering: .relaxed)
    }

    deinit {
        leave()
        let end = Self.notes.exchange(-1, ordering: .relaxed)
        for descriptor in [terminal, noted, end] where descriptor >= 0 { close(descriptor) }
    }

    /// Milliseconds of a clock that is not set.
    var now: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }

    var size: BrowseModel.Size {
        var size = winsize()
        guard ioctl(terminal, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return BrowseModel.Size(rows: 24, columns: 80)
        }
        return BrowseModel.Size(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }

    /// Takes the terminal over.
    func enter() throws(Refusal) {
        guard !isEntered else { return }
        isEntered = true
        for signal in Self.signals + [SIGWINCH, SIGCONT] { install(signal) }
        guard takeOver() else {
            let why = String(cString: strerror(errno))
            leave()
            throw Refusal("the terminal cannot be used: \(why)")
        }
    }

    private func takeOver() -> Bool {
        var raw = before
        raw.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | BRKINT | ISTRIP)
        raw.c_cc.6 = 1
        raw.c_cc.5 = 0
        guard tcsetattr(terminal, TCSAFLUSH, &raw) == 0 else { return false }
        // A line that turns out to be wider than the screen is cut, and not continued below.
        write(Array("\u{1B}[?1049h\u{1B}[?7l\u{1B}[2J".utf8))
        shown = nil
        return true
    }

    /// Gives it back, with nothing left of what was on the screen.
    func leave() {
        guard isEntered else { return }
        isEntered = false
        write(Array("\u{1B}[0m\u{1B}[2J\u{1B}[H\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l".utf8))
        tcsetattr(terminal, TCSAFLUSH, &before)
        for (number, var action) in actions { sigaction(number, &action, nil) }
        actions = [:]
    }

    /// Draws everything the next time.
    func forget() {
        shown = nil
        write(Array("\u{1B}[2J".utf8))
    }

    /// Does what a signal does by itself: ends or stops this program.
    func obey(_ number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }

    /// Waits.
    func next(milliseconds: Int?) -> Event {
        var ready = [
            pollfd(fd: noted, events: Int16(POLLIN), revents: 0),
            pollfd(fd: terminal, events: Int16(POLLIN), revents: 0),
        ]
        let count = poll(&ready, nfds_t(ready.count), Int32(milliseconds ?? -1))
        if count == 0 { return .timeout }
        // A signal that interrupts it has written a note.
        if count < 0 { return errno == EINTR ? .bytes([]) : .ended }
        if ready[0].revents != 0 {
            var number: UInt8 = 0
            _ = withUnsafeMutableBytes(of: &number) { DescriptorInput.read(noted, $0) }
            switch Int32(number) {
            case SIGWINCH, SIGCONT: return settle(Int32(number))
            default: return .signal(Int32(number))
            }
        }
        var bytes = [UInt8](repeating: 0, count: 1 << 10)
        let read = bytes.withUnsafeMutableBytes { DescriptorInput.read(terminal, $0) }
        return read > 0 ? .bytes(Array(bytes[..<read])) : .ended
    }

    /// After a stop that nobody could foresee, the terminal has the settings of somebody else.
    private func settle(_ number: Int32) -> Event {
        if number == SIGCONT { _ = takeOver() }
        return .resized
    }

    private func install(_ number: Int32) {
        var before = sigaction()
        sigaction(number, nil, &before)
        // One that is ignored stays so, as for a program under nohup(1).
        guard unsafeBitCast(before.__sigaction_handler.sa_handler, to: Int.self) != Self.ignored else { return }
        actions[number] = before
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = Glibc.write(BrowseTerminal.notes.load(ordering: .relaxed), &byte, 1)
            errno = error
        }
        action.sa_flags = SA_RESTART
        sigaction(number, &action, nil)
    }

    /// `SIG_IGN`.
    private static let ignored = 1

    // MARK: - Drawing

    /// Shows a screen; lines that have not changed are not written again.
    func draw(_ screen: BrowseScreen, secret: SecretBytes?) {
        var output = "\u{1B}[?25l"
        for (row, line) in screen.lines.enumerated() where isOther(line, at: row, screen) {
            output += "\u{1B}[\(row + 1);1H"
            output += line.isReversed ? "\u{1B}[7m\(line.text)\u{1B}[0m" : line.text
        }
        write(Array(output.utf8))
        if let place = screen.secretPlace, let secret, shown?.secretPlace != place || shown?.lines != screen.lines {
            write(Array("\u{1B}[\(place.row + 1);\(place.column + 1)H".utf8))
            ShownSecret.line(secret, width: place.width).withUnsafeBytes {
                _ = DescriptorOutput.write($0, to: terminal)
            }
        }
        if let cursor = screen.cursor { write(Array("\u{1B}[1;\(cursor + 1)H\u{1B}[?25h".utf8)) }
        shown = screen
    }

    private func isOther(_ line: BrowseScreen.Line, at row: Int, _ screen: BrowseScreen) -> Bool {
        guard let shown, shown.lines.count == screen.lines.count else { return true }
        // A secret is written over as soon as it is hidden, with the lines around it, on which a terminal that ignores
        // the above may have continued it.
        if let place = shown.secretPlace, place != screen.secretPlace { return true }
        return shown.lines[row] != line || screen.secretPlace?.row == row
    }

    private func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { _ = DescriptorOutput.write($0, to: terminal) } }
}
