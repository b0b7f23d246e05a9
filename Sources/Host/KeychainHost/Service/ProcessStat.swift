// SPDX-License-Identifier: Apache-2.0

import Glibc

/// What the kernel says of a process (proc(5), `/proc/PID/stat`).
package struct ProcessStat: Sendable, Hashable {
    /// When it was started, in clock ticks since boot: another process with the same number was started later.
    package let startTime: UInt64

    /// Whether it is a zombie: in a container, those of a daemon or a shell may never be reaped.
    ///
    /// A process whose first thread alone has ended, as in a program that calls `dispatchMain`, continues.
    package let hasEnded: Bool

    /// Its controlling terminal, by the number of the device; 0 for none.
    package let terminal: UInt32

    /// Whether its process group has that terminal, and so may read what is typed there.
    package let isInForeground: Bool

    /// The status of a process at this moment; `nil` if there is none with that number.
    package init?(of process: Int32) {
        let descriptor = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let text = withUnsafeTemporaryAllocation(byteCount: 1024, alignment: 1) { buffer in
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            return String(decoding: buffer[..<max(0, count)], as: UTF8.self)
        }
        // The name of the program is the second field, in parentheses, and may contain both spaces and parentheses.
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(separator: " ")
        guard fields.count > 19, let group = Int32(fields[2]), let terminal = Int32(fields[4]),
            let foreground = Int32(fields[5]), let threadCount = Int(fields[17]), let startTime = UInt64(fields[19])
        else { return nil }
        self.startTime = startTime
        hasEnded = ["Z", "X"].contains(fields[0]) && threadCount <= 1
        self.terminal = UInt32(bitPattern: terminal)
        isInForeground = terminal != 0 && group == foreground
    }
}

/// When a process was started.
package enum ProcessStartTime {
    /// The clock ticks from boot to the start of a process; `nil` if there is no such process, or it has ended.
    package static func of(_ process: Int32) -> UInt64? {
        guard let status = ProcessStat(of: process), !status.hasEnded else { return nil }
        return status.startTime
    }

    /// That of a process that is started now, rounded down.
    package static var now: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_BOOTTIME, &time)
        let perSecond = UInt64(max(1, sysconf(Int32(_SC_CLK_TCK))))
        return UInt64(time.tv_sec) * perSecond + UInt64(time.tv_nsec) * perSecond / 1_000_000_000
    }

    /// Whether a process has certainly ended: there is none with its number, it is a zombie, or the one with its number
    /// was started at another time.
    static func hasEnded(_ process: Int32, startedAt startTime: UInt64) -> Bool {
        if kill(process, 0) != 0, errno == ESRCH { return true }
        return ProcessStat(of: process).map { $0.hasEnded || $0.startTime != startTime } ?? false
    }
}
