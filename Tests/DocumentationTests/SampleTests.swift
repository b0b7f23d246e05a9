// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// The samples of the documentation are compiled: each stands, line by line, in Swift files of this repository.
///
/// `Samples` has those that stand nowhere else. Indentation, comments, imports and access levels may differ, and
/// between two lines of a sample the file may have a few more; where a sample has an ellipsis, anything. What needs a
/// package of its own stands in `Tests/Graphs`, which `Scripts/test-graphs` builds (``GraphSamples``).
@Suite("Samples of the documentation")
struct SampleTests {
    @Test("every sample is compiled")
    func samples() throws {
        let compiled = try CompiledLines.all.get()
        let samples = try Sample.all()
        var inGraphs: [String] = []
        for sample in samples where !sample.isPartOfAManifest {
            for part in sample.parts where !compiled.contain(part) {
                if let graph = try GraphSamples(of: sample)?.graph(with: part) {
                    inGraphs.append("\(sample.place.split(separator: ":")[0]): \(graph)")
                } else {
                    Issue.record("\(sample.place): not compiled: \(part.joined(separator: "\n"))")
                }
            }
        }
        #expect(samples.count > 60)
        #expect(inGraphs.sorted() == GraphSamples.ofCode)
    }

    @Test("every sample of a manifest says what that of a graph says")
    func manifests() throws {
        let samples = try Sample.all().filter(\.isPartOfAManifest)
        for sample in samples {
            let missing = try #require(try GraphSamples(of: sample), "\(sample.place): no graph").missing(sample)
            #expect(missing == [], "\(sample.place): in no manifest of its graphs")
        }
        #expect(samples.count > 6)
    }

    @Test("what a manifest does not say is found, and its layout does not matter")
    func manifestText() {
        let manifest = ManifestText(lines: [".target(", "    name: \"A\", // b", "    path: \"b\",", ")"])
        for line in [#"name: "A",   // c"#, #".target(name:"A", path: "b"),"#, #".target(name: …, path: "b")"#, "),"] {
            #expect(manifest.contains(line), "\(line)")
        }
        for line in [#"name: "B""#, #"path: "b", name: "A""#, #".target(name: …, sources: ["b"])"#] {
            #expect(!manifest.contains(line), "\(line)")
        }
    }

    @Test("a sample that is not compiled is found")
    func missing() throws {
        let compiled = try CompiledLines.all.get()
        #expect(!compiled.contain(["let device = try VirtualDevice()", "device.explode()"]))
    }

    @Test("every product that a sample names is one of the manifest")
    func products() throws {
        let manifest = try String(contentsOfFile: "\(Repository.root)/Package.swift", encoding: .utf8)
        let products = try Sample.all().flatMap(\.lines).flatMap { line in
            line.matches(of: /name: "([A-Za-z]+)", package: "swift-keychain"/).map { String($0.1) }
        }
        for product in products {
            #expect(
                manifest.contains(".library(name: \"\(product)\"") || manifest.contains(".plugin(name: \"\(product)\"")
            )
        }
        #expect(products.contains("KeychainTesting"))
    }
}
