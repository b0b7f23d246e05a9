// SPDX-License-Identifier: Apache-2.0

/// Runs the part of a task that waits on a thread of its own; the task's values stay in sight.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class CallExecutor: TaskExecutor {
    static let shared = CallExecutor()

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let executor = asUnownedTaskExecutor()
        CallThreads.shared.run { job.runSynchronously(on: executor) }
    }
}
