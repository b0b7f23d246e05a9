// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

/// A running test of the trait: complaints that no task of a test made are attributed to it.
///
/// It ends when the lines of all complaints about it are found, so that it can report them.
final class RunningTest: Sendable {
    /// Something that a test still has to report or wait for.
    private enum Report: Sendable {
        case own(Complaint)
        case common(Task<Void, Never>)
    }

    /// The test that the current task belongs to.
    @TaskLocal static var current: RunningTest?

    private static let all = Mutex<[UInt64: RunningTest]>([:])
    private static let lastNumber = Mutex<UInt64>(0)

    /// All tests of the trait that were started.
    private static let started = Mutex<[Test.ID: Test]>([:])

    /// All tests that have requested the process-wide app.
    private static let holders = Mutex<[Test.ID: Test]>([:])

    /// Identifies a test case; several cases of a test differ.
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

    /// Runs a test so that complaints can be attributed to it.
    static func run(_ test: Test, _ body: @Sendable () async throws -> Void) async throws {
        let running = RunningTest(test)
        // Within the test: what is recorded here is an issue of the test, with the calls of its device.
        let reporter = Task {
            for await report in running.reports.stream {
                switch report {
                case .own(let complaint):
                    let location = await complaint.findLocation()
                    // The call did not reach its device.
                    KeychainTrait.$showsCalls.withValue(false) { complaint.record(location) }
                case .common(let task): await task.value
                }
            }
        }
        started.withLock { $0[test.id] = test }
        all.withLock { $0[running.number] = running }
        var outcome: Result<Void, any Error> = .success(())
        do { try await $current.withValue(running, operation: body) } catch { outcome = .failure(error) }
        _ = all.withLock { $0.removeValue(forKey: running.number) }
        running.reports.continuation.finish()
        await reporter.value
        try outcome.get()
    }

    /// Whether it no longer accepts complaints, although one of its tasks may still run.
    var hasEnded: Bool { Self.all.withLock { $0[number] == nil } }

    /// The tests that may have made a complaint, as text; `nil` for a single one or none.
    static func names(_ tests: [RunningTest]) -> String? {
        guard tests.count > 1 else { return nil }
        var counts: [Test.ID: Int] = [:]
        for test in tests { counts[test.test.id, default: 0] += 1 }
        if counts.count == 1 { return "\(tests.count) cases of \(tests[0].test.name)" }
        // In the order of their start.
        let names = tests.compactMap { test in
            counts.removeValue(forKey: test.test.id).map { $0 > 1 ? "\(test.test.name) (\($0) cases)" : test.test.name }
        }
        let others = names.count > 5 ? " and \(names.count - 5) others" : ""
        return "the tests that ran: \(names.prefix(5).joined(separator: ", "))\(others)"
    }

    /// The tests that may have made a call outside of any task: the one whose name is on the stack, else all running
    /// ones.
    static func suspects(_ functions: CalledFunctions) -> [RunningTest] {
        let running = all.withLock { $0.values.sorted { $0.number < $1.number } }
        let named = running.filter { test in functions.stack.contains { test.test.isNamed(in: $0) } }
        return Set(named.map(\.test.id)).count == 1 ? named : running
    }

    /// A test whose function, or a closure in it, is on a stack.
    struct Origin {
        let name: String

        /// The test; `nil` for one that has never had a device.
        let test: Test?

        /// Why it cannot report a complaint; `nil` for a running test.
        let remark: String?
    }

    /// The test whose function, or a closure in it, is on the stack.
    static func origin(of functions: CalledFunctions) -> Origin? {
        let started = started.withLock(\.self)
        let tests = Array(started.values) + holders.withLock(\.values)
        // The outermost of several: a test may call another one as a helper.
        for (function, path) in zip(functions.stack, functions.paths).reversed() {
            if let test = tests.first(where: { $0.isNamed(in: function) }) {
                let isRunning = all.withLock { $0.values.contains { $0.test.id == test.id } }
                let remark = started[test.id] == nil ? "which has no device of the trait" : "which had ended"
                return Origin(name: test.name, test: test, remark: isRunning ? nil : remark)
            }
            if TestFunctions.paths.contains(path) {
                let name = path.split(separator: ".").suffix(2).joined(separator: ".")
                return Origin(name: "\(name)()", test: nil, remark: "which has no device of the trait")
            }
        }
        return nil
    }

    /// Records the test of the current task, which may hold the process-wide app without the trait.
    static func recordHolder(_ test: Test) { holders.withLock { $0[test.id] = test } }

    /// Makes the test report a complaint before it ends.
    ///
    /// - Returns: Whether it has not ended.
    func report(_ complaint: Complaint) -> Bool { yield(.own(complaint)) }

    /// Makes the test wait until a complaint about it and others has been reported.
    func wait(for task: Task<Void, Never>) { _ = yield(.common(task)) }

    private func yield(_ report: Report) -> Bool {
        if case .terminated = reports.continuation.yield(report) { return false }
        return true
    }
}

extension Test {
    /// Whether the test's function, or a closure in it, has this demangled name.
    fileprivate func isNamed(in function: String) -> Bool {
        guard let own = id.nameComponents.last?.prefix(while: { $0 != "(" }) else { return false }
        let path = [id.moduleName] + id.nameComponents.dropLast() + ["\(own)("]
        return function.contains(path.joined(separator: "."))
    }
}
