// SPDX-License-Identifier: Apache-2.0

import KeychainCore

@testable import KeychainProtection

/// The settings of a root key: a parsed file that is written again is parsed to the same settings.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    for bytes in [input, edited(sample.bytes, input)] {
        guard let settings = try? RootKeySettings(bytes) else { continue }
        precondition(settings.bytes == bytes && bytes.count <= RootKeySettings.byteLimit)
        let again = try? RootKeySettings(settings.kind, settings.parameters)
        precondition(again == settings, "settings are not written as they are read")
    }
    return 0
}

private let sample: RootKeySettings = {
    let parameters = [
        RootKeySettings.Parameter("handle", "0x81000001"), RootKeySettings.Parameter("pcr-7", "a b = c"),
    ]
    guard let sample = try? RootKeySettings(.tpm, parameters) else { preconditionFailure("the sample is not valid") }
    return sample
}()
