// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainBus

/// Who owns a name, and who is next.
@Suite struct NameTableTests {
    private static let name = "org.example.Name"

    /// Requests and releases of connections 1 to 3, and who then owns the name and waits for it.
    struct Step: Sendable {
        let connection: UInt64
        /// `nil` releases the name.
        let flags: UInt32?
        let result: UInt32
        let queue: [UInt64]

        init(_ connection: UInt64, _ flags: UInt32?, gives result: UInt32, then queue: [UInt64]) {
            (self.connection, self.flags, self.result, self.queue) = (connection, flags, result, queue)
        }
    }

    @Test(
        "requests and releases",
        arguments: [
            [Step(1, 0, gives: 1, then: [1]), Step(1, 0, gives: 4, then: [1]), Step(1, nil, gives: 1, then: [])],
            [Step(1, nil, gives: 2, then: []), Step(1, 0, gives: 1, then: [1]), Step(2, nil, gives: 3, then: [1])],
            [
                Step(1, 0, gives: 1, then: [1]), Step(2, 0, gives: 2, then: [1, 2]),
                Step(3, 0, gives: 2, then: [1, 2, 3]),
                Step(2, nil, gives: 1, then: [1, 3]), Step(1, nil, gives: 1, then: [3]),
            ],
            // A replacement that is not allowed, and one that is: the former owner waits.
            [
                Step(1, 0, gives: 1, then: [1]), Step(2, 2, gives: 2, then: [1, 2]),
                Step(1, 1, gives: 4, then: [1, 2]),
                Step(2, 2, gives: 1, then: [2, 1]), Step(2, nil, gives: 1, then: [1]),
            ],
            // A former owner that does not wait.
            [Step(1, 1 | 4, gives: 1, then: [1]), Step(2, 2, gives: 1, then: [2])],
            [Step(1, 0, gives: 1, then: [1]), Step(2, 4, gives: 3, then: [1])],
            // One that waited, and does not any more.
            [Step(1, 0, gives: 1, then: [1]), Step(2, 0, gives: 2, then: [1, 2]), Step(2, 4, gives: 3, then: [1])],
        ]
    )
    func steps(_ steps: [Step]) {
        var table = NameTable()
        for step in steps {
            let old = table.owner(of: Self.name)
            let (result, change): (UInt32, NameTable.Change?) =
                if let flags = step.flags {
                    {
                        let (result, change) = table.request(Self.name, for: step.connection, .init(rawValue: flags))
                        return (result.rawValue, change)
                    }()
                } else {
                    {
                        let (result, change) = table.release(Self.name, by: step.connection)
                        return (result.rawValue, change)
                    }()
                }
            #expect(result == step.result)
            #expect(table.queue(for: Self.name) == step.queue)
            let new = table.owner(of: Self.name)
            #expect(change == (old == new ? nil : NameTable.Change(name: Self.name, old: old, new: new)))
        }
    }

    @Test("who leaves gives up what it has and what it waits for")
    func leaving() {
        var table = NameTable()
        for name in ["a.a", "b.b"] {
            for connection in [1, 2] as [UInt64] { _ = table.request(name, for: connection, []) }
        }
        _ = table.request("c.c", for: 2, [])
        #expect(table.count(of: 2) == 3)
        let changes = table.releaseAll(of: 2)
        #expect(changes == [NameTable.Change(name: "c.c", old: 2, new: nil)])
        #expect(table.names == ["a.a", "b.b"])
        #expect(table.queue(for: "a.a") == [1])
    }

    @Test("only who was called replies, and once")
    func pendingCalls() {
        var calls = PendingCalls(atMost: 2)
        let call = PendingCalls.Call(caller: 1, serial: 5)
        #expect(calls.begin(call, to: 2) == .begun)
        #expect(calls.begin(call, to: 3) == .repeated)
        #expect(calls.begin(.init(caller: 1, serial: 6), to: 3) == .begun)
        #expect(calls.begin(.init(caller: 1, serial: 7), to: 3) == .tooMany)
        let byAnother = calls.end(call, by: 3)
        let first = calls.end(call, by: 2)
        let second = calls.end(call, by: 2)
        #expect(!byAnother && first && !second)
        #expect(calls.remove(3) == [PendingCalls.Call(caller: 1, serial: 6)])
        #expect(calls.remove(1).isEmpty)
    }
}
