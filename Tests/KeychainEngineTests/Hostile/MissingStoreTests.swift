// SPDX-License-Identifier: Apache-2.0

import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainHost
import KeychainStore
import KeychainTestSupport
import Testing

/// Who only looks for something makes nothing: without a store the answer is that of an empty one.
struct MissingStoreTests {
    private static func lookUps(_ keychain: EmbeddedKeychain) -> [Answer] {
        [
            keychain.secret("anna"), keychain.find("anna"), keychain.everything(), keychain.update("anna", "changed"),
            keychain.updateEverything(comment: "c"), keychain.delete("anna"),
        ]
    }

    @Test(
        "a copy, an update and a delete are errSecItemNotFound, and neither folder nor file is made",
        arguments: [false, true]
    )
    func nothingIsMade(_ together: Bool) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(of: "data/keychain")
        var options = StoreOptions()
        options.makesChangesTogether = together
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: path), options: options)
        #expect(Set(Self.lookUps(keychain)) == [.failed(.itemNotFound)])
        #expect(try keychain.check().isSound)
        #expect(try keychain.recover() == 0)
        _ = try keychain.device.status()
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(keychain.add("anna", "secret") == .done)
        #expect(keychain.secret("anna") == .secret("secret"))
    }

    @Test("an explained call makes nothing, and explains an empty keychain")
    func explained() throws {
        let store = try TestStore()
        let query: PropertyDictionary = ["class": .string("genp"), "r_Data": .boolean(true)]
        var request = ExplanationRequest(KeychainRequest(.copyMatching(query), client: TestStore.client))
        for explainsSuccess in [false, true] {
            request.options.explainsSuccess = explainsSuccess
            guard case .explained(let outcome) = try store.open().perform(.itemsExplained(request)) else {
                Issue.record("no outcome")
                return
            }
            #expect(throws: KeychainError.self) { try outcome.result.get() }
        }
        _ = try store.open().perform(.explain(request))
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test("what is wrong with a request is said before that nothing is there")
    func wrongRequest() throws {
        let store = try TestStore()
        #expect(store.open().answer(.copyMatching(["class": .string("none")])) { _ in .done } != .failed(.itemNotFound))
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test("a folder whose store was removed is as one without, and gets no store by a look-up")
    func removed() throws {
        let store = try TestStore()
        let keychain = store.open()
        #expect(keychain.add("anna", "secret") == .done)
        try FileManager.default.removeItem(atPath: store.path)
        #expect(Set(Self.lookUps(keychain)) == [.failed(.itemNotFound)])
        #expect(!FileManager.default.fileExists(atPath: store.path))
    }

    @Test(
        "in a home that cannot be written or does not exist a look-up is errSecItemNotFound, an add errSecNotAvailable"
    )
    func unusableHomes() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let home = try TemporaryFolder()
            #expect(chmod(home.path, 0o500) == 0)
            for variable in [home.path, home.path(of: "absent"), "/", "/proc", "/dev/null"] {
                let location = try KeychainLocation(environment: { $0 == "HOME" ? variable : nil })
                let keychain = EmbeddedKeychain(at: location)
                #expect(Set(Self.lookUps(keychain)) == [.failed(.itemNotFound)], "\(variable)")
                #expect(keychain.add("anna", "secret") == .failed(.notAvailable), "\(variable)")
            }
            #expect(chmod(home.path, 0o700) == 0)
        }
    }

    @Test("where it cannot be told whether there is a store, a look-up is errSecNotAvailable")
    func hidden() async {
        await #expect(processExitsWith: .success) {
            #expect(ChildProcess.becomeOrdinaryUser())
            let home = try TemporaryFolder()
            let keychain = EmbeddedKeychain(at: KeychainLocation(path: home.path(of: "keychain")))
            #expect(keychain.add("anna", "secret") == .done)
            #expect(chmod(home.path, 0) == 0)
            let other = EmbeddedKeychain(at: KeychainLocation(path: home.path(of: "keychain")))
            #expect(other.secret("anna") == .failed(.notAvailable))
            #expect(chmod(home.path, 0o700) == 0)
        }
    }
}
