// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Four stores with the same items, one for each contender.
///
/// The keychain itself makes the first, in `/dev/shm`, where no write waits for a disk; the others are copies of its
/// file.
final class Fixture {
    let size: Int
    private let scratch: Scratch
    private var subjects: [Contender: any Subject] = [:]

    /// Numbers from here on are free for items that come and go.
    static let spare = 1_000_000

    private static let fileName = "keychain.db"

    init(size: Int, in scratch: Scratch, for contenders: [Contender] = Contender.allCases) throws {
        self.size = size
        self.scratch = scratch
        try makeStores(contenders)
        for contender in contenders {
            subjects[contender] =
                switch contender {
                case .raw: try RawSubject(file(.raw), sealer: nil)
                case .sealed: try RawSubject(file(.sealed), sealer: Sealer())
                case .engine: EngineSubject(folder(.engine))
                case .secItem: SecItemSubject()
                }
        }
    }

    func participant(_ contender: Contender) throws -> Participant {
        guard let subject = subjects[contender] else { throw Failure("\(contender) takes no part any more") }
        return Participant(contender: contender, fixture: self, subject: subject)
    }

    /// The file of one of the stores.
    func file(_ contender: Contender) -> String { "\(folder(contender))/\(Self.fileName)" }

    /// Leaves the one place that `SWIFT_KEYCHAIN_HOME` names to the next store.
    ///
    /// The folder stays until the end under another name, or its file's number might be given to the next one.
    func leaveHome() throws {
        subjects[.secItem] = nil
        try FileManager.default.moveItem(atPath: folder(.secItem), toPath: "\(folder(.secItem))-\(size)")
    }

    /// The folder of one of the stores.
    func folder(_ contender: Contender) -> String {
        scratch.path(contender == .secItem ? SecItemSubject.homeName : "\(contender)-\(size)")
    }

    private func makeStores(_ contenders: [Contender]) throws {
        let original = try scratch.inMemory(suffix: "-fill")
        defer { original.remove() }
        do {
            let keychain = EngineSubject(original.path("store"))
            for item in 0..<size { try keychain.add(item) }
        }
        try Database("\(original.path("store"))/\(Self.fileName)").execute("PRAGMA wal_checkpoint(TRUNCATE)")
        for contender in contenders {
            try FileManager.default.copyItem(atPath: original.path("store"), toPath: folder(contender))
        }
    }
}

/// Who takes part in a comparison.
enum Contender: String, CaseIterable {
    /// SQLite alone.
    case raw
    /// SQLite and the least cryptography.
    case sealed
    /// The typed engine.
    case engine
    /// The functions of the module Security.
    case secItem
}
