// SPDX-License-Identifier: Apache-2.0

/// What is timed.
enum Operation: String, CaseIterable {
    case add
    case readByPrimaryKey = "read by primary key"
    case readByLabel = "read by label"
    case readByAccount = "read by account"
    case update
    case delete

    /// Whether it waits for the disk.
    var isDurable: Bool { [.add, .update, .delete].contains(self) }
}

/// Something that stores items.
///
/// Items are numbered: those of a fixture from 0, those that come and go from ``Fixture/spare``.
protocol Subject {
    func add(_ item: Int) throws
    func readByPrimaryKey(_ item: Int) throws
    func readByLabel(_ item: Int) throws
    func readByAccount(_ item: Int) throws
    func update(_ item: Int) throws
    func delete(_ item: Int) throws
}

extension Subject {
    func run(_ operation: Operation, _ item: Int) throws {
        switch operation {
        case .add: try add(item)
        case .readByPrimaryKey: try readByPrimaryKey(item)
        case .readByLabel: try readByLabel(item)
        case .readByAccount: try readByAccount(item)
        case .update: try update(item)
        case .delete: try delete(item)
        }
    }
}

/// What a benchmark did not expect.
struct Failure: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
