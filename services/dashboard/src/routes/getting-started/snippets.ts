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

function genuine(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': given = '' } = headers;
  if (Math.abs(Date.now() / 1000 - Number(time)) > 300) return false; // an old one, sent again by somebody
  const ours = Buffer.from(createHmac('sha256', key).update(\`\${id}.\${time}.\${body}\`).digest('base64'));
  return given.split(' ').some((part) => {
    const theirs = Buffer.from(part.replace('v1,', ''));
    return theirs.length === ours.length && timingSafeEqual(theirs, ours);
  });
}

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks).toString();
  if (!genuine(request.headers, body)) return response.writeHead(401).end();
  response.writeHead(200).end(); // first the answer, then the work: it has five seconds
  const { event, data } = JSON.parse(body);
  console.log(event, data.id, data.token.symbol);
}).listen(9000);
`;
}

/** The same in plain Python. */
export function pythonReceiver(secret = 'whsec_YOUR_SECRET'): string {
  return `# python3 receiver.py
import base64, hashlib, hmac, json, os, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

secret = os.environ.get("SIGCAST_SECRET", "${secret}")
key = base64.b64decode(secret.removeprefix("whsec_"))

def genuine(headers, body):
    sent = headers.get("webhook-timestamp", "0")
    if abs(time.time() - int(sent)) > 300:  # an old one, sent again by somebody
        return False
    signed = f"{headers.get('webhook-id')}.{sent}.".encode() + body
    ours = "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()
    given = headers.get("webhook-signature", "").split(" ")
    return any(hmac.compare_digest(ours, theirs) for theirs in given)

class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        ok = genuine(self.headers, body)
        self.send_response(200 if ok else 401)  # first the answer, then the work: it has five seconds
        self.end_headers()
        if ok:
            event = json.loads(body)
            print(event["event"], event["data"]["id"], event["data"]["token"]["symbol"], flush=True)

ThreadingHTTPServer(("", 9000), Receiver).serve_forever()
`;
}
