import { serve, serveMetrics } from '@sigcast/http';
import { configOrExit, createLogger, runService } from '@sigcast/runtime';
import { readGatewayConfig } from './config.ts';
import { openGateway } from './gateway.ts';

const config = configOrExit(() => readGatewayConfig(process.env));
const log = createLogger({ service: 'gateway', level: config.LOG_LEVEL });

await runService(log, async (resources) => {
  const { app, registry } = await openGateway({ config, log, resources });
  if (config.METRICS_PORT !== undefined) {
    await serveMetrics(registry, { host: config.METRICS_HOST, port: config.METRICS_PORT }, log, resources);
  }
  await serve(app, { host: config.HOST, port: config.PORT }, log, resources);
});
