// SPDX-License-Identifier: Apache-2.0

import Testing

/// A defect, and the rules that tell it from a keychain.
struct Defect: Sendable, CustomTestStringConvertible {
    let name: String
    let broken: [String]
    let plant: @Sendable (inout DefectiveFunctions) -> Void

    init(
        _ name: String,
        breaks broken: String...,
        plant: @escaping @Sendable (inout DefectiveFunctions) -> Void
    ) {
        self.name = name
        self.broken = broken
        self.plant = plant
    }

    var testDescription: String { name }

    /// The functions with the defect.
    var functions: DefectiveFunctions {
        var functions = DefectiveFunctions()
        plant(&functions)
        return functions
    }

    static let all = synchronization + updates + secrets + others + gluedKeys

    private static let gluedKeys = GluedKey.all.map { key in
        Defect("the key is \(key.name)", breaks: "key without separators") { $0.glue(key.glue) }
    }
}
