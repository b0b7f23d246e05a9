// SPDX-License-Identifier: Apache-2.0

import Foundation
import KeychainCore
import Testing

@testable import Conformance

/// A matcher and a value, both as JSON; the value is written as cases write values.
struct MatcherTrial: Sendable, CustomTestStringConvertible {
    var matcher: String
    var value: String

    init(_ matcher: String, _ value: String) {
        self.matcher = matcher
        self.value = value
    }

    var testDescription: String { "\(matcher) for \(value)" }

    func mismatch() throws -> Mismatch? {
        let matcher = try Matcher(try decoded(matcher))
        return try matcher.mismatch(try ValueTemplate(try decoded(value)).value(variables), variables)
    }

    private func decoded(_ json: String) throws -> JSONValue {
        try JSONDecoder().decode(JSONValue.self, from: Data(json.utf8))
    }

    private var variables: Variables { ["then": Date(timeIntervalSince1970: 1_000_000_000)] }
}

extension MatcherTrial {
    static let equal: [MatcherTrial] = [
        MatcherTrial(#"{"type":"bool","equals":true}"#, "true"),
        MatcherTrial(#"{"type":"bool","equals":true}"#, "1"),
        MatcherTrial(#"{"type":"number","equals":false}"#, "0"),
        MatcherTrial(#"{"type":"number","equals":1.0}"#, "1"),
        MatcherTrial(#"{"type":"number","equals":{"number":1.5}}"#, "1.5"),
        MatcherTrial(#"{"equals":{"date":"2001-02-03T04:05:06.500Z"}}"#, #"{"date":"2001-02-03T04:05:06.501Z"}"#),
        MatcherTrial(#"{"equals":{"date":"2001-02-03T05:05:06.25+01:00"}}"#, #"{"date":"2001-02-03T04:05:06.25Z"}"#),
        MatcherTrial(#"{"after":{"var":"then"}}"#, #"{"date":"2001-09-09T01:46:40.001Z"}"#),
        MatcherTrial(#"{"type":"string","length":2}"#, #""\u00e9""#),
        MatcherTrial(#"{"type":"string","equals":{"string":"kSecClass"}}"#, #"{"string":"kSecClass"}"#),
        MatcherTrial(#"{"equals":{"array":[1,{"data":"eA=="}]}}"#, #"{"array":[1,{"data":"eA=="}]}"#),
        MatcherTrial(#"{"type":"array","unordered":[]}"#, #"{"array":[]}"#),
        MatcherTrial(#"{"unordered":[{"equals":1},{"equals":2},{"equals":1}]}"#, #"{"array":[1,1,2]}"#),
        MatcherTrial(#"{"unordered":[{"type":"any"},{"equals":1}]}"#, #"{"array":[1,2]}"#),
        MatcherTrial(#"{"type":"array","count":2,"each":{"type":"number"}}"#, #"{"array":[1,2]}"#),
        MatcherTrial(#"{"contains":{"kSecAttrPort":{"number":80}}}"#, #"{"dictionary":{"kSecAttrPort":80}}"#),
        MatcherTrial(#"{"type":"any"}"#, "null"),
    ]

    static let unequal: [MatcherTrial] = [
        MatcherTrial("null", "null"),
        MatcherTrial(#"{"type":"number"}"#, "true"),
        MatcherTrial(#"{"type":"number","equals":1}"#, "true"),
        MatcherTrial(#"{"type":"bool"}"#, "2"),
        MatcherTrial(#"{"type":"bool","equals":true}"#, "false"),
        MatcherTrial(#"{"equals":1}"#, "2"),
        MatcherTrial(#"{"equals":"1"}"#, "1"),
        MatcherTrial(#"{"equals":1}"#, #""1""#),
        MatcherTrial(#"{"equals":""}"#, #"{"data":""}"#),
        MatcherTrial(#"{"equals":"A"}"#, #""a""#),
        MatcherTrial(#"{"notEquals":1}"#, "1"),
        MatcherTrial(#"{"notEquals":true}"#, "1"),
        MatcherTrial(#"{"type":"string"}"#, "null"),
        MatcherTrial(#"{"type":"date"}"#, #""2001-02-03T04:05:06Z""#),
        MatcherTrial(#"{"equals":{"date":"2001-02-03T04:05:06.500Z"}}"#, #"{"date":"2001-02-03T04:05:06.502Z"}"#),
        MatcherTrial(#"{"equals":{"date":"2001-02-03T04:05:06Z"}}"#, #"{"date":"2001-02-03T05:05:06Z"}"#),
        MatcherTrial(#"{"after":{"var":"then"}}"#, #"{"date":"2001-09-09T01:46:40Z"}"#),
        MatcherTrial(#"{"after":{"var":"then"}}"#, #""tomorrow""#),
        MatcherTrial(#"{"length":1}"#, #""\u00e9""#),
        MatcherTrial(#"{"length":1}"#, "1"),
        MatcherTrial(#"{"prefix":{"data":"eHk="}}"#, #"{"data":"eA=="}"#),
        MatcherTrial(#"{"count":1}"#, #"{"array":[]}"#),
        MatcherTrial(#"{"each":{"type":"number"}}"#, #"{"array":[1,"2"]}"#),
        MatcherTrial(#"{"equals":{"array":[1,2]}}"#, #"{"array":[2,1]}"#),
        MatcherTrial(#"{"equals":{"dictionary":{"kSecAttrPort":80}}}"#, #"{"dictionary":{}}"#),
        MatcherTrial(#"{"unordered":[]}"#, #"{"array":[1]}"#),
        MatcherTrial(#"{"unordered":[{"equals":1},{"equals":1},{"equals":2}]}"#, #"{"array":[1,2,2]}"#),
        MatcherTrial(#"{"unordered":[{"equals":1}]}"#, #"{"array":[1,1]}"#),
        MatcherTrial(#"{"unordered":[{"equals":1},{"equals":1}]}"#, #"{"array":[1]}"#),
        MatcherTrial(#"{"contains":{"kSecAttrPort":80}}"#, #"{"dictionary":{"kSecAttrPort":81}}"#),
        MatcherTrial(#"{"contains":{"kSecAttrPort":80}}"#, #"{"array":[]}"#),
        MatcherTrial(#"{"absent":["kSecAttrPort"]}"#, #"{"dictionary":{"raw:port":80}}"#),
        MatcherTrial(#"{"type":"accessControl"}"#, #""ak""#),
        MatcherTrial(
            #"{"equals":{"accessControl":{"protection":"ak","flags":[]}}}"#,
            #"{"accessControl":{"protection":"ck","flags":[]}}"#
        ),
    ]
}
