// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainStore
import KeychainTestSupport

/// A keychain in a folder of its own, whose files a test may damage between two openings.
struct TestStore {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The keychain's folder; it does not exist before the first call.
    var path: String { folder.path(of: "keychain") }

    static let client = Client(accessGroups: ["TEAMID.com.example.distinctive-group"])

    /// The keychain, opened again.
    ///
    /// - Parameters:
    ///   - busyTimeoutMilliseconds: how patient it is.
    ///   - work: how much work its passcodes are; the least, which virtual devices have.
    /// - Returns: The keychain.
    func open(busyTimeoutMilliseconds: Int32 = 5_000, work: ScryptParameters = .minimum) -> EmbeddedKeychain {
        var options = StoreOptions(busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        if Self.isLikeDaemon { (options.makesChangesTogether, options.readerCount) = (true, 3) }
        return open(options, work: work)
    }

    /// Whether the tests are to run as a daemon has its store: with `KEYCHAIN_TESTS_LIKE_DAEMON` in the environment.
    private static let isLikeDaemon = getenv("KEYCHAIN_TESTS_LIKE_DAEMON") != nil

    /// The keychain, opened again with options of its own.
    func open(
        _ options: StoreOptions,
        work: ScryptParameters = .minimum,
        authenticator: any Authenticator = NoAuthenticator()
    ) -> EmbeddedKeychain {
        var device = DeviceOptions(authenticator: authenticator)
        device.passwordWork = work
        return EmbeddedKeychain(at: KeychainLocation(path: path), options: options, device: device)
    }

    /// The path of a file of the keychain.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    func bytes(of name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: file(name))))
    }

    /// Writes a file of mode 0600 in place of whatever is there.
    func write(_ bytes: [UInt8], to name: String) throws {
        try? FileManager.default.removeItem(atPath: file(name))
        _ = FileManager.default.createFile(
            atPath: file(name),
            contents: Data(bytes),
            attributes: [.posixPermissions: 0o600]
        )
    }

    /// The file behind the keychain's back.
    func raw() throws -> RawStore { try RawStore(path: file("keychain.db")) }

    /// Every file by its name, but for what every opening makes: the log's index, and a log with nothing in it.
    func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where !name.hasSuffix("-shm") {
            contents[name] = try Data(contentsOf: URL(fileURLWithPath: file(name)))
        }
        return contents.filter { $0.key != "keychain.db-wal" || !$0.value.isEmpty }
    }

    /// Writes the log back, so that every row lies in the file itself.
    func checkpoint() throws { try raw().checkpoint() }

    /// Writes the log back as far as it goes, and leaves it as large as it is.
    func checkpointLog() { try? raw().execute("PRAGMA wal_checkpoint(PASSIVE)") }

    /// Looks at what a restart of the host leaves: the files as they are, without the log's index, which lies in
    /// memory.
    func afterRestart<Result>(_ body: (EmbeddedKeychain) throws -> Result) throws -> Result {
        let copy = try Self.of(try contents().mapValues { Array($0) })
        // The folder goes with the value.
        return try withExtendedLifetime(copy) { try body(copy.open()) }
    }

    /// Another store of these files.
    static func of(_ files: [String: [UInt8]]) throws -> TestStore {
        let store = try TestStore()
        try FileManager.default.createDirectory(
            atPath: store.path,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        for (name, bytes) in files { try store.write(bytes, to: name) }
        return store
    }
}

/// What a call gave: as much of it as a test compares.
enum Answer: Hashable {
    case done
    case secret(String)
    case accounts(Set<String>)
    case failed(Status)
}

/// Items of the class of generic passwords, named by their account.
extension EmbeddedKeychain {
    func add(_ account: String, _ secret: String, with more: [String: PropertyValue] = [:]) -> Answer {
        var item = Self.item(account)
        item["v_Data"] = .data(SecretBytes(Array(secret.utf8)))
        for (key, value) in more { item[key] = value }
        return answer(.add(item)) { _ in .done }
    }

    func secret(_ account: String, _ more: [String: PropertyValue] = [:]) -> Answer {
        var query = Self.item(account)
        query["r_Data"] = .boolean(true)
        for (key, value) in more { query[key] = value }
        return answer(.copyMatching(query)) { answer in
            guard case .single(.data(let bytes)) = answer else { return .done }
            return .secret(String(decoding: bytes.unprotectedCopy, as: UTF8.self))
        }
    }

    /// Whether the item is there, by its attributes alone.
    func find(_ account: String, _ more: [String: PropertyValue] = [:]) -> Answer {
        var query = Self.item(account)
        query["r_Attributes"] = .boolean(true)
        for (key, value) in more { query[key] = value }
        return answer(.copyMatching(query)) { .accounts($0.accounts) }
    }

    /// The accounts of all items, each of which is opened fully.
    func everything() -> Answer {
        let query: PropertyDictionary = [
            "class": .string("genp"), "m_Limit": .string("m_LimitAll"), "sync": .string("syna"),
            "r_Attributes": .boolean(true), "r_Data": .boolean(true),
        ]
        return answer(.copyMatching(query)) { .accounts($0.accounts) }
    }

    func update(_ account: String, _ secret: String) -> Answer {
        answer(.update(Self.item(account), attributes: ["v_Data": .data(SecretBytes(Array(secret.utf8)))])) { _ in .done
        }
    }

    func updateEverything(comment: String) -> Answer {
        answer(.update(["class": .string("genp")], attributes: ["icmt": .string(comment)])) { _ in .done }
    }

    func delete(_ account: String, _ more: [String: PropertyValue] = [:]) -> Answer {
        var query = Self.item(account)
        for (key, value) in more { query[key] = value }
        return answer(.delete(query)) { _ in .done }
    }

    /// Closes the files as a process leaves them that is killed: with all that lies in the log.
    func leaveLog() throws { try whileClosed {} }

    /// The error of a read, with its reason.
    func failure() -> KeychainError? { failure(.copyMatching(Self.item("anna"))) }

    /// Why a call fails that would make the store.
    func failureOfAdding() -> KeychainError? { failure(.add(Self.item("anna"))) }

    private func failure(_ operation: KeychainRequest.Operation) -> KeychainError? {
        do throws(KeychainError) {
            _ = try perform(KeychainRequest(operation, client: TestStore.client))
            return nil
        } catch {
            return error
        }
    }

    func answer(
        _ operation: KeychainRequest.Operation,
        _ success: (KeychainAnswer) -> Answer
    ) -> Answer {
        do throws(KeychainError) {
            return success(try perform(KeychainRequest(operation, client: TestStore.client)))
        } catch {
            return .failed(error.status)
        }
    }

    private static func item(_ account: String) -> PropertyDictionary {
        ["class": .string("genp"), "acct": .string(account), "svce": .string("service")]
    }
}

extension KeychainAnswer {
    /// The accounts in it.
    var accounts: Set<String> {
        switch self {
        case .nothing: []
        case .single(let value): Set([value].compactMap(\.account))
        case .list(let values): Set(values.compactMap(\.account))
        }
    }
}

extension ResultValue {
    var account: String? {
        guard case .dictionary(let entries) = self, case .string(let account)? = entries["acct"] else { return nil }
        return account
    }
}
