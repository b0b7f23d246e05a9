// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainEngine
@testable import KeychainFiles
@testable import KeychainProtection
@testable import KeychainStore

/// The rows of a keychain file that somebody else wrote, and what is sealed of its items: what was altered, or
/// exchanged between items, is refused, or changes no secret.
///
/// The keychain stays unlocked, and rows are altered in its tables and put back, so that no run derives a key from a
/// password or reads a database: the target `keychainimage` does the latter.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    if let contents = try? SealedContents(SecretBytes(input)) {
        precondition((try? SealedContents(contents.encoded)) == contents, "contents do not come back as they were")
    }
    sample.altered(by: input) {
        sample.openRows()
        // Whole calls take many times as long as what they open, and have little to add.
        if input.last.map({ $0 & 31 == 0 }) ?? false { sample.makeCalls() }
    }
    return 0
}

private struct Sample {
    let keychain: EmbeddedKeychain
    /// What is sealed of each item.
    let contents: [Bytes16: SealedContents]

    private static let columns = [
        "uuid", "protection", "tombstone", "generation", "version", "pk", "damage", "former", "t_acct", "t_svce",
        "t_agrp", "t_cdat", "metadata", "secret",
    ]

    init() throws {
        var device = DeviceOptions()
        device.passwordWork = .testing
        keychain = EmbeddedKeychain.newFile(password: SecretBytes([1]), device: device)
        var contents: [Bytes16: SealedContents] = [:]
        for (account, secret) in [("anna", [1, 2, 3]), ("bert", [UInt8](repeating: 7, count: 40))] {
            let item = KeychainFileItem(
                identifier: .zero,
                itemClass: .genericPassword,
                attributes: ["acct": .string(account), "svce": .string("example")]
            )
            var access = ItemAccess(descriptor: account, trustedApplications: [], partitions: ["apple-tool:"])
            if account == "bert" { access.entries.append(AccessEntry([.any], for: nil, account, prompt: 1)) }
            let added = try FileItems(keychain).add(item, secret: SecretBytes(secret), access: access)
            contents[added.identifier] = try FileItems(keychain).contents(of: added.identifier)
        }
        self.contents = contents
    }

    /// Opens every row, and compares what is sealed in it with what its item has.
    func openRows() {
        try? keychain.access.withEngine(.observing) { (engine) throws(KeychainError) in
            try engine.read { (reader) throws(KeychainError) in
                let sealer = ItemSealer(engine.device)
                var every = RowFilter(.genericPassword)
                every.includesTombstones = true
                for row in try reader.everyRow(every) {
                    guard case .content(let metadata)? = try? sealer.openMetadata(row),
                        case .content(let secret?)? = try? sealer.openSecret(
                            of: row,
                            metadata: metadata,
                            passwordKey: nil
                        )
                    else { continue }
                    precondition(
                        (try? SealedContents(secret)) == contents[row.row.identifier],
                        "an altered row is taken"
                    )
                }
            }
        }
    }

    /// Lists the items, and reads those that there were.
    func makeCalls() {
        _ = try? FileItems(keychain).all()
        for (identifier, original) in contents {
            guard let contents = try? FileItems(keychain).contents(of: identifier) else { continue }
            precondition(contents == original, "an altered item is taken")
        }
    }

    /// Runs `body` while rows are as an input says: a column and a row, then how many bytes follow that edit what is in
    /// it, or that it is that of the other row.
    func altered(by input: [UInt8], _ body: () -> Void) {
        change { connection in
            try connection.execute("SAVEPOINT fuzz")
            var rest = input[...]
            while let column = rest.popFirst(), let choice = rest.popFirst() {
                let (name, row) = (Self.columns[Int(column) % Self.columns.count], 1 + Int64(choice & 1))
                guard choice & 2 == 0 else {
                    try? connection.execute(
                        "UPDATE items_genp SET \(name) = (SELECT \(name) FROM items_genp WHERE id = \(3 - row)) WHERE id = \(row)"
                    )
                    continue
                }
                let edits = Array(rest.prefix(Int(choice >> 2)))
                rest = rest.dropFirst(edits.count)
                try? edit(name, ofRow: row, by: edits, in: connection)
            }
        }
        body()
        change { connection in try connection.execute("ROLLBACK TO fuzz; RELEASE fuzz") }
    }

    private func edit(_ name: String, ofRow row: Int64, by edits: [UInt8], in connection: SQLiteConnection) throws {
        let old = try connection.prepare("SELECT CAST(\(name) AS BLOB) FROM items_genp WHERE id = \(row)")
        guard try old.step() else { return }
        let bytes = old.bytes(0)
        old.reset()
        let new = try connection.prepare("UPDATE items_genp SET \(name) = ? WHERE id = \(row)")
        try new.bind(bytes.isEmpty ? edits : edited(bytes, edits), at: 0)
        _ = try new.step()
    }

    private func change(_ body: (SQLiteConnection) throws -> Void) {
        do {
            try keychain.access.withEngine(.observing) { (engine) throws(KeychainError) in
                do { try body(engine.store.connection) } catch { throw KeychainError(.internal, "\(error)") }
            }
        } catch {
            preconditionFailure("the sample cannot be changed: \(error)")
        }
    }
}

private let sample: Sample = {
    guard let sample = try? Sample() else { preconditionFailure("no memory for keys") }
    return sample
}()
