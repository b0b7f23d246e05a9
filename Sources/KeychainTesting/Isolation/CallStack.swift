// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Glibc
import KeychainTrace
import Runtime
import Synchronization

/// The stack of a call, captured on the caller's thread.
///
/// Function names are available at once; lines are looked up later on another thread, because the first lookup takes
/// seconds.
struct CallStack: Sendable {
    /// Identifies a stack.
    let addresses: [UInt64]

    /// The functions on it.
    let functions: CalledFunctions

    /// The addresses of the program's functions, beginning with the nearest caller.
    ///
    /// The whole stack, if none of its functions is known.
    var callerAddresses: [UInt64] {
        let indices = functions.callerIndices
        return indices.isEmpty ? addresses : indices.map { addresses[$0] }
    }

    /// The frames of the addresses.
    private let frames: [Backtrace.Frame]

    /// The stack of the caller.
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

    /// How many callers are tried: the compiler records no line for some, such as for the argument of an assertion.
    private static let candidates = 3

    /// The callers of this function: those on the stack of the thread, and the continuations of an asynchronous
    /// function.
    @inline(never)
    private static func callers() -> [Backtrace.Frame] {
        let addresses = [UInt](unsafeUninitializedCapacity: most) { $1 = keychain_unwind_stack($0.baseAddress, most) }
        let stack = addresses.map { Backtrace.Frame.returnAddress(Backtrace.Address(UInt64($0))) }
        return Array((stack + continuations()).prefix(most))
    }

    /// The continuations of the asynchronous function on the stack; empty if there is none.
    ///
    /// `Backtrace` finds them as well, but follows invalid frame pointers, and reads one frame ahead.
    @inline(never)
    private static func continuations() -> some Sequence<Backtrace.Frame> {
        let isWalkable = keychain_walkable_frames(most + 1) > most
        let backtrace = isWalkable ? try? Backtrace.capture(limit: most, top: 0, images: images) : nil
        let frames = backtrace.map { $0.frames.filter { $0.addressOfCall != nil } } ?? []
        return frames.drop { if case .asyncResumePoint = $0 { false } else { true } }
    }

    /// The line of the nearest caller outside of this package.
    ///
    /// It takes up to several seconds where no tool reads debug information. `nil` in a program without any, and where
    /// the compiler recorded no line.
    func findLocation() -> CallLocation? {
        for index in functions.callerIndices.prefix(Self.candidates) {
            let caller = symbolicated(index).first {
                !$0.isOfPackage && !$0.isGenerated && !PackageSymbols.contains($0.symbol)
            }
            if let caller { return CallLocation(path: caller.path, line: caller.line, column: caller.column) }
        }
        return nil
    }

    /// The functions at an address: by a tool, else by Swift's runtime library, which reads the lines of the whole
    /// program.
    private func symbolicated(_ index: Int) -> [Symbolizer.Frame] {
        if let found = ProgramAddress(UInt(addresses[index])).flatMap(Symbolizer.frames) { return found }
        let backtrace = Backtrace(frame: frames[index])?.symbolicated(with: Self.images)
        return backtrace?.frames.compactMap { $0.symbol.flatMap(Symbolizer.Frame.init) } ?? []
    }

    /// The images that are mapped when the program starts; libraries that are loaded later are not expected to call the
    /// keychain.
    ///
    /// Making such a map reads all mapped libraries. A capture without one makes its own, and crashes if another thread
    /// unloads a library meanwhile.
    static let images = ImageMap.capture()
}

/// The functions of a call.
struct CalledFunctions: Sendable {
    /// The function of this package that was called, such as `SecItemAdd`.
    private(set) var called: String?

    /// Its caller.
    private(set) var caller: String?
    private(set) var callerAddress: UInt64?

    /// The caller's position in the stack, and its own callers in the program.
    private(set) var callerIndices: [Int] = []

    /// The program's functions on the stack, demangled.
    private(set) var stack: [String] = []

    /// The paths of the same functions, as ``FunctionName/path`` has them.
    private(set) var paths: [String] = []

    /// The functions by their demangled names.
    init(stack: [String]) {
        self.stack = stack
        paths = stack.map { FunctionName(demangled: $0).path }
    }

    /// The functions that addresses lie in: those of this package, until its nearest caller, and those of the program.
    init(_ addresses: [UInt64]) {
        for (index, address) in addresses.enumerated() {
            var isInProgram: CInt = 0
            guard let name = keychain_function_name(UInt(address), &isInProgram) else { continue }
            let symbol = Self.symbol(String(cString: name))
            let isOurs = PackageSymbols.contains(symbol.rawName)
            guard isOurs || isInProgram != 0, !symbol.isSwiftThunk else { continue }
            // The full name: the name of a symbol omits modules.
            let demangled = Self.demangled(symbol.rawName)
            let function = FunctionName(demangled: demangled)
            if isOurs {
                if caller == nil { called = function.called }
            } else if !function.isOfSystem {
                if caller == nil { (caller, callerAddress) = (function.description, address) }
                callerIndices.append(index)
                stack.append(demangled)
                paths.append(function.path)
            }
        }
    }

    /// The name as source code has it; the same for one that is not Swift's.
    static func demangled(_ name: String) -> String {
        guard let text = demangle(name, UInt(name.utf8.count), nil, nil, 0) else { return name }
        defer { free(text) }
        return String(cString: text)
    }

    private static func symbol(_ rawName: String) -> SymbolicatedBacktrace.Symbol {
        SymbolicatedBacktrace.Symbol(imageIndex: 0, imageName: "", rawName: rawName, offset: 0, sourceLocation: nil)
    }
}

extension Symbolizer.Frame {
    /// `nil` for a function without a line.
    fileprivate init?(_ symbol: SymbolicatedBacktrace.Symbol) {
        guard let found = symbol.sourceLocation, found.line > 0, found.path.hasPrefix("/") else { return nil }
        self.init(symbol: symbol.rawName, path: found.path, line: found.line, column: found.column)
    }
}

/// Declared by Swift's runtime library: returns text that the caller frees, or `nil` if it is not a Swift name.
@_silgen_name("swift_demangle")
private func demangle(
    _ name: UnsafePointer<CChar>,
    _ length: UInt,
    _ output: UnsafeMutablePointer<CChar>?,
    _ outputSize: UnsafeMutablePointer<UInt>?,
    _ flags: UInt32
) -> UnsafeMutablePointer<CChar>?

/// Whether something belongs to this package.
enum PackageSymbols {
    static func contains(_ rawName: String) -> Bool { prefixes.contains { rawName.hasPrefix($0) } }

    /// The prefixes of the symbols of this package's modules, for frames without a line.
    private static let prefixes =
        [
            "KeychainServices", "PortableSecurity", "Security", "LocalAuthenticationServices",
            "PortableLocalAuthentication", "LocalAuthentication",
            "CryptoKit", "Keychain", "KeychainRecipes", "KeychainSimulation", "KeychainTesting", "KeychainCore",
            "KeychainEngine",
        ].flatMap { name in ["$s\(name.utf8.count)\(name)"] } + ["keychain_", "swift_keychain_"]
}
