// SPDX-License-Identifier: Apache-2.0

import CStormSupport
import Glibc

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

/// A thread that repeats a step until it is told to stop.
private final class Worker: @unchecked Sendable {
    private let step: @Sendable (Int) -> Void
    // Only ever goes from true to false, under the lock.
    private var goesOn = true
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
        goesOn = false
        pthread_mutex_unlock(&lock)
        pthread_join(thread, nil)
    }

    private var isWanted: Bool {
        pthread_mutex_lock(&lock)
        defer { pthread_mutex_unlock(&lock) }
        return goesOn
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
