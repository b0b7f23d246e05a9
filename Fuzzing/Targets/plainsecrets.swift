// SPDX-License-Identifier: Apache-2.0

import CredentialHelpers
import KeychainCore

/// The files in which `keychainctl adopt` finds secrets: the first byte says the kind.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let buffer = UnsafeRawBufferPointer(start: start, count: count)
    guard let kind = buffer.first else { return 0 }
    let bytes = Array(buffer.dropFirst())
    let found: PlainSecrets?
    switch kind % 15 {
    case 0: found = PlainSecrets(netrc: bytes)
    case 1: found = PlainSecrets(gitCredentials: bytes)
    case 2: found = try? PlainSecrets(docker: bytes)
    case 3: found = PlainSecrets(aws: bytes)
    case 4: found = PlainSecrets(npm: bytes)
    case 5: found = PlainSecrets(pypi: bytes)
    case 6: found = try? PlainSecrets(cargo: bytes, configuration: bytes)
    case 7: found = PlainSecrets(hosts: bytes, isGitLab: kind % 2 == 0)
    case 8: found = PlainSecrets(kube: bytes, helper: "/usr/bin/keychain-kubectl")
    case 9: found = PlainSecrets(variables: bytes, path: "/home/ada/.env") { _ in "keychain://x/y" }
    case 10: found = PlainSecrets(maven: bytes)
    case 11: found = PlainSecrets(gitConfiguration: bytes)
    case 12: found = PlainSecrets(awsConfiguration: bytes)
    case 13: found = PlainSecrets(indexes: bytes)
    default: found = PlainSecrets(privateKey: bytes)
    }
    guard let found else { return 0 }
    for secret in found.secrets {
        precondition(CredentialPlace(json: secret.place.json) == secret.place, "a place is read as it was written")
        for edit in secret.edits {
            precondition(0...bytes.count ~= edit.range.upperBound, "an edit is in the file")
        }
    }
    let edits = found.secrets.flatMap(\.edits)
    let new = TextEdit.apply(edits, to: bytes)
    precondition(!edits.isEmpty || new == bytes, "what has no secrets stays")
    return 0
}
