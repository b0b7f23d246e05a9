// SPDX-License-Identifier: Apache-2.0

import Dispatch
import KeychainSimulation
import PortableSecurity
import Synchronization

extension SecItemBench {
    /// Adds one item from several threads at the same time.
    func race() throws {
        guard let subject = subject as? any SecItemContractSubject & ConcurrentContractSubject else { return }
        let statuses = Mutex<[OSStatus]>([])
        let app = App.current
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            let item = Self.password(more: [kSecValueData: Data([UInt8(index)])])
            let add = { subject.add(Self.plain(item)).status }
            // The threads of a queue have lost which app they run for.
            let status = app.map { $0.run(add) } ?? add()
            statuses.withLock { $0.append(status) }
        }
        let (won, lost) = statuses.withLock { all in
            (all.count { $0 == errSecSuccess }, all.count { $0 == errSecDuplicateItem })
        }
        guard won == 1, lost == 7 else {
            throw mismatch(
                "SecItemAdd of one item by 8 threads",
                expected: "1 success, 7 duplicates",
                got: "\(won) successes, \(lost) duplicates"
            )
        }
        try expect(1, matching: Self.password(), because: "one add won")
    }
}
