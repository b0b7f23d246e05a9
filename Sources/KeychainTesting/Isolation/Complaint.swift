// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import Testing

/// Something wrong with how a test uses the kit, such as a call that belongs to no app: it fails the test that it is
/// about.
///
/// It names the functions at once, and the line as soon as it is found; the caller waits for neither. Each call is told
/// once:
///
/// - in the `XCTestCase` that runs, at the line;
/// - in the test whose task made the call: at the test's own line, because it may end before the other is found, which
///   is written on standard error then;
/// - in the one test of the trait that it can be about, at the line;
/// - of several, or of none, as an issue of no test that names them.
final class Complaint: Sendable {
    let reason: String
    let stack: CallStack
    private let suspects: [String]
    private let isOfEarlierTest: Bool

    private init(
        _ reason: String,
        _ stack: CallStack,
        suspects: [String] = [],
        isOfEarlierTest: Bool = false
    ) {
        self.reason = reason
        self.stack = stack
        self.suspects = suspects
        self.isOfEarlierTest = isOfEarlierTest
    }

    /// The same one, told in a later test than the one that it is about.
    func ofEarlierTest() -> Complaint {
        Complaint(reason, stack, suspects: suspects, isOfEarlierTest: true)
    }

    /// What is told of complaints instead of failing tests, for tests of complaints in a process of their own.
    static let listener = Mutex<(@Sendable (Complaint) -> Void)?>(nil)

    /// Where a complaint was made before: in each test each line is worth one.
    private struct Place: Hashable {
        let reason: String
        let addresses: [UInt64]
        let test: Test.ID?
        let testCase: String?
        let running: [UInt64]
    }

    private static let made = Mutex<Set<Place>>([])

    static func make(_ reason: String) {
        KitStart.once
        let stack = CallStack.capture()
        let functions = stack.functions
        let (test, testCase) = (Test.current, RunningTestCase.current)
        let running = test == nil && testCase == nil ? RunningTest.suspects(functions) : []
        let place = Place(
            reason: reason,
            addresses: functions.callerAddress.map { [$0] } ?? stack.addresses,
            test: test?.id,
            testCase: testCase?.name,
            running: running.map(\.number)
        )
        guard made.withLock({ $0.insert(place).inserted }) else { return }
        let complaint = Complaint(reason, stack, suspects: running.map(\.test.name))
        if let listener = listener.withLock(\.self) {
            listener(complaint)
        } else if let testCase {
            testCase.tell(complaint)
        } else if let test {
            complaint.recordNow(at: test.sourceLocation)
        } else {
            complaint.tell(running)
        }
    }

    private func tell(_ running: [RunningTest]) {
        switch running.count {
        case 0: recordNow(at: Self.unknownLocation)
        case 1: if !running[0].tell(self) { recordNow(at: Self.unknownLocation) }
        default:
            let task = Task.detached { self.record(await self.findLocation()) }
            for test in running { test.wait(for: task) }
        }
    }

    /// The line of the call.
    func findLocation() async -> CallLocation? { await CallLocationLookup.shared.find(stack) }

    /// Records an issue of the current task's test, or of none.
    func record(_ location: CallLocation?) { record(at: location?.sourceLocation ?? Self.unknownLocation) }

    private func record(at location: SourceLocation) { Issue.record(Comment(rawValue: text), sourceLocation: location) }

    /// Records an issue without waiting for the line, which follows on standard error.
    private func recordNow(at location: SourceLocation) {
        if case .some(.some(let known)) = CallLocationLookup.shared.known(stack) { return record(known) }
        record(at: location)
        CallLocationLookup.shared.find(stack) { location in
            if let location { self.write(location) }
        }
    }

    /// Says it on standard error.
    func write(_ location: CallLocation?) {
        let place = location.map { "\($0): " } ?? ""
        FileHandle.standardError.write(Data("\(place)\(call.map { "the call of \($0): " } ?? "")\(reason)\n".utf8))
    }

    private static let unknownLocation = SourceLocation(
        fileID: "<unknown>/<unknown>",
        filePath: "<unknown>",
        line: 1,
        column: 1
    )

    /// The functions, as far as they are known.
    private var call: String? {
        let functions = stack.functions
        guard let caller = functions.caller else { return functions.called }
        return functions.called.map { "\($0), called by \(caller)" } ?? "by \(caller)"
    }

    /// What a test is told.
    var text: String {
        var text = reason
        if let call { text += " The call: \(call)." }
        if isOfEarlierTest { text += " It was made after the test had ended whose code it is." }
        guard suspects.count > 1 else { return text }
        let names = suspects.prefix(5).joined(separator: ", ")
        return text + " It is of one of the tests that ran: \(names)"
            + (suspects.count > 5 ? " and \(suspects.count - 5) others." : ".")
    }
}

/// Found by KeychainServices where this module is linked; usable from inline, so that it is found across shared
/// libraries.
@_cdecl("swift_keychain_testing_complaint")
@usableFromInline
func complain(_ reason: UnsafePointer<CChar>) { Complaint.make(String(cString: reason)) }
