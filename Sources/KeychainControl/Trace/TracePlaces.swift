// SPDX-License-Identifier: Apache-2.0

import KeychainTrace

/// Where a call came from: the file and the line of the innermost return address that is not of this package, looked up
/// in the program that made it, while it is there unchanged.
final class TracePlaces {
    private var known: [String: String?] = [:]

    /// `FILE:LINE`; nothing where no line is found.
    func place(of stack: [String]) -> String {
        for address in stack {
            if let place = place(of: address) { return place }
        }
        return ""
    }

    private func place(of address: String) -> String? {
        if let place = known[address] { return place }
        let frames = ProgramAddress(address)?.before.flatMap(Symbolizer.frames) ?? []
        let frame = frames.first { !$0.isOfPackage && !$0.isGenerated }
        let place = frame.map { "\($0.path):\($0.line)" }
        known[address] = .some(place)
        return place
    }
}
