// SPDX-License-Identifier: Apache-2.0

/// Valid bytes with some replaced where the input says: position in two bytes, then the value; the rest cuts them off.
func edited(_ valid: [UInt8], _ input: [UInt8]) -> [UInt8] {
    var bytes = valid
    var rest = input[...]
    while let high = rest.popFirst(), let low = rest.popFirst() {
        guard let value = rest.popFirst() else { return Array(bytes.dropLast(Int(high))) }
        bytes[(Int(high) << 8 | Int(low)) % bytes.count] = value
    }
    return bytes
}
