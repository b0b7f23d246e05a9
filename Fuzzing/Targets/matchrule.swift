// SPDX-License-Identifier: Apache-2.0

import KeychainBus

/// A match rule of a client's, and a signal that it is compared with.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeRawBufferPointer(start: start, count: count))
    guard let rule = try? MatchRule(bytes) else { return 0 }
    precondition((try? MatchRule(bytes)) == rule, "the same text is the same rule")
    precondition(rule.arguments.allSatisfy { (0...63).contains($0.index) }, "an argument that no signal has")
    var header = BusHeader(.signal, serial: 1)
    (header.path, header.interface, header.member) = ("/a/b", "org.example.I", "M")
    (header.sender, header.signature) = (":1.7", "sos")
    var writer = BusValueWriter()
    for text in ["com.example", "/a/", ""] { writer.append(text) }
    let frame = BusFrame(header, BusBody(writer.bytes))
    var arguments = SignalArguments(of: frame)
    _ = rule.matches(frame.header, &arguments) { $0 == "org.example.Owner" }
    return 0
}
