// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainProtection
import KeychainRouting
import KeychainStore

/// The keychain under test, and the handful of calls that the storms are made of.
struct Subject: Sendable {
    static let groups = ["STORM.a", "STORM.b"]

    let keychain: EmbeddedKeychain
    /// What carries out the calls: the keychain itself, or whoever has its store.
    let backend: any KeychainBackend
    let client = Client(accessGroups: groups)

    init(
        folder: String,
        busyTimeoutMilliseconds: Int32,
        likeDaemon: Bool = false,
        onEvent: @escaping @Sendable (DeviceEvent) -> Void = { _ in }
    ) {
        var device = DeviceOptions()
        device.passwordWork = .testing
        device.onEvent = onEvent
        device.rootKeys = RootKeySteps.sources()
        self.init(
            EmbeddedKeychain(
                at: KeychainLocation(path: folder),
                options: StoreOptions(
                    busyTimeoutMilliseconds: busyTimeoutMilliseconds,
                    makesChangesTogether: likeDaemon,
                    readerCount: likeDaemon ? 3 : 1
                ),
                device: device
            )
        )
    }

    init(_ keychain: EmbeddedKeychain) {
        self.keychain = keychain
        backend = keychain
    }

    /// The keychain of a folder as any program has it: by itself, or through the daemon that has the store.
    ///
    /// Only the time-out of the store is another one: many programs that write may each wait long for their turn.
    init(routedTo folder: String, busyTimeoutMilliseconds: Int32) {
        let location = KeychainLocation(path: folder)
        let keychain = EmbeddedKeychain(
            at: location,
            options: StoreOptions(busyTimeoutMilliseconds: busyTimeoutMilliseconds)
        )
        self.keychain = keychain
        let parts = ProcessKeychain.Parts(storeAt: location, authenticator: NoAuthenticator())
        backend = RoutedKeychain(parts, embedded: keychain) { () throws(KeychainError) in try keychain.checkOwner() }
    }

    /// The secret that an account must have.
    static func secret(of account: String) -> String { "the secret of \(account)" }

    /// Adds an item and says so after it is acknowledged: `add ACCOUNT STATUS`, and a reason when it failed.
    func add(_ account: String, label: String = "new") {
        report("add \(account)", perform(.add(item(account, label))))
    }

    func add(_ account: String, secret: SecretBytes) {
        var item = item(account, "new")
        item[PropertyKey.valueData] = .data(secret)
        report("add \(account)", perform(.add(item)))
    }

    func update(_ account: String, label: String) {
        report("update \(account) \(label)", perform(.update(query(account), attributes: ["labl": .string(label)])))
    }

    func delete(_ account: String) {
        report("delete \(account)", perform(.delete(query(account))))
    }

    /// Reads an item; a secret other than the one that belongs to it is reported as status 1.
    func read(_ account: String) {
        var query = query(account)
        query[PropertyKey.returnData] = .boolean(true)
        switch perform(.copyMatching(query)) {
        case .success(.single(.data(let secret))):
            let isRight = secret == SecretBytes(Array(Self.secret(of: account).utf8))
            Console.write("read \(account) \(isRight ? 0 : 1)")
        case .success: Console.write("read \(account) 1")
        case .failure(let error): report("read \(account)", .failure(error))
        }
    }

    /// Counts the items of all groups: `count NUMBER STATUS`.
    func count() {
        var every: PropertyDictionary = ["class": .string("genp"), PropertyKey.returnAttributes: .boolean(true)]
        every[PropertyKey.matchLimit] = .string(PropertyKey.matchLimitAll)
        let result = perform(.copyMatching(every))
        if case .success(.list(let items)) = result { return report("count \(items.count)", result) }
        report("count 0", result)
    }

    /// Gives every item a new label in one call.
    func updateAll(label: String) {
        let every: PropertyDictionary = ["class": .string("genp")]
        report("generation \(label)", perform(.update(every, attributes: ["labl": .string(label)])))
    }

    /// Moves every item of one group to the other in one call.
    func moveAll(number: Int) {
        let (from, to) = (Self.groups[(number + 1) % 2], Self.groups[number % 2])
        let every: PropertyDictionary = ["class": .string("genp"), "agrp": .string(from)]
        report("move \(number)", perform(.update(every, attributes: ["agrp": .string(to)])))
    }

    private func query(_ account: String) -> PropertyDictionary {
        ["class": .string("genp"), "svce": .string("storm"), "acct": .string(account)]
    }

    private func item(_ account: String, _ label: String) -> PropertyDictionary {
        var item = query(account)
        item["labl"] = .string(label)
        item[PropertyKey.valueData] = .data(SecretBytes(Array(Self.secret(of: account).utf8)))
        return item
    }

    private func perform(_ operation: KeychainRequest.Operation) -> Result<KeychainAnswer, KeychainError> {
        do throws(KeychainError) {
            return .success(try backend.perform(KeychainRequest(operation, client: client)))
        } catch {
            return .failure(error)
        }
    }

    private func report(_ step: String, _ result: Result<KeychainAnswer, KeychainError>) {
        switch result {
        case .success: Console.write("\(step) 0")
        case .failure(let error): Console.write("\(step) \(error.status.rawValue) \(error.reason)")
        }
    }
}
