import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureNginx, type Nginx, pickFreePort } from '@sigcast/local';
import { eventually } from '@sigcast/testing';
import { Redis } from 'ioredis';
import { say } from '../frame.ts';

const admit = new URL('admit.lua', import.meta.url).pathname;

/** KEYS: the key's record, its minute, its day. The record's limits beside what is counted, or -1 where there is no record. */
const windows = `
local limits = redis.call('HMGET', KEYS[1], 'minute', 'day')
if not limits[1] then return {-1} end
local minute = redis.call('INCR', KEYS[2])
if minute == 1 then redis.call('EXPIRE', KEYS[2], 60) end
local day = redis.call('INCR', KEYS[3])
if day == 1 then redis.call('EXPIRE', KEYS[3], 86400) end
return {tonumber(limits[1]), minute, redis.call('TTL', KEYS[2]), day, tonumber(limits[2])}
`;

/**
 * nginx that looks up a key, counts two windows in Redis and passes the request on: what such work costs without Node. One
 * process, as each gateway is.
 */
export async function startNginx(
  scope: AsyncDisposableStack,
  { upstream, redisUrl, key }: { upstream: string; redisUrl: string; key: string },
) {
  const dir = await mkdtemp(join(tmpdir(), 'sigcast-bench-nginx-'));
  scope.defer(() => rm(dir, { recursive: true, force: true }));
  await mkdir(join(dir, 'logs'));
  const nginx = await ensureNginx({ logFile: join(dir, 'unpack.log'), report: say });
  const redis = new Redis(redisUrl);
  const script = String(await redis.script('LOAD', windows));
  const hash = createHash('sha256').update(key).digest('hex');
  await redis.hset(`bench:nginx:{${hash}}`, { minute: 100_000_000, day: 1_000_000_000 });
  await redis.quit();
  const port = await pickFreePort();
  const settings = { port, upstream: new URL(upstream).host, redisPort: new URL(redisUrl).port, script, dir };
  await writeFile(join(dir, 'nginx.conf'), configuration(nginx, settings));
  const program = spawn(nginx.file, ['-p', dir, '-c', join(dir, 'nginx.conf')], {
    env: nginx.env,
    stdio: 'ignore',
  });
  const exited = once(program, 'exit');
  const end = () => program.kill('SIGKILL');
  process.once('exit', end);
  scope.defer(async () => {
    end();
    await exited;
  });
  const origin = `http://127.0.0.1:${port}`;
  await eventually(async () => {
    const { status } = await fetch(origin, { headers: { authorization: `Bearer ${key}` } });
    if (status !== 200) {
      throw new Error(`nginx answers ${status}: ${readFileSync(join(dir, 'logs/error.log'), 'utf8')}`);
    }
  });
  return { origin, pid: program.pid ?? -1 };
}

function configuration(
  { modules, luaPath }: Nginx,
  at: { port: number; upstream: string; redisPort: string; script: string; dir: string },
): string {
  return `
daemon off;
master_process off;
user root;
pid ${at.dir}/nginx.pid;
error_log ${at.dir}/logs/error.log warn;
load_module ${modules}/ndk_http_module.so;
load_module ${modules}/ngx_http_lua_module.so;
events { worker_connections 2048; }
http {
  access_log off;
  lua_package_path '${luaPath};;';
  client_body_temp_path ${at.dir}/body;
  proxy_temp_path ${at.dir}/proxy;
  fastcgi_temp_path ${at.dir}/fastcgi;
  uwsgi_temp_path ${at.dir}/uwsgi;
  scgi_temp_path ${at.dir}/scgi;
  keepalive_requests 1000000000;
  upstream service { server ${at.upstream}; keepalive 512; keepalive_requests 1000000000; }
  server {
    listen 127.0.0.1:${at.port};
    set $redis_port ${at.redisPort};
    set $script ${at.script};
    location / {
      access_by_lua_file ${admit};
      proxy_pass http://service;
      proxy_http_version 1.1;
      proxy_set_header Connection '';
    }
  }
}
`;
}
