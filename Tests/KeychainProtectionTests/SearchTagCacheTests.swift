// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// That a tag is the same whether it was kept or is created again.
struct SearchTagCacheTests {
    private let store: TestStore

    init() throws { store = try TestStore.withPasscode() }

    @Test("a cache changes no tag, of whichever class, attribute and value")
    func sameTags() throws {
        let keybag = try store.keybag()
        let (fresh, cached) = (keybag.searchTags(), keybag.searchTags(SearchTagCache()))
        let names: [AttributeName] = [.accessGroup, .synchronizable, .label]
        for _ in 0..<2 {
            for itemClass in ItemClass.stored {
                for name in names {
                    let column = try #require(ItemSchema.of(itemClass)[name])
                    // Enough groups to overflow the cache.
                    for number in 0..<40 {
                        for value in [AttributeValue.string("\(number)"), .number(.integer(Int64(number)))] {
                            #expect(
                                cached.tag(in: itemClass, column: column, value: value)
                                    == fresh.tag(in: itemClass, column: column, value: value)
                            )
                        }
                    }
                }
            }
        }
    }

    @Test(
        "strings that Swift takes for equal have tags of their own",
        arguments: [("\u{E9}", "e\u{301}"), ("TEAMK", "TEAM\u{212A}"), ("\u{AC00}", "\u{1100}\u{1161}")]
    )
    func lookAlikes(_ one: String, _ other: String) throws {
        #expect(one == other)
        let keybag = try store.keybag()
        for name in [AttributeName.accessGroup, .synchronizable] {
            let column = try #require(ItemSchema.of(.genericPassword)[name])
            for values in [[one, other], [other, one]] {
                let cached = keybag.searchTags(SearchTagCache())
                let tags = values.map { cached.tag(in: .genericPassword, column: column, value: .string($0)) }
                #expect(
                    tags
                        == values.map {
                            keybag.searchTags().tag(in: .genericPassword, column: column, value: .string($0))
                        }
                )
                #expect(tags[0] != tags[1])
            }
        }
    }

    @Test("no other attribute is kept, and no long value")
    func keepsNothingElse() throws {
        let cache = SearchTagCache()
        let schema = ItemSchema.of(.genericPassword)
        let (account, group) = (try #require(schema[.account]), try #require(schema[.accessGroup]))
        let inputs = [4, 512, 513].map { [UInt8](repeating: 1, count: $0) }
        #expect(inputs.map { cache.caches(group, $0) } == [true, true, false])
        #expect(inputs.allSatisfy { !cache.caches(account, $0) })
    }
}
