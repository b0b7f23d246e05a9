// SPDX-License-Identifier: Apache-2.0

// A table of cases; longer than most files for that reason.

import Foundation
import Testing

@testable import Conformance

/// A case given as its steps, and where it must fail if it must.
struct Trial: Sendable, CustomTestStringConvertible {
    var name: String
    var steps: [String]
    var profile = "dp-ios"
    var failingStep: Int?
    var words = ""

    init(
        _ name: String,
        _ steps: [String],
        profile: String = "dp-ios",
        at failingStep: Int? = nil,
        words: String = ""
    ) {
        self.name = name
        self.steps = steps
        self.profile = profile
        self.failingStep = failingStep
        self.words = words
    }

    var testDescription: String { name }

    func testCase() throws -> Case {
        let steps = steps.joined(separator: ",")
        let line = #"{"id":"x","title":"t","topic":"t","source":"s","profile":"\#(profile)","steps":[\#(steps)]}"#
        return try #require(try CaseFile.parse(line, file: name).first)
    }

    func run(_ subject: Subject = .memory) throws -> Outcome {
        CaseRunner(subject: subject).run(try testCase())
    }
}

struct BadLine: Sendable, CustomTestStringConvertible {
    var line: String
    var words: String

    var testDescription: String { line }
}

private let query = #""kSecClass":"kSecClassGenericPassword""#
private let added = #"{"op":"add","args":\#(Trial.item)}"#

/// A copy that expects this result when it asks for this.
private func copy(_ question: String, _ expectation: String) -> String {
    #"{"op":"copy","args":{\#(query),\#(question)},"expect":\#(expectation)}"#
}

private let data = #""kSecReturnData":true"#

/// A copy that expects this of the data.
private func dataIs(_ matcher: String) -> String {
    copy(data, #"{"result":\#(matcher)}"#)
}

private let dataIsLocked = copy(data, #"{"status":"errSecInteractionNotAllowed","result":null}"#)

/// A copy that expects this of the attributes.
private func attributesAre(_ matcher: String) -> String {
    copy(#""kSecReturnAttributes":true"#, #"{"result":\#(matcher)}"#)
}

/// Adds the item and saves its creation date as `c`.
private let addedWithDate = #"""
    {"op":"add","args":\#(Trial.item.dropLast()),"kSecReturnAttributes":true},"save":{"c":"kSecAttrCreationDate"}}
    """#

private func protected(_ flags: String, _ protection: String = "kSecAttrAccessibleWhenUnlocked") -> String {
    let accessControl = #"{"accessControl":{"protection":"\#(protection)","flags":[\#(flags)]}}"#
    return #"{"op":"add","args":{\#(query),"kSecAttrAccessControl":\#(accessControl),"kSecValueData":{"data":"eA=="}}}"#
}

extension Trial {
    /// An item that can be added to an empty keychain.
    static let item = #"{"kSecClass":"kSecClassGenericPassword","kSecAttrAccount":"a","kSecValueData":{"data":"eA=="}}"#

    static let right: [Trial] = [
        Trial("add and read back", [added, dataIs(#"{"type":"data","equals":{"data":"eA=="}}"#)]),
        Trial("any of several statuses", [copy(data, #"{"status":["errSecParam",-25300]}"#)]),
        Trial("no result", [copy(data, #"{"status":"errSecItemNotFound","result":null}"#)]),
        Trial("a member equals a bare value", [added, attributesAre(#"{"contains":{"kSecAttrAccount":"a"}}"#)]),
        Trial("a raw key", [added, attributesAre(#"{"contains":{"raw:acct":"a"},"absent":["raw:labl"]}"#)]),
        Trial(
            "a saved member is used again",
            [
                addedWithDate,
                attributesAre(#"{"contains":{"kSecAttrCreationDate":{"equals":{"var":"c"}}}}"#),
            ]
        ),
        Trial(
            "an access control that is refused",
            [
                #"""
                {"op":"createAccessControl","args":{"protection":"nonsense","flags":[]},\#
                "expect":{"status":"errSecParam","result":null}}
                """#
            ]
        ),
        Trial(
            "a client without groups",
            [
                #"{"op":"setGroups","args":{"groups":[]}}"#,
                #"{"op":"add","args":\#(item),"expect":{"status":"errSecMissingEntitlement"}}"#,
            ]
        ),
        Trial("locked and unlocked", [added, #"{"op":"lock"}"#, dataIsLocked, #"{"op":"unlock"}"#, copy(data, "{}")]),
        Trial("the macOS profile", [added, attributesAre(#"{"type":"dictionary"}"#)], profile: "dp-macos"),
    ]

    static let wrong: [Trial] = [
        Trial("wrong status", [added, copy(data, #"{"status":"errSecParam"}"#)], at: 1, words: "errSecSuccess (0)"),
        Trial(
            "none of several statuses",
            [added, copy(data, #"{"status":["errSecParam",-4]}"#)],
            at: 1,
            words: " or "
        ),
        Trial(
            "a step without expect must succeed",
            [#"{"op":"delete","args":{\#(query)}}"#],
            at: 0,
            words: "errSecItemNotFound"
        ),
        Trial("a step with only a result must succeed", [dataIs(#"null"#)], at: 0, words: "errSecItemNotFound"),
        Trial("duplicate", [added, added], at: 1, words: "errSecDuplicateItem"),
        Trial("wrong data", [added, dataIs(#"{"equals":{"data":"eQ=="}}"#)], at: 1, words: "data of 1 byte \"x\""),
        Trial("data is no string", [added, dataIs(#"{"equals":"x"}"#)], at: 1, words: "string \"x\""),
        Trial("wrong type", [added, dataIs(#"{"type":"dictionary"}"#)], at: 1, words: "type dictionary"),
        Trial("a result where none is due", [added, dataIs(#"null"#)], at: 1, words: "no result"),
        Trial(
            "no result where one is due",
            [#"{"op":"delete","args":{\#(query)},"expect":{"status":-25300,"result":{"type":"any"}}}"#],
            at: 0,
            words: "no result"
        ),
        Trial("wrong length", [added, dataIs(#"{"length":2}"#)], at: 1, words: "2 bytes"),
        Trial("wrong prefix", [added, dataIs(#"{"prefix":{"data":"eQ=="}}"#)], at: 1, words: "starting with"),
        Trial(
            "missing member",
            [added, attributesAre(#"{"contains":{"kSecAttrLabel":"l"}}"#)],
            at: 1,
            words: "kSecAttrLabel"
        ),
        Trial(
            "wrong member",
            [added, attributesAre(#"{"contains":{"kSecAttrAccount":"b"}}"#)],
            at: 1,
            words: "kSecAttrAccount"
        ),
        Trial(
            "a member that should be absent",
            [added, attributesAre(#"{"absent":["kSecAttrAccount"]}"#)],
            at: 1,
            words: "no member"
        ),
        Trial(
            "a string is no data",
            [added, attributesAre(#"{"contains":{"kSecAttrAccount":{"type":"data"}}}"#)],
            at: 1,
            words: "type data"
        ),
        Trial(
            "a date that equals what it should not",
            [
                addedWithDate,
                attributesAre(#"{"contains":{"kSecAttrCreationDate":{"notEquals":{"var":"c"}}}}"#),
            ],
            at: 1,
            words: "anything but"
        ),
        Trial(
            "a date that is not later",
            [
                added,
                #"{"op":"copy","args":{\#(query),"kSecReturnAttributes":true},"save":{"c":"kSecAttrCreationDate"}}"#,
                attributesAre(#"{"contains":{"kSecAttrCreationDate":{"after":{"var":"c"}}}}"#),
            ],
            at: 2,
            words: "a date after"
        ),
        Trial(
            "wrong constant",
            [#"{"op":"constant","args":{"name":"kSecClass"},"expect":{"result":{"equals":"klass"}}}"#],
            at: 0,
            words: "klass"
        ),
        Trial(
            "wrong message",
            [#"{"op":"errorMessage","args":{"code":0},"expect":{"result":{"equals":"?"}}}"#],
            at: 0,
            words: "No error."
        ),
        Trial(
            "an access control that should be refused",
            [
                #"{"op":"createAccessControl","args":{"protection":"ak","flags":[]},"expect":{"status":"errSecParam"}}"#
            ],
            at: 0,
            words: "errSecSuccess"
        ),

        Trial(
            "a passcode that is refused",
            [#"{"op":"unlock","args":{"passcode":"wrong"}}"#],
            at: 0,
            words: "errSecAuthFailed"
        ),
        Trial("no prompt", [#"{"op":"prompts","expect":{"result":{"count":1}}}"#], at: 0, words: "an array of 1"),
        Trial(
            "a context without anything to show",
            [
                #"{"op":"setBiometry","args":{"kind":"none"}}"#,
                #"{"op":"newContext","save":"c"}"#,
                #"{"op":"canEvaluatePolicy","args":{"context":{"var":"c"},"policy":"deviceOwnerAuthenticationWithBiometrics"}}"#,
            ],
            at: 2,
            words: "-6"
        ),

        // cases that cannot be run
        Trial("unknown operation", [added, #"{"op":"explode"}"#], at: 1, words: "unknown operation \"explode\""),
        Trial(
            "unknown operation after one that would run",
            [#"{"op":"createKey"}"#, #"{"op":"explode"}"#],
            at: 1,
            words: "explode"
        ),
        Trial(
            "unknown value kind",
            [copy(#""kSecAttrAccount":{"colour":"red"}"#, "{}")],
            at: 0,
            words: "unknown value kind"
        ),
        Trial("unknown matcher", [dataIs(#"{"about":3}"#)], at: 0, words: "unknown matcher \"about\""),
        Trial("unknown type", [dataIs(#"{"type":"colour"}"#)], at: 0, words: "unknown result type"),
        Trial("unknown status", [copy(data, #"{"status":"errSecNonsense"}"#)], at: 0, words: "errSecNonsense"),
        Trial("unknown constant as a key", [copy(#""kSecNonsense":1"#, "{}")], at: 0, words: "kSecNonsense"),
        Trial(
            "unknown constant as a value",
            [copy(#""kSecAttrAccount":"kSecNonsense""#, "{}")],
            at: 0,
            words: "kSecNonsense"
        ),
        Trial(
            "unknown constant by name",
            [#"{"op":"constant","args":{"name":"kSecNonsense"}}"#],
            at: 0,
            words: "kSecNonsense"
        ),
        Trial("unknown policy of the owner", [#"{"op":"setAuth","args":{"policy":"shrug"}}"#], at: 0, words: "shrug"),
        Trial("an argument that a lock does not take", [#"{"op":"lock","args":{"ms":1}}"#], at: 0, words: "ms"),
        Trial(
            "a context that is none",
            [#"{"op":"invalidateContext","args":{"context":"c"}}"#],
            at: 0,
            words: "no context"
        ),
        Trial(
            "a certificate that is none",
            [copy(#""kSecValueRef":{"certificate":"eA=="}"#, "{}")],
            at: 0,
            words: "no certificate"
        ),
        Trial(
            "a key that is none",
            [
                copy(
                    #""kSecValueRef":{"key":{"data":"eA==","type":"kSecAttrKeyTypeRSA","class":"kSecAttrKeyClassPublic"}}"#,
                    "{}"
                )
            ],
            at: 0,
            words: "no key"
        ),
        Trial("misspelt member of a key", [copy(#""kSecValueRef":{"key":{"dta":"eA=="}}"#, "{}")], at: 0, words: "dta"),
        Trial("a key of no operation", [#"{"op":"exportKey","args":{"key":"k"}}"#], at: 0, words: "no key"),
        Trial("a result that is no key", [added, dataIs(#"{"type":"key"}"#)], at: 1, words: "type key"),
        Trial("a result that is no identity", [added, dataIs(#"{"type":"identity"}"#)], at: 1, words: "type identity"),
        Trial(
            "a result without the class of a key",
            [added, dataIs(#"{"class":"kSecAttrKeyClassPublic"}"#)],
            at: 1,
            words: "unknown"
        ),
        Trial(
            "unknown variable",
            [copy(#""kSecAttrAccount":{"var":"p"}"#, "{}")],
            at: 0,
            words: "no earlier step saved"
        ),
        Trial("unknown flag", [protected(#""sunshine""#)], at: 0, words: "sunshine"),
        Trial("misspelt member of a step", [#"{"op":"add","args":\#(item),"expects":{}}"#], at: 0, words: "expects"),
        Trial("misspelt member of expect", [copy(data, #"{"statuses":"errSecParam"}"#)], at: 0, words: "statuses"),
        Trial("null as a member", [dataIs(#"{"contains":{"kSecAttrLabel":null}}"#)], at: 0, words: "null"),
        Trial(
            "nothing to save",
            [added, #"{"op":"copy","args":{\#(query)},"save":"p"}"#],
            at: 1,
            words: "save as \"p\""
        ),
        Trial("unknown profile", [added], profile: "dp-zos", at: nil, words: "dp-zos"),
        Trial("no steps", [], at: nil, words: "without steps"),
    ]
}

extension BadLine {
    static let all: [BadLine] = [
        BadLine(line: "{", words: "not a JSON object"),
        BadLine(line: "[]", words: "not a JSON object"),
        BadLine(line: #"{"id":"b","title":"t","topic":"t","source":"s"}"#, words: "\"steps\""),
        BadLine(line: #"{"id":7,"title":"t","topic":"t","source":"s","steps":[]}"#, words: "\"id\""),
        BadLine(line: #"{"id":"a","title":"t","topic":"t","source":"s","steps":[]}"#, words: "line 1"),
    ]
}
