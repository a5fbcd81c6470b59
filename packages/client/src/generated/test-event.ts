// Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.
import type { WebhookPayload } from './types.ts';

/** The test event of the API, with no time yet. */
export const testEvent: WebhookPayload = {
  "event": "webhook.test",
  "timestamp": "1970-01-01T00:00:00.000Z",
  "data": {
    "id": "sig_00000000000000000000000000",
    "token": {
      "symbol": "TEST",
      "name": "Test signal",
      "contract": "0x0000000000000000000000000000000000000000",
      "chain": "",
      "age_hours": 1,
      "dex_paid": false,
      "socials": {
        "twitter": "",
        "telegram": "",
        "website": ""
      }
    },
    "metrics": {
      "mcap_entry": 100000,
      "mcap_current": 100000,
      "volume_24h": 10000,
      "holders": 100,
      "liquidity": 20000,
      "mcap_ath": 100000
    },
    "performance": {
      "roi": 0,
      "ath_roi": 0,
      "status": "active",
      "time_to_ath_hours": 0
    },
    "type": "new",
    "is_premium": false,
    "created_at": "1970-01-01T00:00:00.000Z"
  }
};
