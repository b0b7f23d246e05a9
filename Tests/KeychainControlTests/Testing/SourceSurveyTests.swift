// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainControl

/// What sources say of their platform.
struct SourceSurveyTests {
    private func survey(_ text: String) -> SourceSurvey {
        var survey = SourceSurvey()
        survey.read(text, path: "File.swift")
        return survey
    }

    @Test(
        "a condition holds on a platform as the compiler says",
        arguments: [
            ("os(iOS)", true, false, false), ("os(OSX)", false, true, false), ("!os(iOS)", false, true, true),
            ("os(iOS) || os(macOS)", true, true, false), ("!os(iOS) && !os(Linux)", false, true, false),
            ("!(os(iOS) || os(macOS))", false, false, true), ("canImport(UIKit)", true, false, false),
            ("canImport(Security)", true, true, true), ("canImport(Glibc)", false, false, true),
            ("swift(>=5.9)", true, true, true), ("swift(<5)", false, false, false), ("DEBUG", true, true, true),
            ("os(iOS) && !targetEnvironment(macCatalyst)", true, false, false), ("os(", false, false, false),
            ("canImport(Foundation, _version: 1)", true, true, true), ("FLAG", false, false, false),
            ("", false, false, false), ("os(macOS)   // the other", false, true, false),
        ]
    )
    func condition(_ text: String, iOS: Bool, macOS: Bool, linux: Bool) {
        let condition = CompilationCondition(text: text[...])
        #expect(condition.holds(on: .iOS) == iOS)
        #expect(condition.holds(on: .macOS) == macOS)
        #expect(condition.holds(on: .linux) == linux)
    }

    @Test(
        "keychain code for everything but iOS is the branch of macOS, on Linux too",
        arguments: [
            "#if !os(iOS)\nquery[kSecMatchLimit] = 1\n#endif",
            "#if os(iOS)\n#else\nquery[kSecMatchLimit] = 1\n#endif",
            "#if os(iOS)\nquery[kSecReturnData] = true\n#endif",
            "#if os(iOS) || os(tvOS)\nlet a = 1\n#elseif DEBUG\nSecItemDelete(q)\n#endif",
            "#if !os(iOS)\nlet type = \"*/*\"\nSecItemAdd(q)  // */\n#endif /* */",
            "#if !os(iOS)  // \"\nlet type = #\"a/*\"# + \"\\(\"/*\")/*\"\nSecItemAdd(q)\n#endif",
            "#if !os(iOS)\nlet broken = \"/*\nSecItemAdd(q)\n#endif",
        ]
    )
    func macOS(_ text: String) {
        #expect(survey(text).macOSBranches == [SourceSurvey.Place(path: "File.swift", line: 1)])
        #expect(survey(text).iOSBranches == [])
    }

    @Test(
        "keychain code for everything but macOS is the branch of iOS, on Linux too",
        arguments: [
            "#if !os(macOS)\nquery[kSecMatchLimit] = 1\n#endif",
            "#if os(macOS)\nSecItemDelete(q)\n#else\nlet a = 1\n#endif",
        ]
    )
    func iOS(_ text: String) {
        #expect(survey(text).iOSBranches == [SourceSurvey.Place(path: "File.swift", line: 1)])
        #expect(survey(text).macOSBranches == [])
    }

    @Test(
        "what is the same for both, not about the keychain or not compiled at all says nothing",
        arguments: [
            "#if os(iOS)\nimport UIKit\n#else\nimport AppKit\n#endif",
            "#if os(iOS) || os(macOS)\nSecItemAdd(q)\n#endif",
            "#if os(Linux)\nSecItemAdd(q)\n#elseif os(iOS)\nlet a = 1\n#endif",
            "#if canImport(UIKit) || canImport(AppKit)\n#if !os(iOS)\nSecItemAdd(q)\n#endif\n#endif\n",
            "#endif\n#else\n#elseif os(iOS)",
            "/*\n#if !os(iOS)\nSecItemAdd(q)\n#endif\n*/",
            "/* nested /*\n#if !os(iOS)\n*/\nSecItemAdd(q)\n#endif\n*/",
            "let code = \"\"\"\n#if !os(iOS)\nSecItemAdd(q)\n#endif\n\"\"\"",
            "#if !os(iOS)\nlet a = 1  // not SecItemAdd(q)\n#endif",
        ]
    )
    func neither(_ text: String) {
        let survey = survey(text)
        #expect(survey.iOSBranches == [])
        #expect(survey.macOSBranches == [])
    }

    @Test("imports are found with their attributes and kinds, those without a condition first")
    func imports() throws {
        let survey = survey(
            """
            #if canImport(CryptoKit)
            @preconcurrency import CryptoKit
            #endif
              @testable internal import struct os.Logger
            import Foundation;
            // import Nothing
            @_exported public import CryptoKit
            """
        )
        #expect(survey.imports.keys.sorted() == ["CryptoKit", "Foundation", "os"])
        let cryptoKit = try #require(survey.imports["CryptoKit"])
        #expect(!cryptoKit.isGuarded)
        #expect(cryptoKit.place.description == "File.swift:7")
    }

    @Test("an include of C counts as an import, and one that depends on the platform as a guarded one")
    func includes() throws {
        func found(_ text: String) -> (place: SourceSurvey.Place, isGuarded: Bool)? {
            var survey = SourceSurvey()
            survey.readC(text, path: "digest.c", modules: ["CommonCrypto"])
            return survey.imports["CommonCrypto"]
        }
        let plain = try #require(
            found("#ifndef DIGEST_H\n#define DIGEST_H\n# include <CommonCrypto/CommonDigest.h>\n#endif")
        )
        #expect(!plain.isGuarded && plain.place.description == "digest.c:3")
        #expect(found("#import <CommonCrypto/CommonHMAC.h>")?.isGuarded == false)
        #expect(found("@import CommonCrypto;")?.isGuarded == false)
        let guards = ["#ifdef __APPLE__", "#if __has_include(<CommonCrypto/CommonDigest.h>)", "#if TARGET_OS_MAC"]
        for line in guards {
            #expect(found("\(line)\n#include <CommonCrypto/CommonDigest.h>\n#endif")?.isGuarded == true)
            #expect(found("\(line)\n#endif\n#include <CommonCrypto/CommonDigest.h>")?.isGuarded == false)
        }
        #expect(found("#include \"CommonCrypto.h\"\n// <CommonCrypto/") == nil)
    }

    @Test("a module of Apple's alone is found where Linux compiles its import, and once")
    func appleOnly() {
        let survey = survey(
            """
            #if canImport(UIKit)
            import UIKit
            #endif
            #if os(Linux)
            import MachO
            #else
            import Darwin
            #endif
            import System
            @_implementationOnly import struct System.FilePath
            import Foundation
            """
        )
        #expect(survey.appleOnlyImports.map(\.module) == [.machO, .system])
        #expect(survey.appleOnlyImports.map(\.place.line) == [5, 9])
    }

    @Test(
        "the first attribute for Objective-C is found where Linux compiles it",
        arguments: ["@objc", "@objcMembers", "@objc(name:)"]
    )
    func objectiveC(_ attribute: String) {
        let text = """
            #if canImport(ObjectiveC)
            @objc
            #endif
            // @objc in a comment
            let objc = "of @objcish"
            public \(attribute) class A {}
            @objc class B {}
            """
        #expect(survey(text).objectiveCDeclaration == SourceSurvey.Place(path: "File.swift", line: 6))
        #expect(survey("class A {}").objectiveCDeclaration == nil)
    }
}
