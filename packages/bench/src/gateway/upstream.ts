/** The service behind every contender: Node's plain HTTP server with a small answer, and a large one at one path. */
import { createServer } from 'node:http';
import { largePath } from './upstream-paths.ts';

const small = JSON.stringify({
  success: true,
  data: {
    id: 'sig_01KA9QDR7C9X2Y5W8V1T3S6R4P',
    token: { symbol: 'NOVA', name: 'Nova', contract: '7xKXtg2CW87d97TXJSDpbD5jBkheTqA83TZRuJosgAsU' },
    metrics: { mcap_entry: 120_000, volume_24h: 55_000, holders: 412, liquidity: 31_000 },
    type: 'new',
    status: 'active',
    is_premium: false,
  },
});
const large = JSON.stringify({ success: true, data: Array.from({ length: 1_500 }, () => small) });

createServer((req, res) => {
  const body = req.url === largePath ? large : small;
  res.writeHead(200, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
  });
  res.end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
