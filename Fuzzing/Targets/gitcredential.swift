// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// A description of a credential by git, and the same bytes as the secret of an item: what is read has no line that git
/// could take for another, and what is stored is read again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    if let credential = try? GitCredential(bytes) {
        let texts = [credential.scheme, credential.host, credential.path, credential.username]
        precondition(texts.allSatisfy { $0.map(isOneLine) ?? true }, "a value has several lines")
        if let address = try? credential.address {
            precondition(ServerAddress.isScheme(address.scheme), "a scheme is one")
            precondition(address.host.isEmpty || ServerAddress.hostAndPort(address.host) != nil, "a host is one")
        }
        if let secret = GitSecret(credential) {
            precondition(GitSecret(stored: secret.stored) == secret, "what is stored is read again")
        }
    }
    if let secret = GitSecret(stored: bytes) {
        precondition(GitSecret(stored: secret.stored) == secret, "what is read is stored again")
    }
    return 0
}

private func isOneLine(_ text: String) -> Bool { !text.utf8.contains { $0 == 0x0A || $0 == 0x0D || $0 == 0 } }
