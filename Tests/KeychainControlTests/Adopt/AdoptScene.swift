// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import Foundation
import Glibc
import KeychainCore
import KeychainEngine
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// A home folder with secrets in plain text, and a keychain that gets them.
struct AdoptScene {
    var helpers: HelperScene

    init() throws {
        helpers = try HelperScene()
        helpers.control.keychain = EmbeddedKeychain.inMemory(device: .withNegligibleWork)
    }

    /// The home folder, without links in its path.
    var home: String { URL(fileURLWithPath: helpers.home.path).resolvingSymlinksInPath().path }

    func run(_ words: String...) throws -> Control.Outcome { try helpers.control.run(["adopt"] + words) }

    func path(_ name: String) -> String { "\(home)/\(name)" }

    /// What a file is: its contents, mode, and time.
    struct State: Equatable {
        let bytes: Data?
        let mode: UInt32
        let seconds: Int
        let nanoseconds: Int
    }

    func state(_ name: String) -> State {
        var status = stat()
        lstat(path(name), &status)
        return State(
            bytes: FileManager.default.contents(atPath: path(name)),
            mode: status.st_mode,
            seconds: Int(status.st_mtim.tv_sec),
            nanoseconds: Int(status.st_mtim.tv_nsec)
        )
    }

    /// The secrets of the items with these attributes.
    func secrets(_ itemClass: ItemClass, _ attributes: [String: PropertyValue]) throws -> [String] {
        let store = CredentialStore(helpers.control.keychain)
        return try store.entries(itemClass, [:]).filter { entry in
            attributes.allSatisfy { entry.attributes[$0.key] == $0.value }
        }
        .map { String(decoding: try store.secret(of: $0).unprotectedCopy, as: UTF8.self) }
    }

    /// How many passwords there are.
    func count() throws -> Int {
        let store = CredentialStore(helpers.control.keychain)
        return try store.entries(.genericPassword, [:]).count + store.entries(.internetPassword, [:]).count
    }
}
