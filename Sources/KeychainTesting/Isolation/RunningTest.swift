// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// A test of the trait, while it runs: whom complaints are about that nobody's task made.
///
/// It ends when the lines of all complaints about it are found, so that they are told in it.
final class RunningTest: Sendable {
    /// What a test has still to tell, or to wait for.
    private enum Report: Sendable {
        case own(Complaint)
        case common(Task<Void, Never>)
    }

    private static let all = Mutex<[UInt64: RunningTest]>([:])
    private static let lastNumber = Mutex<UInt64>(0)

    /// Tells two apart, of which one may be another case of the same test.
    let number: UInt64
    let test: Test
    private let reports = AsyncStream.makeStream(of: Report.self)

    private init(_ test: Test) {
        self.test = test
        number = Self.lastNumber.withLock { last in
            last += 1
            return last
        }
    }

    /// Runs a test as one that complaints can be about.
    static func run(_ test: Test, _ body: @Sendable () async throws -> Void) async throws {
        let running = RunningTest(test)
        // In the context of the test: what it records is an issue of the test, with the calls of its device.
        let reporter = Task {
            for await report in running.reports.stream {
                switch report {
                case .own(let complaint): complaint.record(await complaint.findLocation())
                case .common(let task): await task.value
                }
            }
        }
        all.withLock { $0[running.number] = running }
        var outcome: Result<Void, any Error> = .success(())
        do { try await body() } catch { outcome = .failure(error) }
        _ = all.withLock { $0.removeValue(forKey: running.number) }
        running.reports.continuation.finish()
        await reporter.value
        try outcome.get()
    }

    /// The tests that a call may be of which belongs to no task: the one whose name is on the stack, else all that run.
    static func suspects(_ functions: CalledFunctions) -> [RunningTest] {
        let running = all.withLock { $0.values.sorted { $0.number < $1.number } }
        let named = running.filter { test in functions.stack.contains { test.isNamed(in: $0) } }
        return Set(named.map(\.test.id)).count == 1 ? named : running
    }

    /// Whether the test's function, or a closure in it, has this demangled name.
    private func isNamed(in function: String) -> Bool {
        let id = test.id
        guard let own = id.nameComponents.last?.prefix(while: { $0 != "(" }) else { return false }
        let path = [id.moduleName] + id.nameComponents.dropLast() + ["\(own)("]
        return function.contains(path.joined(separator: "."))
    }

    /// Has the test tell a complaint before it ends.
    ///
    /// - Returns: Whether it has not ended.
    func tell(_ complaint: Complaint) -> Bool { yield(.own(complaint)) }

    /// Has the test wait until a complaint about it and others is told.
    func wait(for task: Task<Void, Never>) { _ = yield(.common(task)) }

    private func yield(_ report: Report) -> Bool {
        if case .terminated = reports.continuation.yield(report) { return false }
        return true
    }
}
