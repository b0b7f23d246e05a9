// SPDX-License-Identifier: Apache-2.0

import Runtime
import Testing

@_implementationOnly import CKeychainSupport

/// Where code outside of this package called into it: read from the stack, because Apple's functions take no location.
struct CallSite: Sendable, Hashable {
    /// The path and the line; `nil` in a program without debug information.
    let location: Location?

    /// The function, when there is no line.
    let function: String?

    struct Location: Sendable, Hashable {
        let path: String
        let line: Int
        let column: Int
    }

    /// For the test libraries.
    var sourceLocation: SourceLocation? {
        location.map { location in
            let name = location.path.split(separator: "/").last.map(String.init) ?? location.path
            let place = (max(1, location.line), max(1, location.column))
            return SourceLocation(fileID: "Tests/\(name)", filePath: location.path, line: place.0, column: place.1)
        }
    }

    /// What tells two stacks apart, without looking up names.
    static func addresses() -> [UInt64] {
        guard let trace = stack(limit: 32) else { return [] }
        return trace.frames.compactMap { frame in
            switch frame {
            case .programCounter(let address), .returnAddress(let address), .asyncResumePoint(let address):
                UInt64(address)
            case .omittedFrames, .truncated: nil
            @unknown default: nil
            }
        }
    }

    /// The nearest caller outside of this package; `nil` when the stack cannot be read.
    ///
    /// Names are looked up in the order of the stack's parts, because each takes milliseconds.
    static func find() -> CallSite? { find(among: 16) ?? find(among: 64) }

    private static func find(among limit: Int) -> CallSite? {
        guard let frames = stack(limit: limit, images)?.symbolicated(with: images)?.frames else { return nil }
        var function: String?
        for frame in frames {
            guard let symbol = frame.symbol, !isOurs(symbol) else { continue }
            if let found = symbol.sourceLocation, found.line > 0, found.path.hasPrefix("/"), !isGenerated(found.path) {
                let location = Location(path: found.path, line: found.line, column: found.column)
                return CallSite(location: location, function: nil)
            }
            if function == nil, !frame.isSystem, symbol.imageName == programName { function = symbol.name }
        }
        return function.map { CallSite(location: nil, function: $0) }
    }

    /// The callers of this function, as far as frame pointers lead: `Backtrace` follows whatever stands in their place.
    private static func stack(limit: Int, _ images: ImageMap? = nil) -> Backtrace? {
        let reachable = Int(keychain_walkable_frames(limit + margin))
        guard reachable > margin else { return nil }
        return try? Backtrace.capture(limit: reachable - margin, top: 0, images: images)
    }

    // It looks one frame ahead, and its own are among those that it looks at.
    private static let margin = 4

    /// What is mapped; a library that is loaded later is none that calls the keychain.
    private static let images = ImageMap.capture()

    private static func isOurs(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
        if let path = symbol.sourceLocation?.path, path.hasPrefix(sources) { return true }
        return prefixes.contains { symbol.rawName.hasPrefix($0) }
    }

    private static func isGenerated(_ path: String) -> Bool { path.hasSuffix("<compiler-generated>") }

    /// The folder of this package's sources, wherever it was compiled.
    private static let sources: String = {
        var path = Substring(#filePath)
        for _ in 0..<3 { path = path[..<(path.lastIndex(of: "/") ?? path.startIndex)] }
        return path + "/"
    }()

    /// How the symbols of this package's modules begin, for frames that have no line.
    private static let prefixes =
        [
            "KeychainServices", "PortableSecurity", "Security", "LocalAuthenticationServices",
            "PortableLocalAuthentication", "LocalAuthentication",
            "CryptoKit", "Keychain", "KeychainRecipes", "KeychainSimulation", "KeychainTesting", "KeychainCore",
            "KeychainEngine",
        ].flatMap { name in ["$s\(name.utf8.count)\(name)"] } + ["keychain_", "swift_keychain_"]

    private static let programName = CommandLine.arguments.first?.split(separator: "/").last.map(String.init) ?? ""
}
