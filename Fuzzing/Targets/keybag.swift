// SPDX-License-Identifier: Apache-2.0

@testable import KeychainProtection

/// The keybag of a store file: read before it is authenticated.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: bytes, count: count))
    _ = try? KeybagCodec.parse(input)
    _ = try? Device(keybag: input, rootKey: rootKey)
    let altered = edited(input)
    precondition(altered == valid || (try? Device(keybag: altered, rootKey: rootKey)) == nil, "an altered keybag opens")
    return 0
}

/// A valid keybag with bytes replaced where the input says: position in two bytes, then the value; the rest cuts it off.
private func edited(_ input: [UInt8]) -> [UInt8] {
    var bytes = valid
    var rest = input[...]
    while let high = rest.popFirst(), let low = rest.popFirst() {
        guard let value = rest.popFirst() else { return Array(bytes.dropLast(Int(high))) }
        bytes[(Int(high) << 8 | Int(low)) % bytes.count] = value
    }
    return bytes
}

private let valid: [UInt8] = {
    guard let keybag = try? Device.makeKeybag(rootKey: rootKey) else { preconditionFailure("no memory for keys") }
    return keybag
}()

private let rootKey: SoftwareRootKey = {
    guard let key = try? SoftwareRootKey.ephemeral() else { preconditionFailure("no memory for a key") }
    return key
}()
