/** Contender (a): Express and undici's fastest way to proxy, without keys, limits or checks. */
import express from 'express';
import { Pool } from 'undici';

const pool = new Pool(process.env.UPSTREAM ?? '', { connections: 512, pipelining: 1 });
const app = express();
app.disable('x-powered-by');
app.disable('etag');
app.use((req, res) => {
  pool.dispatch(
    { path: req.url, method: 'GET', headers: { accept: req.headers.accept } },
    {
      onRequestStart: () => undefined,
      onResponseStart: (_controller, status, headers) => {
        const { connection: _c, 'keep-alive': _k, 'transfer-encoding': _t, ...rest } = headers;
        res.writeHead(status, rest);
      },
      onResponseData: (_controller, chunk) => {
        res.write(chunk);
      },
      onResponseEnd: () => {
        res.end();
      },
      onResponseError: (_controller, error) => {
        res.destroy(error);
      },
    },
  );
});
app.listen(Number(process.env.PORT), '127.0.0.1');
