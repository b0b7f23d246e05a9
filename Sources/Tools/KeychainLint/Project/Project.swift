// SPDX-License-Identifier: Apache-2.0

/// Files other than Swift's, and the programs that the Swift files form.
package struct Project: Sendable {
    package var files: [TextFile]
    package var modules: [ModuleFacts]
    /// Jobs of CI systems, and scripts.
    package let jobs: [ShellJob]
    package let xcodeProjects: [XcodeProject]
    let entitlements: [EntitlementsText]
    let manifests: Manifests
    /// Whether all CI jobs run on machines that are thrown away; nil: what each job says.
    var hostedRunners: Bool?

    /// Whether a job runs on a machine that is thrown away.
    func isHosted(_ job: ShellJob) -> Bool { hostedRunners ?? job.isOnHostedRunner }

    init(files: [TextFile], modules: [ModuleFacts], manifests: Manifests, parser: any SourceParser) {
        self.files = files
        self.modules = modules
        self.manifests = manifests
        entitlements = files.filter { $0.path.hasSuffix(".entitlements") }.map { EntitlementsText($0) }
        jobs = files.flatMap { ShellJob.jobs($0, parser) }
        xcodeProjects = files.filter { $0.path.hasSuffix(".pbxproj") }.compactMap { XcodeProject($0, in: files) }
    }

    /// A file that is read as text.
    package struct TextFile: Sendable {
        package var path: String
        package var text: String

        package var lines: [Substring] {
            text.split(separator: "\n", omittingEmptySubsequences: false).map {
                $0.hasSuffix("\r") ? $0.dropLast() : $0
            }
        }

        package var name: Substring { path.split(separator: "/").last ?? "" }
    }

    /// The entitlements of the programs that compile a Swift file; empty if unknown for any of them.
    func entitlements(of path: String) -> [EntitlementsText] {
        guard !entitlements.isEmpty else { return [] }
        var result: [EntitlementsText] = []
        let all = Dictionary(entitlements.map { ($0.path, $0) }) { first, _ in first }
        for xcode in xcodeProjects {
            for target in xcode.targets where target.compiles(path) {
                for configuration in target.configurations {
                    guard let found = xcode.entitlementsPath(configuration).flatMap({ all[$0] }) else { return [] }
                    result.append(found)
                }
            }
        }
        return result
    }

    /// Calls of item functions outside of tests, with their functions and programs.
    var sites: [(site: Site, facts: FunctionFacts)] {
        modules.flatMap { module in
            module.functions.filter { !$0.isTest }.flatMap { facts in facts.reported.map { ($0, facts) } }
        }
    }
}
