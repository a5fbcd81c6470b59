import {
  IconActivity,
  IconBolt,
  IconChartBar,
  IconFlask,
  IconHistory,
  IconKey,
  IconListDetails,
  IconRocket,
  IconRuler2,
  IconShieldCog,
  IconShieldLock,
  IconUser,
  IconUsers,
  IconWebhook,
} from '@tabler/icons-react';

/** A page, as menus name it. `letter`: what leads to it after a g. */
export type Place = {
  readonly to: string;
  readonly label: string;
  readonly Icon: typeof IconKey;
  readonly letter?: string;
};

const signals: Place = { to: '/signals', label: 'Signals', Icon: IconActivity, letter: 's' };
const settings: Place = { to: '/profile/api', label: 'API settings', Icon: IconKey, letter: 'a' };

const profile: Place = { to: '/profile', label: 'Profile', Icon: IconUser, letter: 'p' };

/** Pages that the navigation shows, in groups; the first group has no title. */
export const groups: readonly { readonly title?: string; readonly places: readonly Place[] }[] = [
  {
    places: [
      { to: '/getting-started', label: 'Getting started', Icon: IconRocket, letter: 't' },
      signals,
      { to: '/events', label: 'Events', Icon: IconBolt, letter: 'e' },
      { to: '/backtests', label: 'Backtests', Icon: IconFlask, letter: 'b' },
      { to: '/webhooks', label: 'Webhooks', Icon: IconWebhook, letter: 'w' },
    ],
  },
  {
    title: 'API',
    places: [
      { to: '/usage', label: 'Usage', Icon: IconChartBar, letter: 'u' },
      { to: '/requests', label: 'Requests', Icon: IconListDetails, letter: 'r' },
      settings,
    ],
  },
];

export const lettered = [...groups.flatMap(({ places }) => places), profile].flatMap(
  ({ to, label, letter }) => (letter === undefined ? [] : [{ to, label, letter }]),
);

/** Pages that need no account. */
export const elsewhere = [
  { to: '/docs', label: 'Documentation' },
  { to: '/docs/reference', label: 'API reference' },
  { to: '/record', label: 'Record' },
] as const;

/** For accounts that are marked as operators. */
export const operatorGroup = {
  title: 'System',
  places: [{ to: '/operator', label: 'Operator', Icon: IconShieldCog }],
} as const;

/** Pages of the menu of the account. */
export const accountPlaces: readonly Place[] = [
  profile,
  settings,
  { to: '/profile/members', label: 'Members', Icon: IconUsers },
  { to: '/profile/security', label: 'Security', Icon: IconShieldLock },
];

/** Only owners see what happened to the account. */
export const activity: Place = { to: '/profile/audit', label: 'Activity', Icon: IconHistory };

/** Reached from other pages, and by search. */
export const definitions: Place = { to: '/definitions', label: 'How figures are defined', Icon: IconRuler2 };
