// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainHost

extension PeerProcess {
    /// Checks that no other process shares its memory (clone(2), `CLONE_VM`): such a process could act as this one, and
    /// be traced in its place.
    ///
    /// A process shares its memory for a moment with a child that executes another program (vfork(2)), so others count
    /// once they have done so for a second.
    ///
    /// - Returns: Whether that can be determined: kernels without kcmp(2) cannot.
    /// - Throws: ``IdentityError`` if one does.
    func checkMemoryIsItsOwn() throws(IdentityError) -> Bool {
        let comparison = MemoryComparison(of: identifier)
        var others = Self.threads(ofOthersThan: identifier)
        var pauses = Deadline.Pauses(until: Deadline(milliseconds: 1_000))
        while true {
            guard let sharing = try comparison.sharing(among: others) else { return false }
            guard let other = sharing.first else { return true }
            guard pauses.wait() else {
                throw IdentityError(
                    "process \(other) shares its memory (CLONE_VM), so that either can act as the other"
                )
            }
            others = sharing
        }
    }

    /// All threads of all other processes.
    ///
    /// Not only the first ones: once the first thread of a process has ended, only the others have its memory.
    ///
    /// Whether a process may be inspected depends on its memory, among other things, and this one can be inspected: a
    /// process that may not be inspected does not share it.
    private static func threads(ofOthersThan process: Int32) -> [Int32] {
        numbers(in: "/proc").filter { $0 != process }.flatMap { numbers(in: "/proc/\($0)/task") }
    }

    private static func numbers(in folder: String) -> [Int32] {
        FolderNames.of(folder, beginningWith: "").compactMap { Int32($0) }
    }
}

/// Determines which threads have the memory of a process.
///
/// The kernel does not compare the memory of a thread (kcmp(2)) while that thread executes a program (execve(2)), and
/// that takes as long as a file system that has to close a file meanwhile: possibly any user's own, with FUSE. So there
/// is no waiting for that. Such a thread can no longer continue its previous program, and nearly always has new memory
/// already. The size of its code and its user IDs show whether it can be the memory of the process.
struct MemoryComparison {
    /// Compares the memory of the first thread with that of each one in turn.
    ///
    /// The result contains whether they are the same. It ends before a thread that is executing a program.
    typealias Compare = (_ threads: [Int32]) throws(IdentityError) -> [Bool]

    private let process: Int32
    private let compare: Compare

    /// The number of threads that are executing a program after which traits alone decide about the others.
    ///
    /// So that many of them do not delay an identification: each takes some 60 milliseconds.
    static let maximumStalledThreads = 4

    /// A comparison with the memory of a process.
    init(of process: Int32, _ compare: @escaping Compare = byKernel) {
        self.process = process
        self.compare = compare
    }

    /// Those of other threads that have the memory of the process.
    ///
    /// - Returns: The threads; `nil` if that cannot be determined.
    /// - Throws: ``IdentityError`` if the process itself is executing a program.
    func sharing(among others: [Int32]) throws(IdentityError) -> [Int32]? {
        var others = others[...]
        var sharing: [Int32] = []
        var stalledCount = 0
        while true {
            let results = try compare([process] + others)
            guard let isComparable = results.first else {
                throw IdentityError(
                    "its memory cannot be compared with that of other processes: it is executing another program"
                )
            }
            guard isComparable else { return nil }
            sharing += zip(others, results.dropFirst()).filter(\.1).map(\.0)
            others = others.dropFirst(results.count - 1)
            guard let stalled = others.popFirst() else { return sharing }
            stalledCount += 1
            guard stalledCount < Self.maximumStalledThreads else {
                return sharing + ([stalled] + others).filter(hasSameTraits)
            }
            if hasSameTraits(stalled) { sharing.append(stalled) }
            // Threads whose new memory has no program yet share no memory with another.
            others.removeAll { traits(of: $0) == nil }
        }
    }

    private func hasSameTraits(_ thread: Int32) -> Bool {
        guard let traits = traits(of: thread) else { return false }
        return traits == self.traits(of: process)
    }

    /// - Returns: The traits that all threads with one memory share; `nil` without memory, and with memory that has no
    ///   program yet.
    private func traits(of thread: Int32) -> [UInt64]? {
        Descriptor("/proc/\(thread)/status", below: AT_FDCWD, O_RDONLY)?
            .contents(limit: ProcessFolder.maximumStatusBytes).flatMap(ProcessStatus.memoryTraits)
    }

    /// Uses kcmp(2), which is abandoned while one of the threads is executing a program.
    static func byKernel(_ threads: [Int32]) throws(IdentityError) -> [Bool] {
        var results = [Bool](repeating: false, count: threads.count)
        let count = keychain_compare_memory(threads, Int32(threads.count), &results)
        guard count >= 0 else {
            throw IdentityError("it cannot be determined whether another process shares its memory")
        }
        return Array(results.prefix(Int(count)))
    }
}
