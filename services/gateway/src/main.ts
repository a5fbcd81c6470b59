import { serve } from '@sigcast/http';
import { configOrExit, createLogger, runService } from '@sigcast/runtime';
import { readGatewayConfig } from './config.ts';
import { openGateway } from './gateway.ts';

const config = configOrExit(() => readGatewayConfig(process.env));
const log = createLogger({ service: 'gateway', level: config.LOG_LEVEL });

await runService(log, async (resources) => {
  const app = await openGateway({ config, log, resources });
  await serve(app, { host: config.HOST, port: config.PORT }, log, resources);
});
