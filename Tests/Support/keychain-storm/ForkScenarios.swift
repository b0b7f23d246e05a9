// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Dispatch
import Glibc
import KeychainCore
import KeychainEngine

/// What a program that forks may do with a keychain.
enum ForkScenarios {
    /// Forks: the child goes on with the next command; the parent adds some items and ends.
    static func leaveChild(parentSubject: Subject, adds: Int) {
        let child = storm_fork(900)
        if child == 0 { return Console.write("child \(getpid())") }
        for index in 0..<adds { parentSubject.add("parent-\(index)") }
        Console.write("parent ends")
        _exit(child > 0 ? 0 : 4)
    }

    /// Forks many times while four threads add and a fifth opens and lets go of keychains.
    ///
    /// Each child adds through the keychain that it inherited and through one of its own.
    static func forkWhileBusy(_ subject: Subject, _ makeSubject: @escaping @Sendable () -> Subject, forks: Int) {
        var threads = (0..<4).map { thread in
            Worker { index in subject.add("thread-\(thread)-\(index)") }
        }
        threads.append(Worker { index in makeSubject().add("opener-\(index)") })
        var failures = 0
        for number in 0..<forks {
            let child = storm_fork(900)
            if child == 0 {
                subject.add("child-\(number)-inherited")
                makeSubject().add("child-\(number)-own")
                _exit(0)
            }
            var status: Int32 = 0
            guard child > 0, waitpid(child, &status, 0) == child, status == 0 else {
                failures += 1
                Console.write("child \(number) ended with \(status)")
                continue
            }
        }
        for thread in threads { thread.stop() }
        Console.write("forked \(failures)")
    }
}

// MARK: - The end of a process

extension ForkScenarios {
    /// Ends the process by exit(3) while threads wait for a store that another process holds.
    static func exitDuringCall(_ subject: Subject) {
        let threads = (0..<4).map { thread in Worker { index in subject.add("waiting-\(thread)-\(index)") } }
        // Not a wait for anything: the threads are somewhere in their calls.
        usleep(50_000)
        withExtendedLifetime(threads) { exit(EXIT_SUCCESS) }
    }

    /// Forks a child that ends by exit(3): `child 0 STATUS`.
    static func exitInChild() {
        let child = storm_fork(900)
        if child == 0 { exit(EXIT_SUCCESS) }
        var status: Int32 = -1
        waitpid(child, &status, 0)
        Console.write("child 0 \(status)")
    }
}

// MARK: - A fork that somebody could keep waiting

extension ForkScenarios {
    /// Forks while threads wait for a store that another process holds, until the next line: `forked MILLISECONDS`,
    /// those of the slowest fork, and a line for each child that could not read.
    static func forkWhileWaiting(_ subject: Subject, forks: Int) {
        let threads = (0..<4).map { thread in Worker { index in subject.add("waiting-\(thread)-\(index)") } }
        var slowest = 0
        for _ in 0..<forks {
            // Spread over the tries and pauses of the threads.
            usleep(7_000)
            let start = milliseconds
            let child = storm_fork(900)
            if child == 0 {
                subject.read("before")
                _exit(0)
            }
            slowest = max(slowest, milliseconds - start)
            var status: Int32 = 0
            waitpid(child, &status, 0)
        }
        Console.write("forked slowest \(slowest)")
        _ = Console.readLine()
        for thread in threads { thread.stop() }
        Console.write("stopped")
    }

    /// Forks while a thread is during a call and stays there: `forked once MILLISECONDS`.
    ///
    /// The child and a child of it read through the keychain that they inherited, one of their own and one in memory.
    /// Then the thread ends its call, and the parent reads.
    static func forkInside(_ subject: Subject, _ makeSubject: @escaping @Sendable () -> Subject) {
        let inMemory = EmbeddedKeychain.inMemory()
        let (isInside, mayLeave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let thread = Worker { index in
            if index > 0 { return pauseBriefly() }
            try? subject.keychain.whileClosed { () throws(KeychainError) in
                isInside.signal()
                mayLeave.wait()
            }
        }
        isInside.wait()
        let start = milliseconds
        let child = storm_fork(900)
        if child == 0 {
            let isChild = storm_fork(900) != 0
            if isChild { wait(nil) }
            subject.read("before")
            makeSubject().read("before")
            Subject(inMemory).count()
            _exit(0)
        }
        Console.write("forked once \(milliseconds - start)")
        waitpid(child, nil, 0)
        mayLeave.signal()
        thread.stop()
        subject.read("before")
        Console.write("done")
    }

    /// Forks when a passcode is accepted, during the unlock: `child PROCESS`, a process that waits to be killed.
    ///
    /// - Parameter parentStays: whether the parent stays in the unlock as well.
    static func forkDuringUnlock(parentStays: Bool) {
        let child = storm_fork(900)
        if child == 0 { while true { pause() } }
        Console.write("child \(child) 0")
        if parentStays { while true { pause() } }
    }

    private static func pauseBriefly() { usleep(1_000) }

    private static var milliseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
    }
}

/// A thread that repeats a step until it is told to stop.
final class Worker: @unchecked Sendable {
    private let step: @Sendable (Int) -> Void
    // Only ever goes from true to false, under the lock.
    private var isContinuing = true
    private var lock = pthread_mutex_t()
    private var thread = pthread_t()

    init(step: @escaping @Sendable (Int) -> Void) {
        self.step = step
        pthread_mutex_init(&lock, nil)
        let context = Unmanaged.passRetained(self).toOpaque()
        let status = pthread_create(&thread, nil, { Worker.run($0) }, context)
        precondition(status == 0, "a thread can be made")
    }

    func stop() {
        pthread_mutex_lock(&lock)
        isContinuing = false
        pthread_mutex_unlock(&lock)
        pthread_join(thread, nil)
    }

    private var isWanted: Bool {
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        return isContinuing
    }

    private static func run(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let context else { return nil }
        let worker = Unmanaged<Worker>.fromOpaque(context).takeRetainedValue()
        var index = 0
        while worker.isWanted {
            worker.step(index)
            index += 1
        }
        return nil
    }
}
