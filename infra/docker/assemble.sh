#!/bin/sh
# Copies to /out everything that the named packages of the workspace need to run: their sources, the sources of the
# packages that they use, production dependencies, and a software bill of materials (CycloneDX) as sbom.cdx.json.
# Not `pnpm deploy`: it copies workspace packages below node_modules, where Node strips no types.
set -eu
filters=
for package in "$@"; do filters="$filters --filter-prod $package..."; done
# shellcheck disable=SC2086 # each filter is an argument of its own
pnpm install --offline --frozen-lockfile --prod $filters
mkdir /out
# shellcheck disable=SC2086
for project in $(pnpm list $filters --depth -1 --parseable); do
  name=${project#"$PWD/"}
  mkdir -p "/out/$name"
  cp -a "$project/package.json" "/sources/$name/src" "/out/$name/"
  if [ -d "$project/node_modules" ]; then cp -a "$project/node_modules" "/out/$name/"; fi
done
cp -a package.json node_modules /out/
# Only editors and debuggers read these files: Node runs no TypeScript below node_modules. They are half of the rest.
find /out/node_modules -type f \( -name '*.map' -o -name '*.ts' -o -name '*.mts' -o -name '*.cts' \) -delete
# shellcheck disable=SC2086
pnpm sbom --lockfile-only --prod --sbom-format cyclonedx --sbom-type application $filters >/out/sbom.cdx.json
