// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainTestSupport

/// A pseudo-terminal, with the program on its other side.
final class Pty {
    private let master: Int32
    let path: String
    private var unread: [UInt8] = []

    enum Failure: Error {
        case system(String, Int32)
        case silent(after: String)
    }

    init() throws {
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

    /// Starts the program with this as its controlling terminal; standard output and errors go to files.
    func start(_ arguments: [String], as user: ToolUser, blocksSignals: Bool = false) throws -> ToolProcess.Running {
        let streams = ToolProcess.Streams(
            input: path,
            output: user.temporary.path(of: "output"),
            errors: user.temporary.path(of: "errors")
        )
        return try ToolProcess.start(
            arguments.map { Array($0.utf8) },
            in: user.current.path,
            environment: user.environment,
            streams,
            blocksSignals: blocksSignals
        )
    }

    /// Types something.
    func type(_ text: String) throws {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { write(master, $0.baseAddress, min($0.count, 512)) }
            guard count > 0 else { throw Failure.system("write", errno) }
            bytes = bytes.dropFirst(count)
        }
    }

    /// Everything that the terminal showed up to a text, which must come within some seconds.
    @discardableResult
    func shown(upTo text: String) throws -> String {
        let limit = Date(timeIntervalSinceNow: 20)
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
    var rest: String {
        while readMore(milliseconds: 50) {}
        return String(decoding: unread, as: UTF8.self)
    }

    /// Whether what is typed is shown.
    var hasEcho: Bool {
        var settings = termios()
        return tcgetattr(master, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
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
