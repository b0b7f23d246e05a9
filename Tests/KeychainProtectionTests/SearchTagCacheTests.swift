// SPDX-License-Identifier: Apache-2.0

import KeychainCore
import Testing

@testable import KeychainProtection

/// That a tag is the same whether it was kept or is made anew.
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
                            #expect(cached.tag(itemClass, column, value) == fresh.tag(itemClass, column, value))
                        }
                    }
                }
            }
        }
    }

    @Test("no other attribute is kept")
    func keepsNothingElse() throws {
        let cache = SearchTagCache()
        let account = try #require(ItemSchema.of(.genericPassword)[.account])
        var made = 0
        for _ in 0..<2 {
            _ = cache.tag(.genericPassword, account, .string("bert")) {
                made += 1
                return .zero
            }
        }
        #expect(made == 2)
    }
}
