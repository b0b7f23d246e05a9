// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// `keychainctl test` in a process of its own, with a scratch package and a package manager that only says what it was
/// told.
struct TestCommandTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("manager/script", Self.manager)
        // Written by another process: what this one has open for writing, a child that another test starts meanwhile
        // has open as well, and the kernel executes no such file.
        let copy = #"cp "$1" "$2" && chmod 700 "$2""#
        let (status, output) = try ControlProcess.run(
            ["sh", "-c", copy, "sh", path("manager/script"), path("manager/swift")],
            folder
        )
        #expect(status == 0, "\(output)")
        try write("toolsets/toolset.json", "{}")
        try write("toolsets/toolset-explicit.json", "{}")
        try write("toolsets/toolset-CryptoKit.json", "{}")
        try write("toolsets/toolset-CoreFoundation.json", "{}")
        try write("toolsets/toolset-os.json", "{}")
        try write("toolsets/toolset-CommonCrypto.json", "{}")
        try describe(dependencies: [])
        try source("import Foundation")
    }

    /// Answers what is asked of a package manager; as `swift test` it tells its surroundings, and fails with status 3.
    private static let manager = """
        #!/bin/sh
        case "$1 $2 $3" in
            "package describe"*) cat "$ROOT/describe.json" ;;
            "package show-dependencies"*) echo "Fetching"; cat "$ROOT/graph.json" ;;
            "build --show-bin-path"*) shift 2; echo "build $*" >> "$ROOT/asked"; echo "$ROOT/.build/debug" ;;
            "test "*)
                echo "swift $*"
                env | grep ^SWIFT_KEYCHAIN_ | sort
                [ ! -e "$SWIFT_KEYCHAIN_ENTITLEMENTS" ] || cat "$SWIFT_KEYCHAIN_ENTITLEMENTS"
                [ -z "$SWIFT_KEYCHAIN_UNLOCK_FD" ] || security add-generic-password -a ada -s tool -w s3cret && echo added
                ls -d "$SWIFT_KEYCHAIN_HOME" >/dev/null 2>&1 && echo "there is a keychain"
                exit 3 ;;
            *) echo "unexpected: $*"; exit 70 ;;
        esac
        """

    private func path(_ name: String) -> String { folder.path(of: name) }

    private func write(_ name: String, _ text: String) throws {
        let url = URL(fileURLWithPath: path(name))
        let parent = url.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: parent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: url)
    }

    private func source(_ text: String) throws { try write("package/Sources/Locker/Locker.swift", text) }

    private func describe(dependencies: [String] = [], source: String = "Locker.swift") throws {
        let list = dependencies.map { #"{"identity": "\#($0)"}"# }.joined(separator: ",")
        try write(
            "describe.json",
            """
            {"name": "Locker", "path": "\(path("package"))", "dependencies": [\(list)],
             "targets": [{"name": "Locker", "path": "Sources/Locker", "sources": ["\(source)"]}]}
            """
        )
        let graph = dependencies.map {
            #"{"identity": "\#($0)", "path": "\#(path($0))", "dependencies": []}"#
        }.joined(separator: ",")
        try write("graph.json", #"{"identity": "locker", "path": "\#(path("package"))", "dependencies": [\#(graph)]}"#)
    }

    private func run(
        _ arguments: String...,
        in place: String = "package",
        environment: [String] = []
    ) throws -> (status: Int32, output: String) {
        let script = #"cd "$ROOT/\#(place)" && PATH="$ROOT/manager:$PATH" && export PATH && exec keychainctl test "$@""#
        let words =
            ["env", "ROOT=\(folder.path)", "TMPDIR=\(folder.path)"] + environment + ["sh", "-c", script, "sh"]
            + ["--toolsets", path("toolsets")] + arguments
        return try ControlProcess.run(words, folder)
    }

    private func toolsets(_ output: String) -> [String] {
        let line = output.split(separator: "\n").first { $0.hasPrefix("swift test") } ?? ""
        return line.split(separator: " ").filter { $0.hasSuffix(".json") }
            .map { String($0.split(separator: "/").last ?? "") }
    }

    @Test("a package gets a toolset, a keychain of its own, an identifier and a platform, each with a reason")
    func plain() throws {
        let (status, output) = try run("--", "--filter", "Some", "-c", "release")
        #expect(status == 3, "that of swift test")
        #expect(output.contains("swift test --toolset \(path("toolsets/toolset.json")) --filter Some -c release\n"))
        #expect(toolsets(output) == ["toolset.json"])
        #expect(output.contains("SWIFT_KEYCHAIN_HOME=\(folder.path)/keychainctl-"), "not that of the caller")
        #expect(output.contains("SWIFT_KEYCHAIN_PLATFORM=iOS\n"))
        #expect(output.contains("SWIFT_KEYCHAIN_AUTHENTICATOR=none\n"))
        #expect(!output.contains("SWIFT_KEYCHAIN_ENTITLEMENTS"))
        let choices = output.split(separator: "\n").filter { $0.hasPrefix("keychainctl: ") }
        #expect(choices.count == 7)
        #expect(choices.allSatisfy { $0.split(separator: ":").count >= 3 })
        let asked = try String(contentsOfFile: path("asked"), encoding: .utf8)
        #expect(asked == "build -c release\n", "the folder of the configuration that is tested")
        let information = try Data(contentsOf: URL(fileURLWithPath: path(".build/debug/Info.plist")))
        let list = try PropertyListSerialization.propertyList(from: information, format: nil)
        #expect(list as? [String: String] == ["CFBundleIdentifier": "com.example.Locker"])
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("keychainctl-") }, "the keychain is removed")
    }

    @Test("what a person says counts, before what the environment says")
    func said() throws {
        let environment = ["SWIFT_KEYCHAIN_PLATFORM=iOS", "SWIFT_KEYCHAIN_AUTHENTICATOR=terminal"]
        let arguments = ["--platform", "macOS", "--bundle-identifier", "org.example.said"]
        let (_, said) = try run(arguments[0], arguments[1], arguments[2], arguments[3], environment: environment)
        #expect(said.contains("SWIFT_KEYCHAIN_PLATFORM=macOS\n"))
        #expect(said.contains("SWIFT_KEYCHAIN_AUTHENTICATOR=terminal\n"))
        // It stays for the next run.
        let (_, again) = try run(environment: environment)
        #expect(again.contains("SWIFT_KEYCHAIN_PLATFORM=iOS\n"))
        #expect(again.contains("bundle identifier: org.example.said, as Info.plist in the folder of the build has it"))
        #expect(try run("--platform", "tvOS").status == 2)
        #expect(try run("--bundle-identifier", "a b").status == 2)
    }

    @Test("an option of swift test that does not stand after -- is refused with the place for it")
    func optionOfSwiftTest() throws {
        let (status, output) = try run("--filter", "Some", "--", "--parallel")
        #expect(status == 2)
        #expect(output.contains("Arguments for swift test follow --: keychainctl test -- --filter Some --parallel\n"))
        #expect(try run("Some").status == 2)
        #expect(try run("--", "--platform", "--", "-h").output.contains(".json --platform -- -h\n"))
        let (_, misspelt) = try run("--plattform", "macOS", "--platform", "iOS")
        #expect(misspelt.contains("Unknown here: --plattform macOS."))
    }

    @Test("where Linux compiles the keychain code of macOS, its front end answers")
    func platform() throws {
        try source("#if !os(iOS)\nquery[kSecMatchLimit] = kSecMatchLimitAll\n#endif")
        let (_, macOS) = try run()
        #expect(macOS.contains("SWIFT_KEYCHAIN_PLATFORM=macOS\n"))
        #expect(macOS.contains("at Sources/Locker/Locker.swift:1"))
        #expect(macOS.contains("; also of virtual devices, unless a test names theirs\n"))
        try source("#if !os(macOS)\nquery[kSecMatchLimit] = kSecMatchLimitAll\n#endif")
        #expect(try run().output.contains("SWIFT_KEYCHAIN_PLATFORM=iOS\n"))
    }

    @Test("the code of dependencies counts, their tests do not")
    func dependencies() throws {
        try describe(dependencies: ["wrapper"])
        let text = "#if !os(iOS)\nquery[kSecMatchLimit] = kSecMatchLimitAll\n#endif"
        try write("wrapper/Tests/WrapperTests/Wrapper.swift", text)
        #expect(try run().output.contains("SWIFT_KEYCHAIN_PLATFORM=iOS\n"))
        try write("wrapper/Sources/Wrapper/Wrapper.swift", text)
        #expect(try run().output.contains("SWIFT_KEYCHAIN_PLATFORM=macOS\n"))
    }

    @Test("a toolset of a module is for who imports it, and that of CryptoKit not for who has swift-crypto")
    func parts() throws {
        try source("import CryptoKit\n#if canImport(os)\nimport os\n#endif")
        #expect(toolsets(try run().output) == ["toolset.json", "toolset-CryptoKit.json"])
        for text in ["import os", "import OSLog", "#if canImport(os)\nimport os\n#endif\nimport OSLog"] {
            try source(text)
            #expect(toolsets(try run().output) == ["toolset.json", "toolset-os.json"])
        }
        try source("#if canImport(CoreFoundation)\nimport CoreFoundation\n#endif")
        #expect(toolsets(try run().output) == ["toolset.json", "toolset-CoreFoundation.json"])
        try source("#if canImport(CryptoKit)\nimport CryptoKit\n#endif")
        #expect(toolsets(try run().output) == ["toolset.json", "toolset-CryptoKit.json"])
        try describe(dependencies: ["swift-crypto"])
        #expect(toolsets(try run().output) == ["toolset.json"])
    }

    @Test("a toolset of a module is also for who includes it in C, in a header or in a dependency")
    func partsOfC() throws {
        let include = "#include <CommonCrypto/CommonDigest.h>"
        try write("package/Sources/Locker/digest.c", include)
        #expect(toolsets(try run().output) == ["toolset.json"], "no source of the target")
        try describe(source: "digest.c")
        #expect(toolsets(try run().output) == ["toolset.json", "toolset-CommonCrypto.json"])
        try write("package/Sources/Locker/digest.c", "#include \"digest.h\"")
        #expect(toolsets(try run().output) == ["toolset.json"])
        try write("package/Sources/Locker/include/digest.h", include)
        let (_, output) = try run()
        #expect(toolsets(output) == ["toolset.json", "toolset-CommonCrypto.json"])
        #expect(output.contains("because Sources/Locker/include/digest.h:1 imports it"))
        try describe(dependencies: ["digests"])
        #expect(toolsets(try run().output) == ["toolset.json"])
        try write("digests/Sources/Digests/digest.m", include)
        #expect(toolsets(try run().output) == ["toolset.json", "toolset-CommonCrypto.json"])
    }

    @Test("an import that cannot compile is named with what to use instead, and the tests are run nevertheless")
    func appleOnlyModule() throws {
        try source("import Foundation\nimport MachO")
        // A demo of a dependency is not compiled, its sources are; of each module one import is named.
        try describe(dependencies: ["wrapper"])
        try write("wrapper/Demo/App.swift", "import UIKit")
        try write("wrapper/Sources/Wrapper/Wrapper.swift", "import MachO")
        let (status, output) = try run()
        #expect(status == 3)
        #expect(output.components(separatedBy: "'no such module' to expect").count == 2)
        let line = "Locker.swift:2 imports MachO, which Linux lacks; use dl_iterate_phdr of Glibc"
        #expect(output.contains(line))
    }

    @Test("the lines of a source may end as on Windows")
    func carriageReturns() throws {
        try source("import Foundation\r\nimport CryptoKit\r\n#if !os(iOS)\r\nkSecMatchLimit\r\n#endif\r\n")
        let (_, output) = try run()
        #expect(toolsets(output) == ["toolset.json", "toolset-CryptoKit.json"])
        #expect(output.contains("at Sources/Locker/Locker.swift:3"))
    }

    @Test("in a folder of a package it is that package")
    func subfolder() throws {
        try source("import CryptoKit")
        try write("package/App/App.entitlements", groups)
        let (_, output) = try run(in: "package/Sources")
        #expect(toolsets(output) == ["toolset.json", "toolset-CryptoKit.json"])
        #expect(output.contains("App/App.entitlements"))
    }

    @Test("swift-atomics gets the toolset without the names in every file, swift-keychain none")
    func graphs() throws {
        try describe(dependencies: ["swift-atomics"])
        #expect(toolsets(try run().output) == ["toolset-explicit.json"])
        // By its product, whatever its folder is called, and not by a folder's name.
        try write("fork/Package.swift", #".library(name: "PortableSecurity", targets: ["PortableSecurity"])"#)
        try describe(dependencies: ["fork"])
        #expect(toolsets(try run().output) == [])
        try describe(dependencies: ["swift-keychain"])
        #expect(toolsets(try run().output) == ["toolset.json"])
    }

    private let groups = """
        <plist version="1.0"><dict><key>keychain-access-groups</key><array>
        <string>$(AppIdentifierPrefix)$(CFBundleIdentifier)</string><string>$(TeamIdentifierPrefix)shared</string>
        </array></dict></plist>
        """

    @Test("the package's entitlements count as they do for a signed app")
    func entitlements() throws {
        try write("package/App/App.entitlements", groups)
        try write("package/App/More/Other.entitlements", groups)
        try write("package/Sandbox.entitlements", #"<plist version="1.0"><dict><key>a</key><true/></dict></plist>"#)
        let (_, output) = try run()
        for value in ["TEAMID.com.example.Locker", "TEAMID.shared", "application-identifier"] {
            #expect(output.contains(value))
        }
        #expect(output.contains("App/App.entitlements, the nearest"))
        #expect(output.contains("SWIFT_KEYCHAIN_ENTITLEMENTS=\(folder.path)/keychainctl-"))
        let settings = "DEVELOPMENT_TEAM = \"\";\n\tDEVELOPMENT_TEAM = ABCDE12345;\n"
        try write("package/App.xcodeproj/project.pbxproj", settings)
        #expect(try run().output.contains("ABCDE12345.shared"))
        #expect(try run("--prefix", "OTHER.").output.contains("OTHER.shared"))
        #expect(try !run("--without-entitlements").output.contains("shared"))
        #expect(try run("--entitlements", "nothing").output.contains("not a property list"))
        #expect(try run("--entitlements", "a", "--without-entitlements").status == 2)
    }

    @Test("variables that only a build in Xcode knows are named")
    func variables() throws {
        let groups = groups.replacingOccurrences(of: "shared", with: "$(DEVELOPMENT_TEAM).$(GROUP)${SUFFIX}")
        try write("package/App.entitlements", groups)
        let (_, output) = try run()
        #expect(output.contains("TEAMID.TEAMID.$(GROUP)"))
        #expect(
            output.contains("App.entitlements, the package's own; not known here and left as they are: GROUP, SUFFIX")
        )
    }

    @Test("with a passcode the tests run unlocked, on a keychain that is gone afterwards")
    func passcode() throws {
        let (status, output) = try run("--with-passcode")
        #expect(status == 3)
        #expect(output.contains("SWIFT_KEYCHAIN_UNLOCK_FD="))
        #expect(output.contains("added\nthere is a keychain"))
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(!left.contains { $0.hasPrefix("keychainctl-") })
    }

    @Test("without a toolset, a package or a package manager it says so")
    func missing() throws {
        try FileManager.default.removeItem(atPath: path("toolsets/toolset.json"))
        let (status, output) = try run()
        #expect(status == 1)
        #expect(output.contains("Scripts/install"))
        try write("describe.json", "nothing")
        #expect(try run().status == 1)
        try FileManager.default.removeItem(atPath: path("describe.json"))
        #expect(try run().status == 1)
    }

    @Test("options that say where a package is or how it is built are passed on, in either form")
    func arguments() {
        let arguments = SwiftTestArguments(
            all: ["--filter", "A", "--package-path=P", "-c", "release", "--scratch-path", "S", "--parallel", "-c"]
        )
        #expect(arguments.ofPackage == ["--package-path=P", "--scratch-path", "S"])
        #expect(arguments.ofBuild == ["--package-path=P", "-c", "release", "--scratch-path", "S"])
    }
}
