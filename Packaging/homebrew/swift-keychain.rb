# SPDX-License-Identifier: Apache-2.0
# Untried: no Homebrew has installed it yet. For Linux; fill in the address and the checksum of a release.
class SwiftKeychain < Formula
  desc "Apple's Keychain Services for Linux: commands and daemon"
  homepage "https://swift-keychain.example"
  url "https://swift-keychain.example/releases/swift-keychain-0.1.0-linux-x86_64.tar.xz"
  sha256 "REPLACE_WITH_THE_LINE_OF_SHA256SUMS"
  license "Apache-2.0"
  depends_on :linux

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["share/man/man1/*"]
    man7.install Dir["share/man/man7/*"]
    bash_completion.install Dir["share/bash-completion/completions/*"]
    zsh_completion.install Dir["share/zsh/site-functions/*"]
    fish_completion.install Dir["share/fish/vendor_completions.d/*"]
  end

  test do
    ENV["SWIFT_KEYCHAIN_HOME"] = testpath/"keychain"
    system bin/"security", "add-generic-password", "-a", "ada", "-s", "tool", "-w", "s3cret"
    assert_equal "s3cret\n", shell_output("#{bin}/security find-generic-password -a ada -s tool -w")
  end
end
