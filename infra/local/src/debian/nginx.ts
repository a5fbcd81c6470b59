import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import type { InstallOptions } from './packages.ts';
import { findOrUnpack, unpackPackages } from './unpacked-program.ts';

const packages = [
  ...['nginx', 'libnginx-mod-http-ndk', 'libnginx-mod-http-lua', 'libluajit2-5.1-2', 'libpcre3'],
  ...['lua-resty-core', 'lua-resty-lrucache', 'lua-nginx-redis', 'lua-nginx-string'],
];

/** nginx with Lua, and what its Lua programs need to reach Redis. */
export type Nginx = {
  readonly file: string;
  readonly env: Readonly<Record<string, string>>;
  /** The folder of its modules. */
  readonly modules: string;
  /** For `lua_package_path`. */
  readonly luaPath: string;
  /** Such as `nginx/1.22.1`. */
  readonly version: string;
};

/**
 * nginx with Lua for measurements: Debian's, unpacked once per machine (4 MB). The package is not installed, because it brings a
 * service that would listen on every address from the next start of the machine.
 * @throws when this is not root on Debian and it was never unpacked here.
 */
export async function ensureNginx(options: InstallOptions): Promise<Nginx> {
  const file = await findOrUnpack(
    {
      // Not the machine's own nginx, which may have no Lua.
      name: 'nginx-of-the-bench',
      isUsable: (candidate) => versionOf(candidate) !== undefined,
      folder: 'nginx-lua',
      file: 'usr/sbin/nginx',
      unpack: (dir) => unpackPackages(dir, packages, options),
    },
    options,
  );
  const root = join(dirname(file), '../..');
  const architecture = process.arch === 'arm64' ? 'aarch64' : 'x86_64';
  const libraries = ['usr/lib', 'lib'].map((dir) => join(root, dir, `${architecture}-linux-gnu`));
  return {
    file,
    env: { LD_LIBRARY_PATH: libraries.join(':') },
    modules: join(root, 'usr/lib/nginx/modules'),
    luaPath: join(root, 'usr/share/lua/5.1/?.lua'),
    version: versionOf(file) ?? '',
  };
}

function versionOf(nginx: string): string | undefined {
  const { stderr } = spawnSync(nginx, ['-v'], { encoding: 'utf8' });
  return /nginx\/[\d.]+/.exec(stderr ?? '')?.[0];
}
