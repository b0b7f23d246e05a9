// SPDX-License-Identifier: Apache-2.0

/// The types of the values of a body (D-Bus Specification, "Type System").
package enum BusSignature {
    private static let basic = Set("ybnqiuxtdsogh".utf8)
    private static let deepest = 32

    /// Whether bytes are complete types, one after the other.
    package static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= 255 else { return false }
        var rest = bytes[...]
        while !rest.isEmpty {
            guard takeType(&rest, arrays: 0, structures: 0) else { return false }
        }
        return true
    }

    private typealias Rest = Slice<UnsafeRawBufferPointer>

    private static func takeType(_ rest: inout Rest, arrays: Int, structures: Int) -> Bool {
        guard let code = rest.popFirst() else { return false }
        switch code {
        case UInt8(ascii: "v"): return true
        case UInt8(ascii: "a"):
            guard arrays < deepest else { return false }
            guard rest.first == UInt8(ascii: "{") else {
                return takeType(&rest, arrays: arrays + 1, structures: structures)
            }
            rest.removeFirst()
            guard structures < deepest, let key = rest.popFirst(), basic.contains(key) else { return false }
            return takeType(&rest, arrays: arrays + 1, structures: structures + 1)
                && rest.popFirst() == UInt8(ascii: "}")
        case UInt8(ascii: "("):
            guard structures < deepest else { return false }
            repeat {
                guard takeType(&rest, arrays: arrays, structures: structures + 1) else { return false }
            } while rest.first != UInt8(ascii: ")")
            rest.removeFirst()
            return true
        default: return basic.contains(code)
        }
    }
}
