// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// What Docker stores, its configuration, and the name of a registry.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: start, count: count)
    if let credential = try? DockerCredential(SecretBytes(copying: buffer)) {
        precondition(!credential.serverURL.isEmpty && !credential.username.isEmpty, "nothing has an empty name")
    }
    if let key = try? DockerKey(String(decoding: buffer, as: UTF8.self)) {
        precondition(["http", "https"].contains(key.address.scheme), "a registry speaks HTTP")
        precondition(ServerAddress.hostAndPort(key.address.host)?.port == .some(nil), "a host is one")
    }
    if var configuration = try? DockerConfiguration(Array(buffer)) {
        configuration.credentialsStore = DockerConfiguration.helper
        let again = try? DockerConfiguration(configuration.bytes)
        precondition(again?.credentialsStore == DockerConfiguration.helper, "what is written is read again")
        precondition(again?.plainCredentialCount == configuration.plainCredentialCount, "nothing is lost")
    }
    return 0
}
