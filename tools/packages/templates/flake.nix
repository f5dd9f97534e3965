# Made by .ci/package from the archives of the release: `nix run`, `nix profile install`.
{
  description = "@DESCRIPTION@";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      version = "@VERSION@";
      archives = {
@ARCHIVES@
      };
      package =
        system:
        let
          pkgs = nixpkgs.legacyPackages.${system};
        in
        pkgs.stdenvNoCC.mkDerivation {
          pname = "secondhand";
          inherit version;
          src = pkgs.fetchurl archives.${system};
          nativeBuildInputs = [ pkgs.installShellFiles ];
          # The program is linked statically, and stripped.
          dontStrip = true;
          installPhase = ''
            runHook preInstall
            install -Dm755 secondhand $out/bin/secondhand
            installManPage man/*.1
            installShellCompletion completions/secondhand.{bash,zsh,fish}
            runHook postInstall
          '';
          meta = {
            description = "@DESCRIPTION@";
            homepage = "@REPOSITORY@";
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "secondhand";
            platforms = builtins.attrNames archives;
          };
        };
    in
    {
      packages = builtins.mapAttrs (system: _: { default = package system; }) archives;
    };
}
