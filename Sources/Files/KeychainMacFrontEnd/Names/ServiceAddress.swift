// SPDX-License-Identifier: Apache-2.0

/// The parts of the service of an identity preference: of a URL, of the name of a host, or of any other text.
struct ServiceAddress {
    private let whole: ArraySlice<UInt8>

    /// The part before the host, including `://`; empty if it is not a URL.
    private let scheme: ArraySlice<UInt8>

    /// The name of the host; `nil` if it has none with labels, as in a mail address or a numeric address.
    private let host: ArraySlice<UInt8>?

    /// The port, and the path with its slash.
    private let rest: ArraySlice<UInt8>

    /// The service without what follows a path.
    private let located: ArraySlice<UInt8>

    /// Parses a service.
    init(_ service: String) {
        whole = Array(service.utf8)[...]
        let cut = whole.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        scheme = Self.scheme(of: cut)
        let authority = cut.dropFirst(scheme.count).prefix { $0 != UInt8(ascii: "/") }
        let port = authority.lastIndex(of: UInt8(ascii: ":")) ?? authority.endIndex
        let name = authority[..<port]
        host = Self.isName(name) ? name : nil
        // A URL without a path refers to its root (RFC 3986, section 6.2.3).
        let isRoot = !scheme.isEmpty && authority.endIndex == cut.endIndex
        located = isRoot ? (cut + "/".utf8)[...] : cut
        rest = located.dropFirst(scheme.count + name.count)
    }

    /// How well a preference fits; the smallest is the best.
    struct Rank: Comparable {
        /// 0 for the service itself, 1 for a path above it, 2 for a domain above its host.
        let kind: Int

        /// How many bytes of the host the domain lacks, and how many of the path the preference.
        var lacks: (ofHost: Int, ofPath: Int) = (0, 0)

        static func == (left: Rank, right: Rank) -> Bool { left.kind == right.kind && left.lacks == right.lacks }

        static func < (left: Rank, right: Rank) -> Bool {
            left.kind == right.kind ? left.lacks < right.lacks : left.kind < right.kind
        }
    }

    /// How well a preference for another service matches this one; `nil` if it does not.
    func rank(of service: String) -> Rank? {
        let service = Array(service.utf8)[...]
        if service == whole { return Rank(kind: 0) }
        if service.count > scheme.count, Self.isPath(service, above: located) {
            return Rank(kind: 1, lacks: (0, located.count - service.count))
        }
        return rank(ofDomain: service)
    }

    /// The same of a preference for all hosts of a domain: `*.example.org`, or a URL with such a host.
    private func rank(ofDomain service: ArraySlice<UInt8>) -> Rank? {
        guard let host else { return nil }
        let itsScheme = Self.scheme(of: service)
        let pattern = service.dropFirst(itsScheme.count)
        guard pattern.starts(with: "*.".utf8) else { return nil }
        let name = pattern.prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: ":") }
        let domain = name.dropFirst()
        guard domain.count > 1, host.count > domain.count, host.suffix(domain.count) == domain else { return nil }
        let path = pattern.dropFirst(name.count)
        let isForAllPaths = itsScheme.isEmpty && path.isEmpty
        guard isForAllPaths || itsScheme == scheme && (path == rest || Self.isPath(path, above: rest)) else {
            return nil
        }
        return Rank(kind: 2, lacks: (host.count - domain.count, rest.count - path.count))
    }

    /// Whether a text ends with a slash and is the beginning of another.
    private static func isPath(_ path: ArraySlice<UInt8>, above other: ArraySlice<UInt8>) -> Bool {
        path.last == UInt8(ascii: "/") && other.starts(with: path)
    }

    /// The part of a URL before its host; empty if it is not a URL.
    private static func scheme(of text: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        let name = text.prefix {
            $0 < 0x80 && (Character(UnicodeScalar($0)).isLetter || "0123456789+-.".utf8.contains($0))
        }
        let end = "://".utf8
        return !name.isEmpty && text.dropFirst(name.count).starts(with: end) ? text.prefix(name.count + end.count) : []
    }

    /// Whether a text is the name of a host of several labels, and neither a mail address nor a numeric one.
    private static func isName(_ text: ArraySlice<UInt8>) -> Bool {
        let labels = text.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return labels.count > 1 && labels.allSatisfy { !$0.isEmpty } && !text.contains { "@[]:*".utf8.contains($0) }
            && !(labels.last?.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ?? true)
    }
}
