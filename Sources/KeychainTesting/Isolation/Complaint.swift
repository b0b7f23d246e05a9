// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import XCTest

/// Something wrong with how a test uses the kit: it fails the test, at the line that is to blame, once.
enum Complaint {
    /// What complaints go to instead of the test libraries, for tests of complaints in a process of their own.
    static let listener = Mutex<(@Sendable (String, CallSite?) -> Void)?>(nil)

    private static let made = Mutex<Set<Place>>([])

    /// Lines by their stacks: to look one up takes milliseconds, and seconds the first time.
    private static let sites = Mutex<[[UInt64]: CallSite?]>([:])

    /// Where a complaint was made before: in each test each line is worth one.
    private struct Place: Hashable {
        let reason: String
        let addresses: [UInt64]
        let site: CallSite?
        let test: Test.ID?
        let testCase: String?
    }

    static func make(_ reason: String) {
        let addresses = CallSite.addresses()
        let (test, testCase) = (Test.current?.id, RunningTestCase.name)
        // By addresses first: what calls a thousand times is looked up once.
        guard isNew(Place(reason: reason, addresses: addresses, site: nil, test: test, testCase: testCase)) else {
            return
        }
        let site = site(addresses)
        guard isNew(Place(reason: reason, addresses: [], site: site, test: test, testCase: testCase)) else { return }
        let listener = listener.withLock { $0 }
        if let listener { listener(reason, site) } else { report(reason, site) }
    }

    private static func site(_ addresses: [UInt64]) -> CallSite? {
        if let known = sites.withLock({ $0[addresses] }) { return known }
        let site = CallSite.find()
        sites.withLock { $0[addresses] = .some(site) }
        return site
    }

    private static func isNew(_ place: Place) -> Bool { made.withLock { $0.insert(place).inserted } }

    private static func report(_ reason: String, _ site: CallSite?) {
        let text = site?.function.map { "\(reason) (called by \($0))" } ?? reason
        let location = site?.sourceLocation
        let place = location.map { "\($0.filePath):\($0.line): " } ?? ""
        if let location {
            Issue.record(Comment(rawValue: text), sourceLocation: location)
        } else {
            Issue.record(Comment(rawValue: text))
        }
        // Without effect unless an XCTestCase runs.
        XCTFail(place + text)
        // On a thread of its own, code belongs to no test that its failure could be told to.
        guard Test.current == nil else { return }
        FileHandle.standardError.write(Data("\(place)\(text)\n".utf8))
    }
}

/// Found by KeychainServices where this module is linked; usable from inline, so that it is found across shared libraries.
@_cdecl("swift_keychain_testing_complaint")
@usableFromInline
func complain(_ reason: UnsafePointer<CChar>) { Complaint.make(String(cString: reason)) }
