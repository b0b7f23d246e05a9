// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainSimulation
import Synchronization
import Testing

/// A mistake in how a test uses the kit, such as a call without an app; it fails the test that made it.
///
/// The functions are known at once, and the line as soon as it is found; the caller does not wait. Each call is
/// reported once:
///
/// - in the running `XCTestCase`, at the line; in its suite, when the call was made after the test case or outside of
///   all test cases;
/// - in the test whose task made the call: at the test's own line, because the test may end before the line of the call
///   is found, which is then written to standard error; a call in a condition of a test, such as `.enabled(if:)`, also
///   fails the run;
/// - in the only test of the trait that can have made it, at the line; one of its cases reports it for all;
/// - if several tests can have made it, or none, as an issue that belongs to no test and names them, and on standard
///   error. The run fails even if no event handler receives the issue.
final class Complaint: Sendable {
    let reason: String
    let stack: CallStack
    private let preface: String
    private let remark: String

    private init(_ reason: String, _ stack: CallStack, preface: String = "", remark: String = "") {
        self.reason = reason
        self.stack = stack
        self.preface = preface
        self.remark = remark
    }

    /// The same complaint with a note about when the call was made, or which tests may have made it.
    func adding(_ remark: String) -> Complaint {
        Complaint(reason, stack, preface: preface, remark: "\(self.remark) \(remark)")
    }

    private func beginning(_ preface: String) -> Complaint {
        Complaint(reason, stack, preface: preface, remark: remark)
    }

    /// Receives complaints instead of failing tests, for tests of complaints in a separate process.
    static let listener = Mutex<(@Sendable (Complaint) -> Void)?>(nil)

    /// The places of earlier complaints: each path to a line is reported once in each case of each test.
    private struct Place: Hashable {
        let reason: String
        /// Identified by the program's functions on the stack, so that a line within `withKnownIssue` differs from the
        /// same one outside.
        let addresses: [UInt64]
        let test: String?
        let running: [UInt64]
    }

    private static let made = Mutex<Set<Place>>([])

    static func make(_ reason: String) {
        KitStart.once
        let stack = CallStack.capture()
        let (test, testCase) = (Test.current, RunningTestCase.current)
        let own = test == nil ? nil : RunningTest.current
        let isOfNobody = test == nil && testCase == nil
        let origin = isOfNobody ? RunningTest.origin(of: stack.functions).flatMap { $0.remark == nil ? nil : $0 } : nil
        let suspects = isOfNobody && origin == nil ? RunningTest.suspects(stack.functions) : []
        let place = Place(
            reason: reason,
            addresses: stack.callerAddresses,
            test: testCase?.name ?? test.map { "\($0.id) \(Test.Case.current.map { "\($0)" } ?? "")" },
            running: (own.map { [$0] } ?? suspects).map(\.number)
        )
        // Without addresses every call may be a different one.
        guard stack.addresses.isEmpty || made.withLock({ $0.insert(place).inserted }) else { return }
        let complaint = Complaint(
            reason,
            stack,
            remark: origin.map { " It is of \($0.name), \($0.remark ?? "")." } ?? ""
        )
        if let listener = listener.withLock(\.self) {
            listener(complaint)
        } else if let testCase {
            testCase.report(complaint)
        } else if let test {
            complaint.recordNow(at: test.sourceLocation)
            // An issue of a test that has ended, or of a condition such as `.enabled(if:)`, which is evaluated before
            // the run begins, may not be received.
            if own?.hasEnded ?? (Test.Case.current == nil) { RunVerdict.fail() }
        } else if RunningTestCase.isInSuite {
            RunningTestCase.failSuite(with: complaint.adding("It was made while no test case ran."))
        } else {
            complaint.report(to: suspects)
        }
    }

    private func report(to suspects: [RunningTest]) {
        let names = RunningTest.names(suspects)
        if Set(suspects.map(\.test.id)).count == 1 {
            // First, because the headline of the issue shows the arguments of the case that reports it.
            let ofCase = names.map { beginning("One of \($0), not necessarily the one shown, made this call. ") }
            for test in suspects where test.report(ofCase ?? self) { return }
        }
        let named = names.map { adding("It is of one of \($0).") } ?? self
        RunVerdict.fail()
        guard Set(suspects.map(\.test.id)).count > 1 else { return named.recordNow(at: Self.unknownLocation) }
        let task = Task.detached {
            let location = await named.findLocation()
            named.record(location)
            named.write(location)
        }
        for test in suspects { test.wait(for: task) }
    }

    /// The line of the call.
    func findLocation() async -> CallLocation? { await CallLocationLookup.shared.find(stack) }

    /// Records an issue of the current task's test, or of no test.
    func record(_ location: CallLocation?) { record(at: location?.sourceLocation ?? Self.unknownLocation) }

    private func record(at location: SourceLocation) { Issue.record(Comment(rawValue: text), sourceLocation: location) }

    /// Records an issue without waiting for the line, which is written to standard error later.
    private func recordNow(at location: SourceLocation) {
        let known = CallLocationLookup.shared.known(stack) ?? nil
        record(at: known?.sourceLocation ?? location)
        CallLocationLookup.shared.find(stack) { self.write($0) }
    }

    /// Writes it to standard error.
    func write(_ location: CallLocation?) {
        let place = location.map { "\($0): " } ?? ""
        let call = call.map { "the call of \($0): " } ?? ""
        FileHandle.standardError.write(Data("\(place)\(call)\(preface)\(reason)\(remark)\n".utf8))
    }

    private static let unknownLocation = SourceLocation(
        fileID: "<unknown>/<unknown>",
        filePath: "<unknown>",
        line: 1,
        column: 1
    )

    /// The known functions.
    private var call: String? {
        let functions = stack.functions
        guard let caller = functions.caller else { return functions.called }
        return functions.called.map { "\($0), called by \(caller)" } ?? "by \(caller)"
    }

    /// The text for the test.
    var text: String { "\(preface)\(reason)\(call.map { " The call: \($0)." } ?? "")\(remark)" }
}

/// KeychainServices finds it if this module is linked; usable from inline, so that it is found across shared libraries.
@_cdecl("swift_keychain_testing_complaint")
@usableFromInline
func reportComplaint(_ reason: UnsafePointer<CChar>) { Complaint.make(String(cString: reason)) }
