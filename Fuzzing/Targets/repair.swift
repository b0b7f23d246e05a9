// SPDX-License-Identifier: Apache-2.0

import Glibc
import KeychainCore
import KeychainHost

@testable import KeychainEngine
@testable import KeychainStore

/// The file of a store, and its log, as anybody may have written them: what a repair makes of it is sound, and has no
/// item that was not in the store.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    // The first byte says which of both is edited.
    let isLog = input.first.map { $0 & 1 == 1 } ?? false
    let edits = Array(input.dropFirst())
    let file = isLog ? Sample.file : edited(Sample.file, edits)
    let log = isLog ? edited(Sample.log, edits) : Sample.log
    write(file, to: "keychain.db")
    write(log, to: "keychain.db-wal")
    unlink("\(Sample.folder)/keychain.db-shm")
    let location = KeychainLocation(path: Sample.folder)
    _ = try? StoreCheck(at: location).run()
    let repair = StoreRepair(at: location)
    guard let outcome = try? repair.run(acceptsLostLog: true, date: "D", confirm: { _ in true }) else { return 0 }
    for name in outcome.kept { unlink("\(Sample.folder)/\(name)") }
    guard outcome.isDone else { return 0 }
    guard let report = try? StoreCheck(at: location).run() else {
        preconditionFailure("a repaired store is not checked")
    }
    precondition(report.verdict == .sound || outcome.setAsideRows > 0, "a repaired store is damaged: \(report)")
    precondition(report.intactRows <= Sample.rowCount, "a repaired store has more items than there were")
    return 0
}

private func write(_ bytes: [UInt8], to name: String) {
    let descriptor = open("\(Sample.folder)/\(name)", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    precondition(Glibc.write(descriptor, bytes, bytes.count) == bytes.count, "the sample cannot be written")
    close(descriptor)
}

private enum Sample {
    static let rowCount = 6
    static let folder = "/tmp/fuzz-repair-\(getpid())"

    private static let files: (file: [UInt8], log: [UInt8]) = {
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: folder))
        for number in 0..<rowCount {
            let item: PropertyDictionary = [
                "class": .string("genp"), "acct": .string("account \(number)"),
                "v_Data": .data(SecretBytes([UInt8](repeating: 1, count: number * 2_000))),
            ]
            let request = KeychainRequest(.add(item), client: Client(accessGroups: ["group"]))
            precondition((try? keychain.perform(request)) != nil, "no item can be added")
        }
        guard (try? keychain.whileClosed {}) != nil, let file = FileBytes(path: "\(folder)/keychain.db"),
            let log = FileBytes(path: "\(folder)/keychain.db-wal")
        else { preconditionFailure("no store can be made") }
        return (file.read(at: 0, file.count), log.read(at: 0, log.count))
    }()

    static var file: [UInt8] { files.file }
    static var log: [UInt8] { files.log }
}
