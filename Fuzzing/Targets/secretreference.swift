// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainControl

/// References, names of passwords, files of variables, templates and keys for one-time passwords.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = SecretBytes(copying: UnsafeRawBufferPointer(start: start, count: count))
    let text = String(decoding: UnsafeRawBufferPointer(start: start, count: count), as: UTF8.self)
    if let reference = try? SecretReference(text) {
        precondition((try? SecretReference(reference.text)) == reference, "a reference is read as it was written")
    }
    for (service, account) in ItemName.divisions(text) {
        precondition(Array("\(service)/\(account)".utf8) == Array(text.utf8), "the parts of a name are the name")
    }
    for (name, value) in (try? EnvironmentFile.parse(bytes, name: "")) ?? [] {
        precondition(EnvironmentFile.assignment("\(name)=\(value)")?.name == name, "a variable has a name")
    }
    if let key = try? OneTimePassword(bytes) {
        precondition((6...8).contains(key.code(of: 1).utf8.count), "a password has six to eight digits")
    }
    if let owner = AttachmentOwner(service: text) {
        precondition(owner.service == text, "what belongs to a password is found by its service")
    }
    if let kind = AttachmentKind(account: text) { precondition(kind.account == text, "a kind has one account") }
    if case .at(let time)? = ExpiryDate(text, now: 0) {
        precondition(ExpiryDate(TimeText.text(time), now: 0) == .at(time), "a time is read as it was written")
    }
    _ = try? SecretTemplate(bytes, in: "file")
    return 0
}
