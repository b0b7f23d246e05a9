// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import KeychainSupport

/// An address in a program or a library, wherever that is loaded: `IMAGE+0xOFFSET`.
package struct ProgramAddress: Hashable, CustomStringConvertible {
    /// The path of the program or library.
    package let image: String
    package let offset: UInt

    private init(image: String, offset: UInt) {
        self.image = image
        self.offset = offset
    }

    /// An address in this process; `nil` if it is in no image.
    package init?(_ address: UInt) {
        var path: UnsafePointer<CChar>?
        var base: UInt = 0
        guard CSupport.image(of: address, &path, &base) == 0, let path else { return nil }
        // The program itself is named as it was called: without its folder, or from a folder that it has left.
        let image = path.pointee == 0x2F ? String(cString: path) : Self.executable
        self.init(image: image, offset: address - base)
    }

    /// An address as a trace has it; `nil` for any other text.
    package init?(_ text: String) {
        guard let separator = text.ranges(of: "+0x").last,
            let offset = UInt(text[separator.upperBound...], radix: 16)
        else { return nil }
        self.init(image: String(text[..<separator.lowerBound]), offset: offset)
    }

    /// The preceding address: a return address is after its call, and may belong to another line.
    package var before: ProgramAddress? { offset > 0 ? ProgramAddress(image: image, offset: offset - 1) : nil }

    package var description: String { "\(image)+0x\(String(offset, radix: 16))" }

    /// The path of the program; its name if the path is unknown.
    private static let executable: String = {
        let name = CommandLine.arguments.first ?? ""
        return (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? name
    }()
}
