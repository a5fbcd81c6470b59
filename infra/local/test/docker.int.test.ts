import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { cacheDir, rootName } from '../src/debian/engine-root.ts';
import type { BackingOptions, BackingServices } from '../src/index.ts';
import { redisAnswers } from '../src/probe.ts';
import {
  canStartInstances,
  eventually,
  machine,
  removeTemporaryDirs,
  start,
  startTimeoutMs,
  temporaryDir,
} from './support.ts';

const onDebian = canStartInstances ? describe : describe.skip;

/**
 * A command line of Docker's whose only container is Redis, from the engines' file tree. It can't pull, has images
 * unless `no-images` is there, and no compose plugin. `pid` is the container's process, `calls` what was asked.
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

/** Redis alone: the other addresses are given, nobody connects to them. */
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
      await eventually('a second run', () => calls().filter((call) => call.startsWith('run ')).length === 2);
      await eventually('Redis', serves);
      expect(said).toContainEqual(expect.stringMatching(/redis ended \(container .*\); starting it again/));
    },
    startTimeoutMs,
  );

  it(
    "that can't pull an image is passed over for Debian's packages, and one line says why",
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

  it("that can't pull an image is what is named where there are no packages either", async () => {
    writeFileSync(join(bin, 'no-images'), '');
    const elsewhere = machine({ dockerAnswers: async () => true, isDebianRoot: () => false });
    await expect(startRedis({ machine: elsewhere })).rejects.toThrow(
      /has no image redis:8 and could not pull it.*There are three ways/s,
    );
  });
});
