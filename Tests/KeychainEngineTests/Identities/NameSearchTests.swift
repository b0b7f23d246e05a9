// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainEngine

/// The search for names above others.
struct NameSearchTests {
    /// Names, each with those that follow it, and how many were looked at.
    private final class Graph {
        var followers: [[UInt8]: [[UInt8]]] = [:]
        private(set) var lookedAt = 0

        /// How many pairs there are of a name and one that follows it.
        var size: Int { followers.values.reduce(0) { $0 + $1.count } }

        func follow(_ name: String, _ others: [String]) { followers[Array(name.utf8)] = others.map { Array($0.utf8) } }

        func leads(from name: [UInt8], _ search: inout NameSearch) -> Bool {
            let leads = try? search.isReachable(from: name, within: 10) { name in
                let found = followers[name, default: []]
                lookedAt += found.count
                return found
            }
            return leads ?? false
        }

        /// The same as the specification says it: level by level.
        func leadsByLevels(from name: [UInt8], to wanted: Set<[UInt8]>) -> Bool {
            var level: Set = [name]
            for _ in 0..<10 {
                if !level.isDisjoint(with: wanted) { return true }
                level = Set(level.flatMap { followers[$0, default: []] })
            }
            return !level.isDisjoint(with: wanted)
        }
    }

    private static let wanted = Array("wanted".utf8)

    @Test("many names that lead nowhere through the same ones have each looked at a bounded number of times")
    func fruitless() {
        let graph = Graph()
        let (low, high) = ((0..<300).map { "low \($0)" }, (0..<300).map { "high \($0)" })
        for name in low { graph.follow(name, ["middle"]) }
        graph.follow("middle", high)
        for name in high { graph.follow(name, ["top"]) }
        graph.follow("top", ["middle"])
        var search = NameSearch(for: [Self.wanted])
        for name in low { #expect(!graph.leads(from: Array(name.utf8), &search)) }
        #expect(graph.lookedAt <= 10 * graph.size)
    }

    @Test("many names that lead to a wanted one past the same fruitless ones have each looked at as seldom")
    func fruitful() {
        let graph = Graph()
        for number in 0..<300 {
            graph.follow("low \(number)", ["wide", "way \(number)"])
            graph.follow("way \(number)", ["further \(number)"])
            graph.follow("further \(number)", ["wanted"])
            graph.follow("high \(number)", ["wide"])
        }
        graph.follow("wide", (0..<300).map { "high \($0)" })
        var search = NameSearch(for: [Self.wanted])
        for number in 0..<300 { #expect(graph.leads(from: Array("low \(number)".utf8), &search)) }
        #expect(graph.lookedAt <= 10 * graph.size)
    }

    @Test("it finds what a search level by level finds, in whatever order names are looked for")
    func likeLevels() {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<200 {
            let graph = Graph()
            let count = Int.random(in: 2...40, using: &random)
            for name in 0..<count {
                graph.follow(
                    "\(name)",
                    (0..<Int.random(in: 0...2, using: &random)).map { _ in
                        // Mostly the next ones, so that there are long ways.
                        "\(Bool.random(using: &random) ? name + 1 : Int.random(in: 0..<count, using: &random))"
                    }
                )
            }
            let wanted = Array("\(count - 1)".utf8)
            var search = NameSearch(for: [wanted])
            for name in (0..<count).shuffled(using: &random) {
                let bytes = Array("\(name)".utf8)
                #expect(graph.leads(from: bytes, &search) == graph.leadsByLevels(from: bytes, to: [wanted]))
            }
        }
    }
}
