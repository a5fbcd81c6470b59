// Made of the operations of packages/contracts by `npx pnpm@12 clients:generate`: do not edit.
import type { WebhookPayload } from './types.ts';

/** The example of a test event in the API's document. */
export const sampleEvent: WebhookPayload = {
  "event": "webhook.test",
  "timestamp": "2026-01-02T01:30:00.000Z",
  "data": {
    "id": "sig_01J9ZQ6W8T3M5N7P9R1S3V5X7Z",
    "token": {
      "symbol": "NOVA",
      "name": "Nova",
      "contract": "0x5fbdb2315678afecb367f032d93f642f64180aa3",
      "age_hours": 12.5,
      "dex_paid": true,
      "socials": {
        "twitter": "https://x.com/nova",
        "telegram": "",
        "website": "https://nova.example"
      }
    },
    "metrics": {
      "mcap_entry": 100000,
      "mcap_current": 240000,
      "volume_24h": 52340.5,
      "holders": 321,
      "liquidity": 20000,
      "mcap_ath": 280000
    },
    "performance": {
      "roi": 140,
      "ath_roi": 180,
      "status": "winner",
      "time_to_ath_hours": 9.25
    },
    "type": "new",
    "is_premium": false,
    "created_at": "2026-01-01T12:00:00.000Z"
  }
};
