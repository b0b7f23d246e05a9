// SPDX-License-Identifier: Apache-2.0

import Glibc

/// The first screen of `keychainctl browse`, on a terminal of its own with 80 columns and 24 lines.
struct BrowsedScreen {
    /// From the start of the program to the last line of its screen.
    let nanoseconds: Double

    /// The most memory that was resident until then (`VmHWM`, proc_pid_status(5)).
    let peakKibibytes: Int

    private static let lastWords = Array("Esc quit".utf8)
    private static let escape: [UInt8] = [0x1B]
    private static let deadlineMilliseconds: Int32 = 60_000

    /// Starts the program, waits for its screen, and ends it.
    init(_ program: String, variables: [String]) throws {
        var (terminal, slave): (Int32, Int32) = (-1, -1)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        var name = [CChar](repeating: 0, count: 64)
        guard openpty(&terminal, &slave, &name, nil, &size) == 0 else { throw Failure("there is no terminal left") }
        defer { close(terminal) }
        close(slave)
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        let start = Clock.wall.now
        let process = try ChildProcess(
            program,
            ["browse"],
            environment: variables,
            terminal: name.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
        )
        try Self.wait(for: Self.lastWords, of: terminal)
        nanoseconds = Clock.wall.now - start
        peakKibibytes = try ProcessMemory(of: process.identifier).peak
        guard write(terminal, Self.escape, 1) == 1 else { throw Failure("a terminal takes nothing") }
        // Until the program has closed it.
        var rest = [UInt8](repeating: 0, count: 1 << 16)
        while read(terminal, &rest, rest.count) > 0 {}
        let status = process.wait()
        guard status == 0 else { throw Failure("browse ended with \(status)") }
    }

    private static func wait(for words: [UInt8], of terminal: Int32) throws {
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            var entry = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, deadlineMilliseconds) > 0 else { throw Failure("browse shows nothing") }
            let count = read(terminal, &buffer, buffer.count)
            guard count > 0 else { throw Failure("browse has ended: \(String(decoding: shown, as: UTF8.self))") }
            shown += buffer[..<count]
            // A screen has few bytes.
            if shown.indices.contains(where: { shown[$0...].starts(with: words) }) { return }
        }
    }
}
