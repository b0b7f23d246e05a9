// SPDX-License-Identifier: Apache-2.0

import KeychainTrace

/// The place of a call: the file and the line of the innermost return address outside this package, looked up in the
/// program that made the call, if it still exists unchanged.
final class TracePlaces {
    private var known: [String: String?] = [:]

    /// `FILE:LINE`; empty if no line is found.
    func place(of stack: [String]) -> String {
        for (index, address) in stack.enumerated() {
            if known[address] == nil {
                // Looking up further addresses in the same image costs nothing.
                let image = ProgramAddress(address)?.image
                lookUp(stack[index...].prefix { ProgramAddress($0)?.image == image }.filter { known[$0] == nil })
            }
            if let place = known[address] ?? nil { return place }
        }
        return ""
    }

    private func lookUp(_ addresses: [String]) {
        let calls = addresses.map { ProgramAddress($0)?.before }
        let frames = Symbolizer.frames(at: calls.compactMap(\.self))
        for (address, call) in zip(addresses, calls) {
            let frame = call.flatMap { frames[$0] }?.first { !$0.isOfPackage && !$0.isGenerated }
            known[address] = .some(frame.map { "\($0.path):\($0.line)" })
        }
    }
}
