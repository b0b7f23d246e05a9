// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainEngine
import KeychainHost

/// What it costs to explain a call that finds nothing, beside reading the attributes of all items of the class.
struct ExplanationRun {
    let size: Int
    let rounds: Int
    let scratch: Scratch

    private static let client = Client(accessGroups: EngineSubject.groups)

    func run(_ report: inout Report) throws {
        print(Report.explanationHeading(size: size, rounds: rounds))
        let keychain = EmbeddedKeychain(at: KeychainLocation(path: scratch.path("explanations")))
        for number in 0..<size {
            let item: PropertyDictionary = [
                "class": .string("genp"), "svce": .string("com.example.auth"), "acct": .string("user-\(number)"),
                "v_Data": .data(SecretBytes([UInt8](repeating: 7, count: 32))),
            ]
            _ = try keychain.perform(KeychainRequest(.add(item), client: Self.client))
        }
        let every: PropertyDictionary = [
            "class": .string("genp"), "m_Limit": .string("m_LimitAll"), "r_Attributes": .boolean(true),
        ]
        let query: PropertyDictionary = [
            "class": .string("genp"), "svce": .string("com.example.auth"), "acct": .string("user-\(size / 2)"),
            "labl": .string("auth-token"), "r_Data": .boolean(true),
        ]
        var samples = Samples(participants: 3)
        for round in -1..<rounds {
            let times = [
                try time { _ = try keychain.perform(KeychainRequest(.copyMatching(every), client: Self.client)) },
                try time { try explain(query, on: keychain, every: nil) },
                try time { try explain(query, on: keychain, every: true) },
            ]
            for (index, time) in times.enumerated() where round >= 0 { samples.append([.processor: time], index) }
        }
        let median = { samples.median(.processor, $0) }
        print(report.explanation("reading all attributes", took: median(0), atMost: nil))
        print(report.explanation("explanation", took: median(1), atMost: 50e6))
        print(report.explanation("explanation that opens every item", took: median(2), atMost: 3 * median(0)))
    }

    private func explain(_ query: PropertyDictionary, on keychain: EmbeddedKeychain, every: Bool?) throws {
        let options = ExplanationOptions(scope: .owner, comparesEveryItem: every)
        let call = KeychainRequest(.copyMatching(query), client: Self.client)
        let explanation = try keychain.explain(ExplanationRequest(call, options))
        guard explanation.search?.terms.first(where: { $0.key == "labl" })?.ruledOutAlone == 1 else {
            throw Failure("the item was not found")
        }
    }

    private func time(_ body: () throws -> Void) rethrows -> Double {
        let start = Clock.processor.now
        try body()
        return Clock.processor.now - start
    }
}
