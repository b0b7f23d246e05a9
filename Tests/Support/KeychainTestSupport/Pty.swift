// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc

/// A pseudo-terminal: this side is the user, the program has the other one.
package final class Pty {
    private let master: Int32

    /// The path of the terminal, for the program.
    package let path: String

    private var unread: [UInt8] = []

    /// Why there is no terminal, or nothing to read from it.
    package enum Failure: Error {
        /// A system call failed, with an error number.
        case system(String, Int32)
        /// The awaited text did not come, but this.
        case silent(after: String)
    }

    /// Makes a terminal.
    package init() throws {
        // The functions of posix_openpt(3) are out of Swift's sight.
        master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard master >= 0 else { throw Failure.system("open", errno) }
        var unlocked: Int32 = 0
        var number: UInt32 = 0
        guard ioctl(master, UInt(0x4004_5431), &unlocked) == 0, ioctl(master, UInt(0x8004_5430), &number) == 0 else {
            throw Failure.system("ioctl", errno)
        }
        path = "/dev/pts/\(number)"
    }

    deinit { close(master) }

    /// Types something.
    package func type(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 512)) }
            guard count > 0 else { throw Failure.system("write", errno) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Everything that the terminal showed up to a text, which must come within ten minutes.
    @discardableResult
    package func readOutput(upTo text: String) throws -> String {
        let limit = Date(timeIntervalSinceNow: 600)
        while Date() < limit {
            let all = String(decoding: unread, as: UTF8.self)
            if let range = all.range(of: text) {
                unread = Array(all[range.upperBound...].utf8)
                return String(all[..<range.upperBound])
            }
            guard readMore(milliseconds: 200) else { continue }
        }
        throw Failure.silent(after: String(decoding: unread, as: UTF8.self))
    }

    /// What else the terminal has shown by now.
    package var rest: String {
        while readMore(milliseconds: 50) {}
        return String(decoding: unread, as: UTF8.self)
    }

    /// Whether what is typed is shown.
    package var hasEcho: Bool { flags & tcflag_t(ECHO) != 0 }

    /// Whether the terminal edits lines.
    package var editsLines: Bool { flags & tcflag_t(ICANON) != 0 }

    /// The settings, to be compared.
    package var settings: [UInt32] {
        var settings = termios()
        guard tcgetattr(master, &settings) == 0 else { return [] }
        let keys = withUnsafeBytes(of: settings.c_cc) { $0.map(UInt32.init) }
        return [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag] + keys
    }

    /// Waits until what is typed is shown no more, for ten minutes at most.
    ///
    /// - Throws: ``Failure/silent(after:)``.
    package func waitForHiding() throws {
        let limit = Date(timeIntervalSinceNow: 600)
        while hasEcho {
            guard Date() < limit else { throw Failure.silent(after: "") }
            sched_yield()
        }
    }

    private var flags: tcflag_t {
        var settings = termios()
        return tcgetattr(master, &settings) == 0 ? settings.c_lflag : 0
    }

    /// Whether there was something to read.
    private func readMore(milliseconds: Int32) -> Bool {
        var state = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        guard poll(&state, 1, milliseconds) > 0 else { return false }
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        let count = read(master, &buffer, buffer.count)
        if count > 0 { unread += buffer[..<count] }
        return count > 0
    }
}
