# The Homebrew formula of a release. `cargo xtask dist` fills in version, addresses and hashes.
class MortiseMcp < Formula
  desc "See what MCP tools promise, call them, and check that they keep it"
  version "{{VERSION}}"
  license any_of: ["MIT", "Apache-2.0"]
{{PLATFORMS}}

  def install
    bin.install "mortise"
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/mortise.bash" => "mortise"
    zsh_completion.install "completions/_mortise"
    fish_completion.install "completions/mortise.fish"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/mortise --version")
  end
end
