import { describe, expect, it } from '@jest/globals';
import { createLogger, withRequestId } from '../src/index.ts';

/** A logger and what it wrote. */
function recorded(level = 'info') {
  const lines: string[] = [];
  const destination = { write: (line: string) => lines.push(line) };
  return { log: createLogger({ service: 'sample', level, destination }), lines };
}

const secretNames = [
  'authorization',
  'cookie',
  'set-cookie',
  'password',
  'secret',
  'token',
  'api_key',
  'x-sigcast-identity',
];

describe('the log', () => {
  it.each(secretNames)('never shows %s, in an entry or two levels inside it', (name) => {
    const { log, lines } = recorded();
    log.info({ [name]: 'hunter2' }, 'here');
    log.info({ user: { [name]: 'hunter2', kept: 'kept' } }, 'inside');
    log.info({ req: { headers: { [name]: 'hunter2' } } }, 'deep inside');
    log.child({ [name]: 'hunter2' }).info('by a child');
    log.error({ err: Object.assign(new Error('failed'), { [name]: 'hunter2' }) }, 'in an error');
    expect(lines).toHaveLength(5);
    expect(lines.join('')).not.toContain('hunter2');
    expect(lines.join('').match(/\[redacted\]/g)).toHaveLength(5);
    expect(lines.join('')).toContain('kept');
  });

  it('names the service, and the request being served', async () => {
    const { log, lines } = recorded();
    await withRequestId('req_1', async () => {
      await Promise.resolve();
      log.info('during');
    });
    log.info('after');
    const [during, after] = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(during).toMatchObject({ level: 'info', service: 'sample', request_id: 'req_1', msg: 'during' });
    expect(after).not.toHaveProperty('request_id');
  });

  it('leaves out what is below its level', () => {
    const { log, lines } = recorded('warn');
    log.info('no');
    log.warn('yes');
    expect(lines).toHaveLength(1);
  });
});
