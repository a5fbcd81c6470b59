/**
 * The attackers, a process of their own. Prints `ready` when the attack begins, and ends with its standard input, or after two
 * minutes. Usage: node attack-load.ts NAME '{"origin":…}'
 */
import { attacks, type Target } from './attacks.ts';

const [name = '', target = ''] = process.argv.slice(2);
attacks[name]?.begin(JSON.parse(target) as Target);
process.stdout.write('ready\n');
setTimeout(() => process.exit(), 120_000);
process.stdin.on('end', () => process.exit()).resume();
