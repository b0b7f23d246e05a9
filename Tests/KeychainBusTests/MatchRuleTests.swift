// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import KeychainBus

/// Match rules as text, and what they match.
@Suite struct MatchRuleTests {
    @Test(
        "text that is no rule, and why",
        arguments: [
            ("type", .syntax), ("type='signal", .syntax), ("='a'", .syntax), ("type='x'", .invalidValue),
            ("sender='a'", .invalidValue), ("sender=''", .invalidValue), ("interface='a'", .invalidValue),
            ("member='a.b'", .invalidValue), ("path='a'", .invalidValue), ("path='/a/'", .invalidValue),
            ("path_namespace='/a/'", .invalidValue), ("destination='1'", .invalidValue), ("color='red'", .unknownKey),
            ("arg='a'", .unknownKey), ("arg64='a'", .unknownKey), ("arg00='a'", .unknownKey),
            ("arg1x='a'", .unknownKey),
            ("arg-1='a'", .unknownKey), ("arg99999999999999999999='a'", .unknownKey),
            ("arg1namespace='a.b'", .unknownKey), ("arg0namespace='a..b'", .invalidValue),
            ("type='signal',type='signal'", .repeatedKey), ("path='/a',path_namespace='/a'", .repeatedKey),
            ("arg0='a',arg0='b'", .repeatedKey), ("eavesdrop='maybe'", .invalidValue), (",", .syntax),
        ] as [(String, MatchRule.Failure)]
    )
    func refused(_ text: String, _ failure: MatchRule.Failure) {
        #expect(throws: failure) { try MatchRule(text.utf8) }
    }

    @Test("bytes that are not UTF-8, or have a NUL, are no rule", arguments: [[0xFF], [0x61, 0]] as [[UInt8]])
    func refusedBytes(_ value: [UInt8]) {
        #expect(throws: MatchRule.Failure.invalidValue) { try MatchRule(Array("arg0='".utf8) + value + [0x27]) }
    }

    @Test(
        "the same rule in other words",
        arguments: [
            ("type='signal',member='M'", "member=M,type=signal"), ("arg0='a,b'", "arg0=a','b"),
            ("arg0=''\\'''", "arg0=\\'"), ("arg0='a\\b'", "arg0=a\\b"), ("arg0='\\'", "arg0=\\"),
            ("type='signal'", "  type='signal',"), ("type='signal', member='M'", "type='signal',\n member='M'"),
            ("arg0='a',arg1='b'", "arg1='b',arg0='a'"), ("", " "), ("eavesdrop='true'", ""),
        ]
    )
    func sameRules(_ one: String, _ other: String) throws {
        #expect(try MatchRule(one.utf8) == MatchRule(other.utf8))
    }

    /// A signal of `:1.7`, which has the name org.example.Owner, with a string, a number, a path and another string.
    private static func signal() -> BusFrame {
        var header = BusHeader(.signal, serial: 1)
        (header.path, header.interface, header.member) = ("/a/b", "org.example.I", "M")
        (header.sender, header.signature) = (":1.7", "suosv")
        var writer = BusValueWriter()
        writer.append("com.example.x")
        writer.append(5)
        writer.append("/x/y/")
        writer.append("\u{E9}")
        writer.append(signature: "s")
        writer.append("v")
        return BusFrame(header, BusBody(writer.bytes))
    }

    @Test(
        "a rule matches a signal, or does not",
        arguments: [
            ("", true), ("type='signal'", true), ("type='method_call'", false), ("sender=':1.7'", true),
            ("sender=':1.8'", false), ("sender='org.example.Owner'", true), ("sender='org.example.Other'", false),
            ("interface='org.example.I'", true), ("interface='org.example.J'", false), ("member='M'", true),
            ("member='N'", false), ("path='/a/b'", true), ("path='/a'", false), ("path_namespace='/a'", true),
            ("path_namespace='/a/b'", true), ("path_namespace='/a/b/c'", false), ("path_namespace='/'", true),
            ("path_namespace='/aa'", false), ("destination=':1.9'", false), ("arg0='com.example.x'", true),
            ("arg0='com.example'", false), ("arg0namespace='com.example'", true), ("arg0namespace='com'", true),
            ("arg0namespace='com.example.x'", true), ("arg0namespace='com.exam'", false),
            ("arg0namespace='com.example.x.y'", false), ("arg1='5'", false), ("arg2='/x/y/'", false),
            ("arg2path='/x/y/'", true), ("arg2path='/x/'", true), ("arg2path='/x'", false),
            ("arg2path='/x/y/z'", true), ("arg2path='/y/'", false), ("arg0path='com.example.x'", true),
            // Not the same bytes, though canonically equivalent.
            ("arg3='\u{E9}'", true), ("arg3='e\u{301}'", false),
            ("arg4='v'", false), ("arg5='v'", false), ("arg63=''", false),
            ("type='signal',member='M',arg3='\u{E9}'", true), ("type='signal',member='M',arg3='x'", false),
        ]
    )
    func matches(_ text: String, _ isMatch: Bool) throws {
        let frame = Self.signal()
        var arguments = SignalArguments(of: frame)
        let rule = try MatchRule(text.utf8)
        #expect(rule.matches(frame.header, &arguments) { $0 == "org.example.Owner" } == isMatch)
    }

    @Test("arguments of a body that is cut off or lies are none")
    func cutOff() throws {
        let whole = Self.signal()
        let bytes = whole.body.withBytes { Array($0) }
        for count in bytes.indices {
            let frame = BusFrame(whole.header, BusBody(Array(bytes.prefix(count))))
            var arguments = SignalArguments(of: frame)
            #expect(arguments[4] == nil)
            #expect(arguments[0] == nil || count > 17)
        }
    }
}
