# Made by .ci/package from the archives of the release.
class Secondhand < Formula
  desc "Audits a git repository for copied code"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@ARCHIVES@
  def install
    bin.install "secondhand"
    bash_completion.install "completions/secondhand.bash" => "secondhand"
    zsh_completion.install "completions/secondhand.zsh" => "_secondhand"
    fish_completion.install "completions/secondhand.fish"
    man1.install Dir["man/*.1"]
  end

  test do
    assert_match "secondhand #{version}", shell_output("#{bin}/secondhand --version")
  end
end
