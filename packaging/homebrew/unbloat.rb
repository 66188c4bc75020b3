# A formula of Homebrew, which builds from the sources: brew install --build-from-source ./unbloat.rb
class Unbloat < Formula
  desc "Finds bufferbloat, explains it and fixes it"
  homepage "@URL@"
  url "@URL@/unbloat-@VERSION@.tar.gz"
  sha256 "@SHA256@"
  license any_of: ["MIT", "Apache-2.0"]

  depends_on "rust" => :build

  def install
    system "cargo", "install", *std_cargo_args(path: "crates/unbloat")
    generate_completions_from_executable(bin/"unbloat", "completions")
    system bin/"unbloat", "man", "man"
    man1.install Dir["man/*.1"]
    pkgshare.install "scenarios"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/unbloat --version")
    assert_match "grade", shell_output("#{bin}/unbloat sim #{pkgshare}/scenarios/home-uplink.toml")
  end
end
