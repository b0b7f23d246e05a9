// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import CStormSupport
import Dispatch
import Glibc
import Synchronization
import Testing

/// Threads of one process that fork at the same time.
struct ConcurrentForkTests {
    @Test("forks side by side, each of which takes longer than a fork waits, abandon no child")
    func slowForks() async {
        await #expect(processExitsWith: .success) {
            // As the fork of a process is that has many pages.
            keychain_prepare_forks { usleep(300_000) }
            let abandoned = Atomic(0)
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                let child = storm_fork(60)
                if child == 0 { _exit(keychain_is_abandoned()) }
                var status: Int32 = 0
                if waitpid(child, &status, 0) != child || status != 0 { abandoned.add(1, ordering: .relaxed) }
            }
            #expect(abandoned.load(ordering: .relaxed) == 0)
        }
    }
}
