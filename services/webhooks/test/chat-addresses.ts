/** Addresses in the form that the providers give, with tokens that are none. */
export const slackAddress = 'https://hooks.slack.com/services/T0000TEST/B0000TEST/exampleTokenOfSlack00aaA1';
export const discordAddress =
  'https://discord.com/api/webhooks/100000000000000001/exampleTokenOfDiscord-exampleTokenOfDiscord_exampleTokenOf0bB2';
export const telegramDestination = {
  bot_token: '100000001:exampleTokenOfTelegram-0000000cC3',
  chat_id: -1001234567890,
};
