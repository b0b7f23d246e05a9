// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import Runtime
import Synchronization

/// The stack of a call, as it was on the caller's thread.
///
/// Functions are known at once; lines are looked up later and elsewhere,
/// because the first takes seconds.
struct CallStack: Sendable {
    /// What tells two stacks apart.
    let addresses: [UInt64]

    /// The functions on it.
    let functions: CalledFunctions

    /// The addresses of the program's functions, from the nearest caller: which way led to the call.
    ///
    /// All of the stack, where none is known.
    var callerAddresses: [UInt64] {
        let indices = functions.callerIndices
        return indices.isEmpty ? addresses : indices.map { addresses[$0] }
    }

    /// The frames of the addresses.
    private let frames: [Backtrace.Frame]

    /// The stack of whoever calls this.
    static func capture() -> CallStack {
        let frames = callers()
        let addresses = frames.compactMap(\.addressOfCall)
        let functions = known.withLock { known in
            if let functions = known[addresses] { return functions }
            let functions = CalledFunctions(addresses)
            known[addresses] = functions
            return functions
        }
        return CallStack(addresses: addresses, functions: functions, frames: frames)
    }

    private static let known = Mutex<[[UInt64]: CalledFunctions]>([:])
    private static let most = 64

    /// How many callers are tried: the nearest has no line where the compiler notes none, as for the argument of an
    /// assertion.
    private static let candidates = 3

    /// The callers of this function: those on the stack of the thread, and what an asynchronous function returns to.
    @inline(never)
    private static func callers() -> [Backtrace.Frame] {
        let addresses = [UInt](unsafeUninitializedCapacity: most) { $1 = keychain_unwind_stack($0.baseAddress, most) }
        let stack = addresses.map { Backtrace.Frame.returnAddress(Backtrace.Address(UInt64($0))) }
        return Array((stack + continuations()).prefix(most))
    }

    /// The functions that the asynchronous one on the stack returns to; none where there is none.
    ///
    /// `Backtrace` knows them, but follows whatever stands in the place of a frame pointer, and looks one frame ahead.
    @inline(never)
    private static func continuations() -> some Sequence<Backtrace.Frame> {
        let isWalkable = keychain_walkable_frames(most + 1) > most
        let backtrace = isWalkable ? try? Backtrace.capture(limit: most, top: 0, images: images) : nil
        let frames = backtrace.map { $0.frames.filter { $0.addressOfCall != nil } } ?? []
        return frames.drop { if case .asyncResumePoint = $0 { false } else { true } }
    }

    /// The line of the nearest caller outside of this package.
    ///
    /// It takes up to seconds. `nil` in a program without debug information, and where the compiler notes no line.
    func findLocation() -> CallLocation? {
        for index in functions.callerIndices.prefix(Self.candidates) {
            // Each alone: for each, the lines of the whole program are gone through.
            let backtrace = Backtrace(frame: frames[index])
            for frame in backtrace?.symbolicated(with: Self.images)?.frames ?? [] {
                guard let symbol = frame.symbol, !PackageSymbols.contains(symbol) else { continue }
                guard let found = symbol.sourceLocation, found.line > 0, found.path.hasPrefix("/") else { continue }
                guard !found.path.hasSuffix("<compiler-generated>") else { continue }
                return CallLocation(path: found.path, line: found.line, column: found.column)
            }
        }
        return nil
    }

    /// What is mapped when the program starts; a library that is loaded later is none that calls the keychain.
    ///
    /// To make such a map, all mapped libraries are looked into. A capture that is given none makes its own, and
    /// crashes when another thread unloads a library meanwhile.
    static let images = ImageMap.capture()
}

/// The functions of a call.
struct CalledFunctions: Sendable {
    /// What was called of this package, such as `SecItemAdd`.
    private(set) var called: String?

    /// Who called it, and where.
    private(set) var caller: String?
    private(set) var callerAddress: UInt64?

    /// How deep in the stack the caller is, and its own callers in the program.
    private(set) var callerIndices: [Int] = []

    /// The program's functions on the stack, demangled.
    private(set) var stack: [String] = []

    /// The functions by their demangled names.
    init(stack: [String]) { self.stack = stack }

    /// The functions that addresses lie in: those of this package, until its nearest caller, and those of the program.
    init(_ addresses: [UInt64]) {
        for (index, address) in addresses.enumerated() {
            var isInProgram: CInt = 0
            guard let name = keychain_function_name(UInt(address), &isInProgram) else { continue }
            let symbol = Self.symbol(String(cString: name))
            let isOurs = PackageSymbols.contains(symbol.rawName)
            guard isOurs || isInProgram != 0, !symbol.isSwiftThunk else { continue }
            // In full: the name of a symbol leaves out modules.
            let demangled = Self.demangled(symbol.rawName)
            let function = FunctionName(demangled: demangled)
            if isOurs {
                if caller == nil { called = function.called }
            } else if !function.isSystemService {
                if caller == nil { (caller, callerAddress) = (function.description, address) }
                callerIndices.append(index)
                stack.append(demangled)
            }
        }
    }

    private static func demangled(_ name: String) -> String {
        guard let text = demangle(name, UInt(name.utf8.count), nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }

    private static func symbol(_ rawName: String) -> SymbolicatedBacktrace.Symbol {
        SymbolicatedBacktrace.Symbol(imageIndex: 0, imageName: "", rawName: rawName, offset: 0, sourceLocation: nil)
    }
}

/// Of Swift's runtime library: a text that the caller frees, `nil` for what is no name of Swift.
@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>,
    _ length: UInt,
    _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<UInt>?,
    _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// What belongs to this package.
enum PackageSymbols {
    static func contains(_ symbol: SymbolicatedBacktrace.Symbol) -> Bool {
        if let path = symbol.sourceLocation?.path, path.hasPrefix(sources) { return true }
        return contains(symbol.rawName)
    }

    static func contains(_ rawName: String) -> Bool { prefixes.contains { rawName.hasPrefix($0) } }

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
}
