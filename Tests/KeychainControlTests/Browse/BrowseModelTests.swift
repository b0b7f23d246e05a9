// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import KeychainCore
import KeychainTestSupport
import Testing

@testable import KeychainControl

/// What keys do to the screen of `keychainctl browse`, without a terminal.
struct BrowseModelTests {
    private static func item(_ name: String, rows: [(name: String, value: String)] = []) -> BrowseModel.Item {
        BrowseModel.Item(name: name, cells: { (name, "generic", "2026-01-02") }, texts: { [name] }, rows: { rows })
    }

    private static func model(_ names: [String], rows: Int = 12, columns: Int = 60) -> BrowseModel {
        let items = names.map { item($0, rows: [("Service", $0), ("Account", "ada")]) }
        return BrowseModel(items, size: .init(rows: rows, columns: columns))
    }

    private var model = Self.model(["github.com/ada", "gitlab.com/ada", "mail/bob"])

    /// The lines without the blanks at their ends.
    private static func text(_ model: BrowseModel) -> [String] {
        model.screen.lines.map { line in
            String(line.text.reversed().drop { $0 == " " }.reversed())
        }
    }

    /// A line of the list on a screen of 60 columns.
    private static func row(_ name: String) -> String {
        TextWidth.fitted(name, to: 32) + TextWidth.fitted("generic", to: 18) + "2026-01-02"
    }

    @discardableResult
    private static func type(_ text: String, _ model: inout BrowseModel) -> [BrowseModel.Effect] {
        text.flatMap { model.handle(.text(String($0)), at: 0) }
    }

    @Test("the screen has the search, the list, the details, a message and the keys")
    func screen() {
        let lines = [
            "Search:" + String(repeating: " ", count: 52) + "3", Self.row("> github.com/ada"),
            Self.row("  gitlab.com/ada"),
            Self.row("  mail/bob"),
            "",
            String(repeating: "-", count: 60),
            "Password:        hidden",
            "Service:         github.com/ada",
            "Account:         ada",
            "",
            "",
            "Enter copy  ^R reveal (hold)  ^E why not visible  ^L lock  …",
        ]
        #expect(Self.text(model) == lines)
        #expect(model.screen.lines.allSatisfy { $0.text.count == 60 })
        #expect(
            model.screen.lines.map(\.isReversed)
                == [0, 1, 11].reduce(into: Array(repeating: false, count: 12)) { $0[$1] = true }
        )
        #expect(model.screen.cursor == 8)
    }

    @Test("letters search, also with letters missing, and the best is the first")
    func search() {
        var model = model
        Self.type("ghub", &model)
        #expect(Self.text(model)[0].hasPrefix("Search: ghub") && Self.text(model)[0].hasSuffix("1 of 3"))
        #expect(model.selected == 0 && model.matches == [0])
        #expect(model.handle(.backspace, at: 0).isEmpty)
        _ = model.handle(.control("u"), at: 0)
        Self.type("bob", &model)
        #expect(model.matches == [2])
        Self.type("x", &model)
        #expect(model.selected == nil && Self.text(model)[1] == "  No password fits: control-E says why.")
        #expect(model.handle(.enter, at: 0).isEmpty && model.handle(.control("r"), at: 0).isEmpty)
        #expect(model.handle(.escape, at: 0).isEmpty && model.matches.count == 3)
        #expect(model.handle(.escape, at: 0) == [.quit])
    }

    @Test("letters taken back find what they hid")
    func backspace() {
        var model = model
        Self.type("ada", &model)
        #expect(model.matches == [0, 1])
        for _ in 0..<3 { _ = model.handle(.backspace, at: 0) }
        #expect(model.matches == [0, 1, 2])
    }

    @Test("the selection moves, stays within the list and stays visible")
    func selection() {
        var model = Self.model((0..<100).map { "item\($0)" })
        for _ in 0..<10 { _ = model.handle(.down, at: 0) }
        #expect(model.selected == 10 && Self.text(model)[model.listHeight].hasPrefix("> item10"))
        _ = model.handle(.end, at: 0)
        _ = model.handle(.down, at: 0)
        #expect(model.selected == 99 && Self.text(model)[model.listHeight].hasPrefix("> item99"))
        _ = model.handle(.pageUp, at: 0)
        #expect(model.selected == 99 - model.listHeight)
        _ = model.handle(.home, at: 0)
        _ = model.handle(.up, at: 0)
        #expect(model.selected == 0 && Self.text(model)[1].hasPrefix("> item0"))
        _ = model.handle(.end, at: 0)
        model.size = .init(rows: 8, columns: 60)
        #expect(Self.text(model)[model.listHeight].hasPrefix("> item99"))
    }

    @Test("Enter copies what is selected")
    func copies() {
        var model = model
        _ = model.handle(.down, at: 0)
        #expect(model.handle(.enter, at: 0) == [.copy(1)])
    }

    @Test("a secret is shown while its key is held, and a second longer")
    func reveals() {
        var model = model
        #expect(model.screen.secretPlace == nil)
        #expect(model.handle(.control("r"), at: 1_000) == [.reveal(0)])
        #expect(model.screen.secretPlace == .init(row: 6, column: 17, width: 43))
        #expect(Self.text(model)[6] == "Password:")
        #expect(model.milliseconds(at: 1_400) == 600)
        // The key repeats.
        #expect(model.handle(.control("r"), at: 1_900).isEmpty)
        model.pass(to: 2_899)
        #expect(model.revealed != nil)
        model.pass(to: 2_900)
        #expect(model.revealed == nil && Self.text(model)[6] == "Password:        hidden")
        #expect(model.handle(.control("r"), at: 4_000) == [.reveal(0)])
    }

    @Test(
        "any other key hides the secret",
        arguments: [BrowseKey.down, .text("a"), .enter, .escape, .control("x"), .control("e")]
    )
    func hides(_ key: BrowseKey) {
        var model = model
        _ = model.handle(.control("r"), at: 0)
        _ = model.handle(key, at: 10)
        #expect(model.revealed == nil && model.screen.secretPlace == nil)
    }

    @Test("a locked keychain shows no names, and Enter asks for the passcode")
    func locked() {
        var model = model
        #expect(model.handle(.control("l"), at: 0) == [.lock])
        model.isLocked = true
        #expect(!Self.text(model).joined().contains("github") && Self.text(model)[2] == "The keychain is locked.")
        #expect(Self.type("abc", &model).isEmpty && model.handle(.control("r"), at: 0).isEmpty)
        #expect(model.handle(.enter, at: 0) == [.unlock])
        #expect(model.handle(.escape, at: 0) == [.quit])
    }

    @Test(
        "control-E asks why the name that was typed, or else the selected one, is not visible, and the answer scrolls"
    )
    func page() {
        var model = model
        #expect(model.handle(.control("e"), at: 0) == [.explain("github.com/ada")])
        Self.type("nosuch", &model)
        #expect(model.handle(.control("e"), at: 0) == [.explain("nosuch")])
        model.open((1...30).map { "line \($0)" }.joined(separator: "\n"))
        #expect(Self.text(model)[1] == "line 1" && Self.text(model)[10] == "line 10")
        _ = model.handle(.down, at: 0)
        #expect(Self.text(model)[1] == "line 2")
        _ = model.handle(.end, at: 0)
        _ = model.handle(.pageDown, at: 0)
        #expect(Self.text(model)[10] == "line 30")
        #expect(model.handle(.escape, at: 0).isEmpty && Self.text(model)[0].hasPrefix("Search: nosuch"))
    }

    @Test("control-C leaves and control-Z stops from everywhere")
    func leaving() {
        var (list, page, locked) = (model, model, model)
        page.open("text")
        locked.isLocked = true
        for key in [(BrowseKey.control("c"), BrowseModel.Effect.quit), (.control("z"), .suspend)] {
            #expect(list.handle(key.0, at: 0) == [key.1])
            #expect(page.handle(key.0, at: 0) == [key.1])
            #expect(locked.handle(key.0, at: 0) == [key.1])
        }
    }

    @Test("every size of a terminal has as many lines of its width, whatever the names are")
    func sizes() {
        let names = [
            "a", String(repeating: "東京", count: 60), "e\u{301}" + String(repeating: "x", count: 300), "👩‍👩‍👧‍👦/ada", "",
        ]
        for rows in 1...40 {
            for columns in [1, 2, 10, 23, 24, 25, 40, 59, 60, 61, 80, 200] {
                var model = Self.model(names, rows: rows, columns: columns)
                for key in [BrowseKey.down, .text("x"), .text("界"), .control("r"), .escape] {
                    let screen = model.screen
                    #expect(screen.lines.count == rows)
                    #expect(screen.lines.allSatisfy { TextWidth.of($0.text) == columns }, "\(rows) \(columns)")
                    #expect((screen.cursor ?? 0) < columns)
                    if let place = screen.secretPlace {
                        #expect(place.row < rows && place.column + place.width <= columns)
                    }
                    _ = model.handle(key, at: 0)
                }
            }
        }
    }

    @Test("what a name has that a terminal would obey is not on the screen")
    func printable() throws {
        let scene = try ItemScene()
        _ = try scene.run("set", "\u{1B}[31m\u{7}/\u{202E}ada", input: "1")
        let entries = try ListFilter.parse([]).entries(scene.surroundings)
        let browser = Browser(scene.surroundings, entries, size: .init(rows: 24, columns: 80), clearAfter: 0)
        let text = browser.model.screen.lines.map(\.text).joined()
        #expect(text.contains("?[31m?/?ada"))
        #expect(!text.unicodeScalars.contains { $0.isInvisible })
    }

    @Test("items that are read again keep the selection")
    func readAgain() {
        var model = model
        _ = model.handle(.down, at: 0)
        model.setItems(["aaa", "github.com/ada", "gitlab.com/ada"].map { Self.item($0) })
        #expect(model.selected == 2)
    }
}
