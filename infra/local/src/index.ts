export type { BackingService } from './backing-service.ts';
export { type BackingOptions, type BackingServices, startBackingServices } from './backing-services.ts';
export { ensureBrowser } from './debian/browser.ts';
export { cacheDir } from './debian/cache-dir.ts';
export { ensureEngineRoot, setupSql } from './debian/engine-root.ts';
export { type Engines, type EnginesOptions, openEngines } from './debian/engines.ts';
export { ensureKubectl } from './debian/kubectl.ts';
export { ensureNginx, type Nginx } from './debian/nginx.ts';
export { ensurePackages, mmdebstrapPackage, type Package } from './debian/packages.ts';
export { postgresqlConf } from './debian/postgres-settings.ts';
export { ensurePromtool } from './debian/promtool.ts';
export { ensurePython } from './debian/python.ts';
export type { RabbitmqNode, RabbitmqNodeOptions, RabbitmqPorts } from './debian/rabbitmq.ts';
export { queueBound } from './debian/rabbitmq.ts';
export type { RedisNode, RedisNodeOptions } from './debian/redis.ts';
export { text as textOf } from './documentdb/bson-scan.ts';
export { encodeMessage, encodeReply, parseRequest, type Request, readMessages } from './documentdb/wire.ts';
export { type Machine, thisMachine } from './machine.ts';
export { fates, lives, tokenOf } from './market/token.ts';
export { packClient } from './pack-client.ts';
export { isPortFree, pickFreePort } from './ports.ts';
export { rabbitmqDefinitions } from './store-users/rabbitmq.ts';
export { redisAcl } from './store-users/redis.ts';
export {
  type BrokerUser,
  brokerUsers,
  completePasswords,
  type PasswordsOf,
  type RedisUser,
  redisUsers,
} from './store-users/users.ts';
export { credentials } from './system/credentials.ts';
export { buildDashboard } from './system/dashboard.ts';
export { banner, writeDemoFile } from './system/demo-file.ts';
export { type MarketProcesses, startMarket } from './system/market-process.ts';
export { OperatorProcess } from './system/operator-process.ts';
export { type ProcessName, processNames } from './system/process-spec.ts';
export { type System, type SystemOptions, startSystem } from './system/system.ts';
