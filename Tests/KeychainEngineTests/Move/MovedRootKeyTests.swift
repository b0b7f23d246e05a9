// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport
import Synchronization
import Testing

@testable import KeychainEngine

/// The root key of a keychain that is moved: which one a store opens with, and when one is put in place or removed.
struct MovedRootKeyTests: MoveScene {
    let source: TestStore
    let target: TestStore

    init() throws { (source, target) = (try TestStore(), try TestStore()) }

    private static let nextKey = "root.key." + String(repeating: "0a", count: 16)
    private static let otherNextKey = "root.key." + String(repeating: "0b", count: 16)

    @Test("a store opens with the root key that its keybag is under, in place or not; the next move puts it in place")
    func unsettledRootKey() throws {
        try fill(source.open())
        let former = try source.bytes(of: "root.key")
        #expect(target.open().add("other", "x") == .done)
        // One that was prepared for a keybag that did not come counts for nothing.
        try source.write(try target.bytes(of: "root.key"), to: Self.nextKey)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.bytes(of: "root.key") == former)

        try source.write(former, to: Self.otherNextKey)
        try source.write([UInt8](repeating: 7, count: 32), to: "root.key")
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(try source.open().movedDevice().rootKey == SecretBytes(former))
        #expect(try source.bytes(of: "root.key") != former, "who only opens it leaves the files as they are")

        try EmbeddedKeychain.discardRemains(at: KeychainLocation(path: source.path), Self.options)
        #expect(try source.bytes(of: "root.key") == former)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
        #expect(source.open().secret("anna") == .secret("secret of anna"))
    }

    @Test("a copy that somebody made of the root key is neither used nor removed")
    func copyOfRootKey() throws {
        try fill(source.open())
        let rootKey = try source.bytes(of: "root.key")
        let copies = [".bak", ".1", "." + String(repeating: "0A", count: 16), "." + String(repeating: "0a", count: 17)]
        for copy in copies { try source.write(rootKey, to: "root.key\(copy)") }
        let location = KeychainLocation(path: source.path)
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        // Another process died while making this one.
        try source.write(rootKey, to: Self.nextKey + ".new")
        #expect(try EmbeddedKeychain.hasRemains(at: location))
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key.") }.count == copies.count)
        #expect(unlink(source.file("root.key")) == 0)
        #expect(source.open().failure() != nil)
    }

    @Test("a store that cannot be written opens with the next root key as well")
    func unsettledRootKeyToRead() throws {
        try fill(source.open())
        let former = try source.bytes(of: "root.key")
        try source.write(former, to: Self.nextKey)
        #expect(unlink(source.file("root.key")) == 0)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
        #expect(unlink(source.file(Self.nextKey)) == 0)
        #expect(source.open().failure() != nil)
    }

    @Test("while another process makes the store or moves it, no root key is put in place")
    func locked() throws {
        try fill(source.open())
        let lock = try FileLock(
            "setup.lock",
            in: PrivateDirectory(KeychainLocation(path: source.path)),
            until: Deadline(milliseconds: 0)
        )
        let keychain = EmbeddedKeychain(
            at: KeychainLocation(path: source.path),
            options: StoreOptions(busyTimeoutMilliseconds: 1),
            device: Self.options
        )
        let refusal = #expect(throws: KeychainError.self) {
            try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        }
        #expect(refusal?.isBusy == true)
        #expect(keychain.secret("anna") == .secret("secret of anna"))
        _ = consume lock
        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        #expect(keychain.secret("anna") == .failed(.itemNotFound))
    }

    @Test("of processes that replace the device of a store at once, each does so or is told that it is busy")
    func racing() throws {
        try fill(source.open())
        let outcomes = Mutex<[KeychainError?]>([])
        let location = KeychainLocation(path: source.path)
        DispatchQueue.concurrentPerform(iterations: 4) { index in
            let keychain = EmbeddedKeychain(at: location, device: Self.options)
            for _ in 0..<8 {
                var failure: KeychainError?
                do throws(KeychainError) {
                    if index.isMultiple(of: 2) {
                        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
                    } else {
                        try EmbeddedKeychain.discardRemains(at: location, Self.options)
                    }
                } catch {
                    failure = error
                }
                outcomes.withLock { $0.append(failure) }
                // Whoever looks finds the key that the keybag is under.
                let answer = keychain.add("\(index)", "secret")
                if answer != .done && answer != .failed(.duplicateItem) {
                    outcomes.withLock { $0.append(KeychainError(.decode, "\(answer)")) }
                }
            }
        }
        // Between the copy and the removal, another thread may have added an item or replaced the device.
        let isAllowed = { (failure: KeychainError) in
            failure.isBusy || failure == .changedSource || failure == .otherCopy
        }
        let failures = outcomes.withLock(\.self).compactMap(\.self).filter { !isAllowed($0) }
        #expect(failures.isEmpty, "\(failures)")
        let keychain = source.open()
        #expect(try keychain.check().isSound)
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try source.contents().keys.filter { $0.hasPrefix("root.key") } == ["root.key"])
        #expect(try source.open().check().isSound)
    }

    @Test("no root key is removed while the one that the keybag is under cannot be read")
    func unreadableRootKey() throws {
        try fill(source.open())
        let keybag = try source.open().movedDevice().keybag
        let former = try source.bytes(of: "root.key")
        try source.write(former, to: Self.nextKey)
        try source.write([UInt8](repeating: 7, count: 32), to: "root.key")
        // No file is read as a key that others may read.
        #expect(chmod(source.file(Self.nextKey), 0o644) == 0)
        let folder = try PrivateDirectory(KeychainLocation(path: source.path))
        #expect(throws: RootKeyError.self) { try RootKeyFile().settle(keybag, in: folder) }
        #expect(try source.bytes(of: Self.nextKey) == former)
        #expect(chmod(source.file(Self.nextKey), 0o600) == 0)
        try RootKeyFile().settle(keybag, in: folder)
        #expect(try source.bytes(of: "root.key") == former)
        #expect(source.open().secret("anna") == .secret("secret of anna"))
    }

    @Test("a root key that could not be put in place is reported, and the next command puts it there")
    func reportedRemains() throws {
        let location = KeychainLocation(path: source.path)
        try fill(source.open())
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        let former = try source.bytes(of: "root.key")
        // Nothing can be renamed to the name of a folder.
        #expect(unlink(source.file("root.key")) == 0 && mkdir(source.file("root.key"), 0o700) == 0)
        try source.write(former, to: Self.nextKey)
        let keychain = source.open()
        try keychain.empty(owner: .embedded, ifCopied: keychain.movedCopy())
        #expect(try EmbeddedKeychain.hasRemains(at: location))
        #expect(throws: KeychainError.self) { try EmbeddedKeychain.discardRemains(at: location, Self.options) }
        #expect(rmdir(source.file("root.key")) == 0)
        try EmbeddedKeychain.discardRemains(at: location, Self.options)
        #expect(try !EmbeddedKeychain.hasRemains(at: location))
        #expect(try source.bytes(of: "root.key") != former)
        #expect(mkdir(source.file("incoming"), 0o700) == 0)
        #expect(try EmbeddedKeychain.hasRemains(at: location))
    }
}
