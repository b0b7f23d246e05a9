// SPDX-License-Identifier: Apache-2.0

/// One operation over and over, for a profiler that looks on.
struct ProfileRun {
    private let contender: Contender
    private let operation: Operation
    private let count: Int

    private static let operations: [String: Operation] = [
        "add": .add, "read": .readByPrimaryKey, "label": .readByLabel, "account": .readByAccount, "update": .update,
        "delete": .delete,
    ]

    init(subject: String, operation: String, count: Int) throws {
        guard let contender = Contender.allCases.first(where: { $0.rawValue.lowercased() == subject.lowercased() }),
            let operation = Self.operations[operation]
        else { throw Failure("there is no \(operation) of \(subject)\n\(Options.help)") }
        self.contender = contender
        self.operation = operation
        self.count = count
    }

    func run(_ fixture: Fixture) throws {
        let subject = try fixture.participant(contender).subject
        if operation == .delete { for item in 0..<count { try subject.add(Fixture.spare + item) } }
        let comesAndGoes = operation == .add || operation == .delete
        let start = Clock.processor.now
        for item in 0..<count {
            try subject.run(operation, comesAndGoes ? Fixture.spare + item : item * 7919 % fixture.size)
        }
        print("\((Clock.processor.now - start) / Double(count) / 1000) µs of the processor per operation")
    }
}
