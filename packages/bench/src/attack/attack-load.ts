/**
 * The attackers, a process of their own. Prints `ready` when every attacker has had a connection, and ends with its standard
 * input, or after two minutes. Usage: node attack-load.ts NAME '{"origin":…}'
 */
import { attacks, openWaiting, type Target } from './attacks.ts';

setTimeout(() => process.exit(), 120_000);
process.stdin.on('end', () => process.exit()).resume();
const [name = '', target = ''] = process.argv.slice(2);
attacks[name]?.begin(JSON.parse(target) as Target);
await openWaiting();
process.stdout.write('ready\n');
