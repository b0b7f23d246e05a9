// SPDX-License-Identifier: Apache-2.0

import CKeychainSupport
import Foundation
import Synchronization

/// The functions of the program that are tests, with or without the trait, whether or not they have been started.
///
/// Read once from the program's symbol table, in which the macro `@Test` leaves a function for each test; its name
/// contains the mangled name of the test's function. With a compiler that names them differently this is empty, and
/// then nothing is known about tests that the trait has not started.
enum TestFunctions {
    /// Their paths, as ``FunctionName/path`` has them.
    static let paths: Set<String> = {
        final class Names: Sendable { let all = Mutex<Set<String>>([]) }
        let names = Names()
        let context = Unmanaged.passUnretained(names).toOpaque()
        withExtendedLifetime(names) {
            keychain_each_function(
                mark,
                { name, context in
                    guard let name, let context else { return }
                    let names = Unmanaged<Names>.fromOpaque(context).takeUnretainedValue()
                    _ = names.all.withLock { $0.insert(String(cString: name)) }
                },
                context
            )
        }
        return Set(names.all.withLock(\.self).compactMap(path))
    }()

    /// The suffix after the name of the test's function, in the name of the macro's function.
    private static let mark = "4TestfMp_"

    /// The path of the test for which the macro generated a function; `nil` for a part of a generated function.
    static func path(ofMacro symbol: String) -> String? {
        guard symbol.hasSuffix("FZ") else { return nil }
        let name = CalledFunctions.demangled(symbol)
        guard let start = name.range(of: "($s"), let end = name[start.upperBound...].range(of: mark) else { return nil }
        // As a function without parameters: the path does not have them.
        let function = "$s\(name[start.upperBound..<end.lowerBound])yyF"
        let demangled = CalledFunctions.demangled(function)
        return demangled == function ? nil : FunctionName(demangled: demangled).path
    }
}
