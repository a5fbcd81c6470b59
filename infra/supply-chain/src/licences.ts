/** What `pnpm licenses list --json` prints: packages by the licence that they state. */
export type LicenceList = Readonly<
  Record<string, readonly { readonly name: string; readonly versions: readonly string[] }[]>
>;

/**
 * Licences of code that may be part of a release, as packages state them (SPDX expressions). They require no more than a
 * notice. Whoever allows another one adds it here.
 */
const allowed: ReadonlySet<string> = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'ISC', 'MIT', 'MIT-0', 'Unlicense'],
  ...['(MIT OR CC0-1.0)', 'MIT AND ISC AND BSD-3-Clause'],
]);

/**
 * Further licences, each only for packages of these names. MPL-2.0 binds those who change files under it: these packages
 * build the dashboard, unchanged, and are in no image. OFL-1.1 is the licence of fonts: they may be served, and not sold alone.
 */
const exceptions: readonly { readonly licence: string; readonly packages: RegExp }[] = [
  { licence: 'MPL-2.0', packages: /^lightningcss(-.*)?$/ },
  { licence: 'OFL-1.1', packages: /^@fontsource-variable\// },
];

/** @returns a sentence for each package under a licence that is not allowed; how many packages there are. */
export function judgeLicences(list: LicenceList): { refused: string[]; packages: number } {
  const all = Object.entries(list).flatMap(([licence, packages]) =>
    packages.map(({ name, versions }) => ({ licence, name, versions })),
  );
  const refused = all
    .filter(({ licence, name }) => {
      const excepted = exceptions.some((one) => one.licence === licence && one.packages.test(name));
      return !allowed.has(licence) && !excepted;
    })
    .map(
      ({ licence, name, versions }) =>
        `${name} ${versions.join(', ')}: the licence ${licence} is not allowed`,
    );
  return { refused, packages: all.length };
}
