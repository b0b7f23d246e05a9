// SPDX-License-Identifier: Apache-2.0

extension MatchRule {
    /// Whether a signal is as the rule says.
    ///
    /// - Parameters:
    ///   - header: its header, with the sender.
    ///   - arguments: its arguments.
    ///   - isName: whether a name belongs to the sender.
    /// - Returns: Whether it is.
    package func matches(
        _ header: BusHeader,
        _ arguments: inout SignalArguments,
        isNameOfSender isName: (String) -> Bool
    ) -> Bool {
        if let type, type != header.type { return false }
        if let member, member != header.member { return false }
        if let interface, interface != header.interface { return false }
        if let path, path != header.path { return false }
        if let destination, destination != header.destination { return false }
        if let pathNamespace, !Self.isPath(header.path ?? "", in: pathNamespace) { return false }
        if let sender, sender != header.sender, !isName(sender) { return false }
        for condition in self.arguments {
            guard let argument = arguments[condition.index], condition.matches(argument) else { return false }
        }
        return true
    }

    private static func isPath(_ path: String, in namespace: String) -> Bool {
        path == namespace || namespace == "/" || path.utf8.starts(with: "\(namespace)/".utf8)
    }
}

extension MatchRule.Argument {
    fileprivate func matches(_ argument: SignalArguments.Argument) -> Bool {
        let bytes = argument.bytes
        switch comparison {
        case .equal: return !argument.isPath && bytes == value
        case .namespace:
            return !argument.isPath
                && (bytes == value || bytes.starts(with: value) && bytes[value.count] == UInt8(ascii: "."))
        case .path:
            if bytes == value { return true }
            let slash = UInt8(ascii: "/")
            return value.last == slash && bytes.starts(with: value) || bytes.last == slash && value.starts(with: bytes)
        }
    }
}

/// The arguments of a signal that rules compare: those in front of the first one that is not of a basic type.
///
/// They are read when the first rule asks for them.
package struct SignalArguments {
    /// A string or a path.
    package struct Argument: Sendable, Hashable {
        let bytes: [UInt8]
        let isPath: Bool
    }

    private static let most = 64

    private let frame: BusFrame
    private var known: [Argument?]?

    /// The arguments of a signal.
    package init(of frame: BusFrame) { self.frame = frame }

    /// An argument; `nil` if it is no string.
    package subscript(index: Int) -> Argument? {
        mutating get {
            let arguments = known ?? frame.body.withBytes { read($0) }
            known = arguments
            return index < arguments.count ? arguments[index] : nil
        }
    }

    private func read(_ bytes: UnsafeRawBufferPointer) -> [Argument?] {
        var reader = BusValueReader(bytes, order: frame.header.order)
        var arguments: [Argument?] = []
        for type in frame.header.signature.unicodeScalars.prefix(Self.most) {
            do throws(BusFailure) {
                switch type {
                case "s", "o": arguments.append(Argument(bytes: Array(try reader.text()), isPath: type == "o"))
                case "g", "y", "n", "q", "b", "i", "u", "h", "x", "t", "d":
                    try reader.skip(String(type))
                    arguments.append(nil)
                default: return arguments
                }
            } catch {
                return arguments
            }
        }
        return arguments
    }
}
