// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainHost

/// A program that was started, until it ends.
final class ChildProcess {
    let identifier: pid_t
    private var isOver = false

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - program: its path.
    ///   - words: its arguments.
    ///   - environment: all of its environment.
    ///   - descriptors: its descriptors, and which of this process they are.
    /// - Throws: ``Failure`` when there is no such program.
    convenience init(
        _ program: String,
        _ words: [String],
        environment: [String] = [],
        descriptors: [Int32: Int32]
    ) throws {
        try self.init(program, words, variables: environment) { actions, _ in
            for (theirs, ours) in descriptors { posix_spawn_file_actions_adddup2(&actions, ours, theirs) }
        }
    }

    /// Starts a program in a session of its own, with a terminal as that of the session.
    convenience init(_ program: String, _ words: [String], environment: [String], terminal: String) throws {
        try self.init(program, words, variables: environment) { actions, attributes in
            // POSIX_SPAWN_SETSID, which the headers show to GNU programs only.
            posix_spawnattr_setflags(&attributes, 0x80)
            // The first terminal that the leader of a session opens is the session's.
            posix_spawn_file_actions_addopen(&actions, 0, terminal, O_RDWR, 0)
            for descriptor in [1, 2] as [Int32] { posix_spawn_file_actions_adddup2(&actions, 0, descriptor) }
        }
    }

    private init(
        _ program: String,
        _ words: [String],
        variables environment: [String],
        prepare: (inout posix_spawn_file_actions_t, inout posix_spawnattr_t) -> Void
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        prepare(&actions, &attributes)
        var process: pid_t = 0
        let failure = CStringVector.with([program] + words) { words in
            CStringVector.with(environment) { posix_spawn(&process, program, &actions, &attributes, words, $0) }
        }
        guard failure == 0 else { throw Failure("\(program) cannot be started: \(String(cString: strerror(failure)))") }
        identifier = process
    }

    deinit {
        guard !isOver else { return }
        kill(identifier, SIGKILL)
        _ = wait()
    }

    /// Waits for the end.
    ///
    /// - Returns: The exit status; 128 and the number of the signal where one ended it.
    func wait() -> Int32 { waitForUsage().status }

    /// Waits for the end.
    ///
    /// - Returns: The exit status as ``wait()`` has it, and how many nanoseconds processors worked for it and the
    ///   children that it has waited for, in the programs and in the kernel.
    func waitForUsage() -> (status: Int32, processor: Double) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0, errno == EINTR {}
        isOver = true
        let times = [usage.ru_utime, usage.ru_stime]
        let processor = times.reduce(0) { $0 + Double($1.tv_sec) * 1e9 + Double($1.tv_usec) * 1e3 }
        return (status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + status & 0x7F, processor)
    }

    /// The path of a program that was built along with this one.
    static func besideThis(_ name: String) throws -> String {
        guard let own = realpath("/proc/self/exe", nil) else { throw Failure("this program has no path") }
        defer { free(own) }
        let path = String(cString: own).split(separator: "/").dropLast().map { "/\($0)" }.joined() + "/\(name)"
        guard access(path, R_OK) == 0 else {
            throw Failure("\(path) is missing; Scripts/benchmark --daemon builds it")
        }
        return path
    }
}

/// The memory of a process, in KiB (proc_pid_status(5), proc_pid_smaps(5)).
struct ProcessMemory: CustomStringConvertible {
    /// What is resident, shared libraries included (RSS).
    let resident: Int
    /// The most that was resident.
    let peak: Int
    /// What is resident and of no file.
    let anonymous: Int
    /// What is resident, where each page that others have mapped too counts by its share (PSS); `nil` where the kernel
    /// does not say it of a process that cannot be dumped.
    let proportional: Int?

    init(of process: pid_t) throws {
        let status = Self.values("/proc/\(process)/status")
        guard let resident = status["VmRSS"], let peak = status["VmHWM"], let anonymous = status["RssAnon"] else {
            throw Failure("process \(process) has ended")
        }
        (self.resident, self.peak, self.anonymous) = (resident, peak, anonymous)
        proportional = Self.values("/proc/\(process)/smaps_rollup")["Pss"]
    }

    private static func values(_ path: String) -> [String: Int] {
        guard let file = fopen(path, "re") else { return [:] }
        defer { fclose(file) }
        var values: [String: Int] = [:]
        var line = [CChar](repeating: 0, count: 4096)
        while fgets(&line, Int32(line.count), file) != nil {
            let text = line.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { continue }
            values[String(parts[0])] = Int(parts[1].filter(\.isNumber))
        }
        return values
    }

    var description: String {
        let share = proportional.map { ", \(Self.mebibytes($0)) by share" } ?? ""
        return "\(Self.mebibytes(resident)) MiB resident, \(Self.mebibytes(anonymous)) of no file\(share)"
    }

    private static func mebibytes(_ kibibytes: Int) -> String { Report.number(Double(kibibytes) / 1024) }
}
