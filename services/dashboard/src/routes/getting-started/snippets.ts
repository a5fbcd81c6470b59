/** A key's beginning and end. */
export function maskedKey(key: string): string {
  return `${key.slice(0, 3)}…${key.slice(-4)}`;
}

/** Shows the first signals in a terminal. */
export function curlLine(origin: string, key = 'YOUR_KEY'): string {
  return `curl -H "Authorization: Bearer ${key}" "${origin}/v1/signals?limit=3"`;
}

/** A receiver of plain Node that checks signatures (Standard Webhooks) and answers 200. */
export function nodeReceiver(secret = 'whsec_YOUR_SECRET'): string {
  return `// node receiver.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SIGCAST_SECRET ?? '${secret}';
const key = Buffer.from(secret.replace('whsec_', ''), 'base64');

function isGenuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers;
  if (!(Math.abs(Date.now() / 1000 - time) < 300)) return false; // an old one, sent again by somebody
  const signature = createHmac('sha256', key).update(\`\${id}.\${time}.\`).update(body).digest('base64');
  const ours = Buffer.from(\`v1,\${signature}\`);
  return given.split(' ').some((text) => {
    const theirs = Buffer.from(text);
    return theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}

async function receive(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isGenuine(request.headers, body)) return 401;
  const { event, data } = JSON.parse(body);
  console.log(event, data.id, data.token?.symbol); // keep it here, within five seconds
  return 200;
}

createServer(async (request, response) => {
  // A request that breaks off must not end the program.
  const status = await receive(request).catch(() => 400);
  response.writeHead(status).end();
}).listen(9000, '127.0.0.1');
`;
}

/** The same in plain Python. */
export function pythonReceiver(secret = 'whsec_YOUR_SECRET'): string {
  return `# python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ.get("SIGCAST_SECRET", "${secret}")
key = base64.b64decode(secret.removeprefix("whsec_"))


def is_genuine(headers, body):
    sent = headers.get("webhook-timestamp", "")
    if not sent.isdecimal() or abs(time.time() - int(sent)) > 300:  # an old one, sent again by somebody
        return False
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    ours = "v1," + base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(ours.encode(), theirs.encode()) for theirs in given)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        genuine = is_genuine(self.headers, body)
        if genuine:
            event = json.loads(body)
            symbol = event["data"].get("token", {}).get("symbol")
            print(event["event"], event["data"]["id"], symbol, flush=True)  # keep it here, within five seconds
        self.send_response(200 if genuine else 401)
        self.end_headers()


ThreadingHTTPServer(("127.0.0.1", 9000), Receiver).serve_forever()
`;
}
