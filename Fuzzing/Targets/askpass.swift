// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A prompt of ssh, sudo or git, the command line of a keyring, and a configuration file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let text = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    switch AskpassPrompt(text) {
    case .key(let path): precondition(path.hasPrefix("/"), "the path of a key is absolute")
    case .server(let user, let host):
        precondition(!user.isEmpty && ServerAddress.hostAndPort(host)?.port == .some(nil), "a server is one")
    case .sudo(let user): precondition(!user.isEmpty, "a user has a name")
    case .git(let url): precondition(!url.utf8.contains { $0 < 0x20 }, "a URL is one line")
    case .other: break
    }
    let words = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    if let command = try? KeyringCommand(words) { precondition(!command.service.isEmpty, "a service has a name") }

    let block = ConfigurationBlock(section: "registry", key: "k", lines: ["k = 1"], form: .toml)
    if let added = try? block.added(to: text) {
        precondition(block.isIn(added), "what is added is there")
        let removed = try? block.removed(from: added)
        let before = try? block.removed(from: text)
        precondition(removed == before || removed == before.map { $0 + "\n" }, "what is added can be removed")
    }
    return 0
}
