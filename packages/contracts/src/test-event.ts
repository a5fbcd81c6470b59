import { type WebhookPayload, webhookPayloadSchema, webhookTestEvent } from './resources/webhooks.ts';
import { sampleOf } from './sample.ts';

/** The body of a test event, in the shape of all events, so that receivers read it as they read others. */
export function testPayload(at: Date): WebhookPayload {
  const mcap = 100_000;
  return sampleOf(webhookPayloadSchema, {
    event: webhookTestEvent,
    timestamp: at.toISOString(),
    data: {
      id: 'sig_00000000000000000000000000',
      token: {
        symbol: 'TEST',
        name: 'Test signal',
        contract: '0x0000000000000000000000000000000000000000',
        chain: '',
        age_hours: 1,
        dex_paid: false,
        socials: { twitter: '', telegram: '', website: '' },
      },
      metrics: {
        mcap_entry: mcap,
        mcap_current: mcap,
        mcap_ath: mcap,
        volume_24h: 10_000,
        holders: 100,
        liquidity: 20_000,
      },
      performance: { roi: 0, ath_roi: 0, status: 'active', time_to_ath_hours: 0 },
      created_at: at.toISOString(),
    },
  });
}
