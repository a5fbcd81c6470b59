import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '@sigcast/testing';
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cacheDir } from '../src/debian/cache-dir.ts';
import { rootName } from '../src/debian/engine-root.ts';
import type { BackingOptions, BackingServices } from '../src/index.ts';
import { redisAnswers } from '../src/probe.ts';
import {
  canStartInstances,
  machine,
  removeTemporaryDirs,
  start,
  startTimeoutMs,
  temporaryDir,
  within20s,
} from './support.ts';

const onDebian = canStartInstances ? describe : describe.skip;

/**
 * A `docker` command whose only container is a Redis of the engines' file tree. It can't pull images, and has no compose
 * plugin. It has the images, unless the file `no-images` is beside it. The file `pid` has the container's process, and
 * `calls` has the arguments of each call.
 */
const dockerScript = `#!/bin/sh
here=$(dirname "$0")
echo "$@" >> "$here/calls"
case $1 in
  info | volume) ;;
  image) test ! -e "$here/no-images" ;;
  pull) echo 'Error response from daemon: lookup registry.test: no such host' >&2; exit 1 ;;
  run)
    for option; do case $option in --publish=*) port=$(echo "$option" | cut -d: -f2) ;; esac; done
    setsid chroot ${join(cacheDir(), rootName)} redis-server --port "$port" --bind 127.0.0.1 --save '' >/dev/null 2>&1 &
    echo $! > "$here/pid" ;;
  wait) while grep -q '^State:.[^Z]' "/proc/$(cat "$here/pid")/status"; do sleep 0.05; done 2>/dev/null ;;
  stop | kill) kill -KILL "$(cat "$here/pid")" ;;
  rm) echo 'Error response from daemon: No such container' >&2; exit 1 ;;
  *) echo "docker: '$1' is not a docker command." >&2; exit 1 ;;
esac
`;

let bin: string;
let said: string[];
const path = process.env.PATH;
beforeEach(() => {
  bin = temporaryDir();
  said = [];
  writeFileSync(join(bin, 'docker'), dockerScript);
  chmodSync(join(bin, 'docker'), 0o755);
  process.env.PATH = `${bin}:${path}`;
});
afterEach(() => {
  process.env.PATH = path;
});
afterAll(removeTemporaryDirs);

/** Redis alone. The other addresses are given, and nobody connects to them. */
function startRedis(options: Partial<BackingOptions> = {}): Promise<BackingServices> {
  const env = { MONGODB_URI: 'mongodb://127.0.0.1:1', AMQP_URL: 'amqp://127.0.0.1:1' };
  const report = (line: string) => said.push(line);
  return start({ env, report, machine: machine({ dockerAnswers: async () => true }), ...options });
}

const calls = () => readFileSync(join(bin, 'calls'), 'utf8').trim().split('\n');

onDebian('a Docker engine', () => {
  it(
    'runs a store in a container of its own on the loopback address, with its data in a volume, without the compose plugin',
    async () => {
      const services = await startRedis();
      const { port } = new URL(services.redisUrl);
      expect(services.how).toBe('docker');
      expect(await redisAnswers(Number(port))).toBe(true);
      const run = calls().find((call) => call.startsWith('run '));
      const name = /--name=(sigcast-\w+-redis) /.exec(run ?? '')?.[1];
      expect(run).toContain(`--publish=127.0.0.1:${port}:6379 --volume=${name}:/data redis:8 redis-server`);
      await services.stop();
      expect(calls().at(-1)).toBe(`volume rm --force ${name}`);
    },
    startTimeoutMs,
  );

  it(
    'starts a container again that ended by itself, on the same port',
    async () => {
      await using services = await startRedis({ keepRunning: true });
      const serves = () => redisAnswers(Number(new URL(services.redisUrl).port));
      process.kill(Number(readFileSync(join(bin, 'pid'), 'utf8')), 'SIGKILL');
      const runs = () => calls().filter((call) => call.startsWith('run '));
      await eventually(() => expect(runs()).toHaveLength(2), within20s);
      await eventually(async () => expect(await serves()).toBe(true), within20s);
      expect(said).toContainEqual(expect.stringMatching(/redis ended \(container .*\); starting it again/));
    },
    startTimeoutMs,
  );

  it(
    "that can't pull an image is not used: Debian's packages are, and one line says why",
    async () => {
      writeFileSync(join(bin, 'no-images'), '');
      await using services = await startRedis();
      expect(services.how).toBe('debian');
      expect(await redisAnswers(Number(new URL(services.redisUrl).port))).toBe(true);
      const why =
        'A Docker engine answers but has no image redis:8 and could not pull it ' +
        "(Error response from daemon: lookup registry.test: no such host): using Debian's packages instead";
      expect(said.filter((line) => line.includes('Docker'))).toEqual([why]);
    },
    startTimeoutMs,
  );

  it("that can't pull an image is named in the error where there are no packages either", async () => {
    writeFileSync(join(bin, 'no-images'), '');
    const elsewhere = machine({ dockerAnswers: async () => true, isDebianRoot: () => false });
    await expect(startRedis({ machine: elsewhere })).rejects.toThrow(
      /has no image redis:8 and could not pull it.*There are three ways/s,
    );
  });
});
