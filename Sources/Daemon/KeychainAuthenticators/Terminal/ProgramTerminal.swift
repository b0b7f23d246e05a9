// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

/// The controlling terminal of another process, while that process is in its foreground.
///
/// A daemon that asks there needs no agent that somebody has to start: the kernel says which terminal is a program's,
/// and whether what is typed there is for that program. A program in the background gets no question, so that it takes
/// no input from the one in the foreground, and a question ends when its program is not in the foreground any longer.
/// Whoever asks sees to it that there is one question at a time.
final class ProgramTerminal: QuestionTerminal {
    let descriptor: Int32
    let patienceMilliseconds: Int32 = 200

    private let process: Int32
    private let startTime: UInt64
    private let device: UInt32

    /// Opens it.
    ///
    /// - Returns: `nil` if the process has none, is not in its foreground, or sees another terminal of that number, as
    ///   in a container.
    init?(ofProcess process: Int32, startedAt startTime: UInt64) {
        self.process = process
        self.startTime = startTime
        let device = ProcessStat(of: process)?.terminal ?? 0
        self.device = device
        descriptor =
            Self.path(of: device).map { open($0, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW) } ?? -1
        // From here on the descriptor is closed by deinit, even if the initializer fails.
        guard descriptor >= 0, isatty(descriptor) == 1, isSeen(by: process), isOurs else { return nil }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// The path of the terminal of a process in the foreground; `nil` for none.
    static func path(ofProcess process: Int32, startedAt startTime: UInt64) -> String? {
        ProgramTerminal(ofProcess: process, startedAt: startTime).flatMap { path(of: $0.device) }
    }

    /// Pseudo-terminals, virtual consoles and serial lines (devices.txt of the kernel).
    private static func path(of device: UInt32) -> String? {
        let (major, minor) = (device >> 8 & 0xFFF, device & 0xFF | device >> 12 & 0xF_FF00)
        switch major {
        case 136...143: return "/dev/pts/\((major - 136) << 8 | minor)"
        case 4 where minor > 0 && minor < 64: return "/dev/tty\(minor)"
        case 4 where minor >= 64: return "/dev/ttyS\(minor - 64)"
        default: return nil
        }
    }

    /// Whether the process has that very terminal at the same path: the same number is another one elsewhere.
    private func isSeen(by process: Int32) -> Bool {
        guard let path = Self.path(of: device) else { return false }
        var (own, seen) = (stat(), stat())
        guard fstat(descriptor, &own) == 0, stat("/proc/\(process)/root\(path)", &seen) == 0 else { return false }
        return own.st_dev == seen.st_dev && own.st_ino == seen.st_ino && own.st_rdev == dev_t(device)
    }

    var isOurs: Bool {
        guard let status = ProcessStat(of: process) else { return false }
        return status.startTime == startTime && status.terminal == device && status.isInForeground
    }

    func withoutEcho<Result>(
        _ watch: QuestionWatch,
        _ body: (TypedLine.Keys) throws(QuestionEnd) -> Result
    ) throws(QuestionEnd) -> Result {
        var keys = keychain_terminal_keys()
        var settings: OpaquePointer?
        guard isOurs, keychain_terminal_borrow(descriptor, &keys, &settings) == 0 else { throw .unavailable }
        defer { keychain_terminal_give_back(descriptor, settings) }
        return try body(TypedLine.Keys(keys))
    }
}
