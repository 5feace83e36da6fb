/**
 * The parts of the long tests: `npm run test:long -- PART`. Each takes at most 20 minutes on a quiet machine with two processors.
 * A test checks that each file of long tests belongs to exactly one part.
 */

/**
 * `files`: files of `.long.ts`, or beginnings of their paths. `browser`: what runs after them, beginning with the arguments of Playwright.
 * `rooms`: the files and folders whose change makes the last result old, beside the long tests themselves. A text counts only by its name.
 */
export type Part = {
  what: string
  files: readonly string[]
  browser?: readonly (readonly string[])[]
  rooms: readonly string[]
}

const inServer = (...rooms: string[]): string[] => rooms.map((room) => `server/${room}`)

/** What moves money, and what it stands on. */
const MONEY = inServer(
  'accounts',
  'contract',
  'payments',
  'providers',
  'sandbox',
  'storage',
  'worker',
  'outbound',
  'context.ts',
  'world.ts',
)
const DELIVERIES = inServer('receivers', 'orders', 'secrets', 'storage', 'worker', 'outbound')
/** What draws the pages of buyers. */
const PAGES = [...inServer('pages', 'http', 'contract', 'demo', 'mail'), 'public', 'widget']

export const PARTS = {
  payments: {
    what: 'Payments: kills, crashes and races at every point, with real processes. Drivers in other variants',
    files: inServer(
      'payments/attempts/',
      'payments/creation/',
      'payments/receipts/',
      'payments/saved-methods/',
      'payments/subscriptions/',
      'payments/status.',
      'payments/under-way',
      'payments/operations/refund-race',
      'accounts/',
      'proof/',
      'providers/',
      'testing/providers/',
      'recording/',
      'operator/clock-advance',
      'operator/acts/',
    ),
    rooms: MONEY,
  },
  model: {
    what: 'Random histories of payments, with a crash at any statement',
    files: inServer('payments/operations/model'),
    rooms: MONEY,
  },
  drivers: {
    what: 'Ten thousand payments over all drivers, with random faults',
    files: inServer('payments/all-drivers', 'payments/polled-drivers'),
    rooms: MONEY,
  },
  histories: {
    what: 'Random histories of shops at Stripe, PayPal and a bank',
    files: inServer('payments/operations/histories.long.ts'),
    rooms: MONEY,
  },
  deliveries: {
    what: 'Events, mails, orders and keys while workers are killed',
    files: inServer(
      'worker/',
      'receivers/',
      'orders/',
      'operator/orders/',
      'secrets/',
      'clients/',
      'documents/reference/',
    ),
    rooms: [...DELIVERIES, 'server/documents/reference', 'server/clients'],
  },
  backups: {
    what: 'Backups, restores and moves, with kills at each step',
    files: inServer('backup/', 'postgres/', 'audit/', 'admin/', 'payments/restored/'),
    rooms: inServer('backup', 'postgres', 'storage', 'payments/restored', 'secrets', 'audit'),
  },
  releases: {
    what: 'The archive, systemd, npm start and npm run dev, starts that are stopped, and two versions on one database',
    files: inServer('release/', 'storage/', 'start/', 'dev.', 'main.', 'mode.', 'npm-start.'),
    rooms: [...inServer('release', 'storage', 'start', 'deploy', 'settings', 'dev.ts'), 'package-lock.json'],
  },
  strangers: {
    what: 'Requests of attackers: generated, malformed, slow, too many',
    files: inServer('http/', 'limits/', 'card-number/', 'pages/'),
    rooms: inServer('http', 'limits', 'card-number', 'pages', 'contract'),
  },
  books: {
    what: 'Reports, comparisons and lists with very many payments',
    files: inServer('reports/', 'console/scale', 'operator/finding/'),
    rooms: inServer('reports', 'storage', 'operator', 'console/payments'),
  },
  console: {
    what: 'The console: every role on every page and form, by request, and the weight of each screen',
    files: inServer(
      'acts/',
      'console/payments/',
      'console/roles',
      'console/subscriptions/',
      'console/weight',
    ),
    rooms: inServer('acts', 'console', 'access', 'operator', 'audit'),
  },
  operating: {
    what: 'Every alert with a real Prometheus, and the doctor in every state',
    files: inServer('deploy/', 'diagnosis/'),
    rooms: inServer('deploy', 'metrics', 'diagnosis', 'start', 'readiness.ts'),
  },
  guides: {
    what: 'The guides, walked as they stand',
    files: inServer('guides/'),
    rooms: inServer(
      'guides',
      'contract',
      'pages',
      'providers/driver',
      'release',
      'deploy',
      'backup',
      // Their lines are walked.
      'guides/deploying.md',
      'guides/backup.md',
      'guides/upgrading.md',
      'guides/incidents.md',
    ),
  },
  platforms: {
    what: 'The plug-ins in real shop platforms: purchases, refunds, kills. `platforms NAME` runs one of them',
    files: inServer('testing/platforms/'),
    rooms: inServer('clients', 'plugins', 'receivers', 'worker', 'payments', 'sandbox'),
  },
  screens: {
    what: 'axe, and the size of each page, on every screen in every combination',
    files: [],
    browser: [['action', 'attempts', 'axe', 'console.spec', 'pollution', 'hostile-pages']],
    rooms: [...PAGES, 'server/console'],
  },
  walks: {
    what: 'Whole ways of shops and buyers in a browser, and each platform of a shop',
    files: [],
    browser: [['--grep', '@long']],
    rooms: [...PAGES, ...inServer('console', 'operator', 'orders', 'channels', 'payments'), 'e2e'],
  },
  interruptions: {
    what: 'Interrupted buyers, twenty times each, in Chromium and Firefox',
    files: [],
    browser: [['interruptions', 'firefox.spec', '--repeat-each', '20']],
    rooms: [...PAGES, 'server/payments/creation'],
  },
} as const satisfies Record<string, Part>
export type PartName = keyof typeof PARTS

export const PART_NAMES = Object.keys(PARTS) as PartName[]

/** Long files with an answer in place of a verdict. Each runs only by its name. */
export const TOOLS = [
  'server/payments/operations/histories-mutations.long.ts',
  'server/testing/snapshots/snapshot.long.ts',
]

/** Returns the parts to which a file of long tests belongs. */
export const partsOf = (file: string): PartName[] =>
  PART_NAMES.filter((name) => PARTS[name].files.some((start) => file.startsWith(start)))
