import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { CURRENCY_CODES } from './contract/currencies.ts'
import { findCycles, findLongFunctions, importsOf, isAllowed, type Room, roomOf } from './testing/house.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const CORE = [
  'contract',
  'errors',
  'messages',
  'accounts',
  'id',
  'merchants',
  'receivers',
  'storage',
  'providers/registry',
]
const PORT = ['providers/driver', 'providers/fiscal']
/** Every other folder of providers/ is a driver. */
const NOT_DRIVERS = ['arca', 'driver', 'fiscal', 'http']
const DRIVERS = readdirSync(join(ROOT, 'server/providers'), { withFileTypes: true })
  .filter((each) => each.isDirectory() && !NOT_DRIVERS.includes(each.name))
  .map(({ name }) => `providers/${name}`)
/** Payment statuses are derived from what a driver says: it knows none. */
const STATUSES = ['server/contract/payment.ts']
const DRIVER: Room = {
  rooms: ['contract', 'errors', 'providers/driver'],
  types: ['providers/http'],
  packages: ['zod'],
  never: STATUSES,
}
const OF_ARCA: Room = { ...DRIVER, rooms: ['contract', 'errors', 'providers/driver', 'providers/arca'] }
const ATTEMPTS = {
  rooms: [...CORE, 'context', 'payments', 'payments/entries', 'payments/transfers', 'providers/http'],
  types: PORT,
}
const FAMILY = { ...ATTEMPTS, rooms: [...ATTEMPTS.rooms, 'payments/attempts'] }

/**
 * Who may import whom. A room is a folder of server/, a file of its own, a family of payments/ or a driver of providers/.
 * `types`: rooms of which only types may be imported. `files`: files and folders that may be imported, though their room may not.
 * `never`: files that may not be imported at all. Node's own modules are free to all but contract and errors.
 */
const ROOMS: Record<string, Room> = {
  contract: { packages: ['zod'] },
  errors: { rooms: ['messages'], types: ['contract'] },
  // The texts that people read.
  messages: { types: ['contract'], packages: ['intl-messageformat'] },
  version: {},
  invocation: {},
  probes: {},
  readiness: { rooms: ['settings', 'storage'], types: ['context'] },
  id: { types: ['contract'] },
  complaint: { rooms: ['messages'], packages: ['zod'] },
  spelling: {},
  settings: {
    rooms: ['accounts', 'complaint', 'contract', 'limits', 'outbound', 'providers/registry', 'spelling'],
    packages: ['zod'],
  },
  config: { rooms: ['settings'] },
  limits: { types: ['contract', 'log'], packages: ['zod'] },
  secrets: { rooms: ['errors', 'postgres', 'settings', 'storage'], types: ['config', 'contract'] },
  metrics: {
    rooms: ['config', 'contract', 'probes', 'settings', 'start', 'storage', 'worlds'],
    types: ['context'],
    packages: ['prom-client'],
  },
  outbound: { rooms: ['errors'], packages: ['undici'] },
  'card-number': { rooms: ['errors'] },
  // Amounts and times as people and banks write them. Every field and every file that has them uses it.
  written: { rooms: ['contract'] },
  log: { rooms: ['card-number', 'storage'], types: ['providers/http'], packages: ['pino'] },
  context: {
    types: [
      'accounts',
      'config',
      'contract',
      'limits',
      'log',
      'metrics',
      'outbound',
      'storage',
      'secrets',
      'providers/http',
      'providers/registry',
      'sandbox',
    ],
  },
  worlds: { rooms: ['id'], types: ['context'] },
  'providers/driver': {
    rooms: ['messages'],
    types: ['contract', 'providers/http'],
    packages: ['zod'],
    never: STATUSES,
  },
  'providers/http': { rooms: ['messages', 'log', 'outbound'] },
  'providers/registry': {
    rooms: ['contract', ...DRIVERS, 'providers/driver', 'providers/fiscal', 'providers/manual'],
    packages: ['zod'],
  },
  'providers/manual': { rooms: ['contract'], types: ['providers/driver'], packages: ['zod'] },
  ...Object.fromEntries(DRIVERS.map((name) => [name, DRIVER])),
  'providers/stripe': { ...DRIVER, packages: ['stripe', 'zod'] },
  // What the drivers of banks that stand before ArCa's gateway share.
  'providers/arca': DRIVER,
  'providers/ameria': OF_ARCA,
  'providers/rbs': OF_ARCA,
  'providers/fiscal': {
    rooms: ['contract', 'errors'],
    types: ['providers/driver', 'providers/http'],
    packages: ['zod'],
  },
  backup: { rooms: ['messages', 'audit', 'contract', 'errors', 'postgres', 'storage'], packages: ['zod'] },
  storage: {
    rooms: ['messages', 'errors', 'invocation', 'version'],
    types: ['contract'],
    packages: ['pg', 'pg-copy-streams', 'graphile-worker'],
  },
  postgres: { packages: ['pg'] },
  accounts: {
    rooms: [
      'complaint',
      'contract',
      'errors',
      'id',
      'notices',
      'providers/registry',
      'recording',
      'settings',
      'storage',
    ],
    types: ['context', 'providers/driver', 'secrets'],
    files: ['server/providers/driver/timeouts.ts'],
    packages: ['zod'],
  },
  merchants: {
    rooms: ['messages', 'card-number', 'contract', 'context', 'errors', 'id', 'notices', 'storage'],
    packages: ['sharp'],
  },
  receivers: {
    rooms: ['contract', 'context', 'errors', 'id', 'merchants', 'notices', 'outbound', 'storage'],
  },
  // What people are told about changes, in the transaction of the change.
  notices: { rooms: ['id', 'storage'], types: ['context'] },
  channels: {
    rooms: ['messages', 'contract', 'errors', 'limits', 'merchants', 'storage', 'version'],
    types: ['context'],
    packages: ['htmlparser2'],
  },
  // What is said between a driver and its provider, with stand-ins for everything private.
  recording: { rooms: ['errors'], types: ['providers/driver', 'providers/http'], packages: ['zod'] },
  payments: {
    rooms: [...CORE, 'context', 'providers/http', 'payments/entries', 'payments/transfers', 'written'],
    types: PORT,
  },
  // A real order with test money.
  proof: {
    rooms: ['messages', ...CORE, 'context', 'operator', 'payments', 'payments/*', 'providers/driver'],
  },
  'payments/attempts': ATTEMPTS,
  // The ledger of a payment decides by what is recorded, and knows nothing of statuses.
  'payments/entries': { rooms: ['storage'], types: ['contract', ...PORT], never: STATUSES },
  // What a buyer needs for a bank transfer, as facts.
  'payments/transfers': { rooms: ['contract', 'id'], types: ['providers/registry', 'storage', ...PORT] },
  'payments/callbacks': {
    ...FAMILY,
    rooms: [...FAMILY.rooms, 'payments/restored', 'payments/saved-methods'],
  },
  'payments/creation': { ...FAMILY, rooms: [...FAMILY.rooms, 'payments/restored'] },
  'payments/operations': { ...FAMILY, rooms: [...FAMILY.rooms, 'payments/restored'] },
  'payments/receipts': FAMILY,
  'payments/restored': { ...FAMILY, rooms: [...FAMILY.rooms, 'payments/subscriptions'] },
  'payments/saved-methods': { ...FAMILY, rooms: [...FAMILY.rooms, 'payments/operations'] },
  'payments/subscriptions': {
    ...FAMILY,
    rooms: [...FAMILY.rooms, 'payments/creation', 'payments/saved-methods'],
  },
  'payments/decisions': {
    ...FAMILY,
    rooms: [...FAMILY.rooms, 'payments/operations', 'payments/saved-methods'],
  },
  // A mail uses the texts, the marks and the colours of the hosted pages, so that it looks like them.
  mail: {
    rooms: ['messages', 'invocation', 'operator', 'pages', 'payments', 'payments/*', 'storage'],
    types: ['context', 'contract'],
    files: ['server/access/address.ts'],
    packages: ['nodemailer', 'preact', 'preact-render-to-string'],
  },
  worker: {
    rooms: [
      'messages',
      'access',
      'accounts',
      'audit',
      'context',
      'errors',
      'id',
      'log',
      'mail',
      'operator',
      'orders',
      'payments',
      'payments/*',
      'receivers',
      'storage',
    ],
    types: ['outbound'],
    files: ['server/acts/policy.ts'],
    packages: ['graphile-worker'],
  },
  // The worker, because moving the sandbox's clock does the work that becomes due on the way.
  operator: {
    rooms: [
      'access',
      'accounts',
      'audit',
      'card-number',
      'context',
      'contract',
      'errors',
      'id',
      'merchants',
      'notices',
      'orders',
      'receivers',
      'reports',
      'secrets',
      'channels',
      'start',
      'storage',
      'worker',
      'payments',
      'payments/*',
      'worlds',
      'written',
    ],
    packages: ['csv-stringify', 'zod'],
    // Which facts have words, so that one without them does not compile.
    types: ['messages', 'providers/driver', 'providers/registry'],
    // The check of an account adds its own findings to those of the driver.
    files: [
      'server/acts/fitting.ts',
      'server/acts/policy.ts',
      // What the second person decides about stands in the rows of the acts.
      'server/acts/guarded.ts',
      'server/providers/driver/finding.ts',
      'server/providers/driver/provider-clock.ts',
    ],
  },
  // What a shop does with its sales. It gets the same signed events as any receiver.
  orders: {
    rooms: ['context', 'contract', 'errors', 'id', 'merchants', 'receivers', 'storage'],
    types: ['outbound'],
  },
  // What the books add up to, as facts. Whoever shows them words them.
  reports: {
    rooms: ['context', 'contract', 'errors', 'storage', 'written'],
    files: ['server/merchants/look-alikes.ts', 'server/payments/money.ts'],
    packages: ['fflate', 'htmlparser2', 'zod'],
  },
  // Who did what: the operators, the log and its checkpoints.
  audit: { rooms: ['context', 'errors', 'id', 'invocation', 'merchants', 'postgres', 'settings', 'storage'] },
  // What people see, as functions from facts to HTML.
  pages: {
    rooms: [
      'messages',
      'card-number',
      'channels',
      'contract',
      'errors',
      'id',
      'merchants',
      'operator',
      'orders',
      'payments',
      'payments/*',
      'receivers',
    ],
    types: ['context', 'limits'],
    files: ['server/limits/cost.ts'],
    packages: ['htm', 'preact', 'preact-render-to-string', 'uqr'],
  },
  http: {
    rooms: [
      'messages',
      'card-number',
      'channels',
      'complaint',
      'contract',
      'errors',
      'id',
      'limits',
      'merchants',
      'pages',
      'payments',
      'payments/*',
      'spelling',
      'version',
      'worlds',
    ],
    types: ['context'],
    packages: ['express', 'helmet', 'zod', 'minisearch', 'preact', 'preact-render-to-string', 'raw-body'],
  },
  // Runs while the project is built. The service only reads what it wrote.
  documents: {
    rooms: ['messages', 'contract', 'errors', 'http', 'pages', 'payments', 'version'],
    types: ['limits'],
    packages: ['htmlparser2', 'marked', 'minisearch'],
  },
  // What a person may do. Rooms below read `policy.ts`: who may, and how it is guarded.
  acts: {
    rooms: [
      'access',
      'accounts',
      'audit',
      'card-number',
      'channels',
      'contract',
      'errors',
      'mail',
      'merchants',
      'operator',
      'payments',
      'payments/*',
      'receivers',
      'reports',
      'storage',
    ],
    types: ['context', 'messages'],
    packages: ['zod'],
  },
  // Users of the console, and how they sign in.
  access: {
    rooms: ['audit', 'context', 'errors', 'id', 'limits', 'log', 'notices', 'storage'],
    types: ['config', 'contract'],
    files: ['server/acts/guards.ts', 'server/acts/policy.ts'],
    packages: ['@simplewebauthn/server', 'otpauth'],
  },
  // The other face of operating, beside the command line: pages over the same verbs, at an address of their own.
  console: {
    rooms: [
      'messages',
      'acts',
      'access',
      'accounts',
      'audit',
      'channels',
      'config',
      'context',
      'contract',
      'errors',
      'http',
      'id',
      'merchants',
      'operator',
      'pages',
      'payments',
      'payments/*',
      'probes',
      'receivers',
      'reports',
      'settings',
      'storage',
      'version',
      'worlds',
      'written',
    ],
    // Trying the mail server sends no mail.
    files: ['server/limits/network.ts', 'server/mail/smtp.ts'],
    packages: ['express', 'htm', 'preact', 'preact-render-to-string'],
  },
  demo: {
    rooms: ['contract', 'context', 'merchants', 'operator', 'orders', 'receivers', 'storage'],
    packages: ['express', 'zod'],
  },
  greeting: { rooms: ['demo', 'invocation', 'settings', 'version'], types: ['context', 'contract'] },
  // Commands call the rooms' own verbs. operator/ contains only what combines several rooms.
  admin: {
    rooms: [
      'messages',
      'acts',
      'access',
      'accounts',
      'audit',
      'backup',
      'config',
      'context',
      'contract',
      'diagnosis',
      'errors',
      'id',
      'invocation',
      'mail',
      'merchants',
      'receivers',
      'reports',
      'channels',
      'operator',
      'orders',
      'payments',
      'payments/*',
      'proof',
      'recording',
      'secrets',
      'service',
      'settings',
      'start',
      'storage',
      'version',
      'worlds',
      'written',
    ],
    types: ['worker'],
    // What a second person reads is worded alike on every face.
    files: ['server/pages/approvals/facts.ts', 'server/pages/approvals/messages.ts'],
    packages: ['commander', 'zod', 'htm', 'preact-render-to-string'],
  },
  // The one room that a live world does not need. Only what assembles the sandbox's world imports it.
  sandbox: {
    rooms: ['messages', 'context', 'contract', 'pages'],
    types: ['limits', 'log'],
    files: [
      'server/limits/cost.ts',
      'server/providers/sandbox/wire.ts',
      'server/providers/fiscal/sandbox/wire.ts',
      'server/storage/db.ts',
      'server/storage/sandbox/',
    ],
    packages: ['zod'],
  },
  world: {
    rooms: [
      'accounts',
      'context',
      'limits',
      'log',
      'metrics',
      'outbound',
      'providers/http',
      'readiness',
      'sandbox',
      'settings',
      'storage',
    ],
    types: ['config', 'contract'],
  },
  start: {
    rooms: ['messages', 'audit', 'context', 'errors', 'invocation', 'postgres', 'settings', 'storage'],
    types: ['config', 'contract', 'log'],
    packages: ['graphile-worker'],
  },
  service: {
    rooms: ['accounts', 'limits', 'log', 'sandbox', 'secrets', 'start', 'storage', 'world', 'worlds'],
    types: ['config', 'context'],
  },
  app: {
    rooms: ['messages', 'demo', 'errors', 'http', 'id', 'pages', 'probes', 'sandbox', 'worlds'],
    types: ['channels', 'context'],
    packages: ['express'],
  },
  main: { rooms: ['serve', 'start'] },
  dev: { rooms: ['documents', 'postgres'] },
  serve: {
    rooms: [
      'app',
      'channels',
      'config',
      'console',
      'context',
      'demo',
      'greeting',
      'http',
      'id',
      'invocation',
      'metrics',
      'operator',
      'payments/restored',
      'probes',
      'secrets',
      'service',
      'settings',
      'start',
      'worker',
    ],
  },
  diagnosis: {
    rooms: [
      'messages',
      'audit',
      'context',
      'contract',
      'errors',
      'invocation',
      'limits',
      'log',
      'operator',
      'outbound',
      'postgres',
      'sandbox',
      'secrets',
      'settings',
      'start',
      'storage',
      'world',
      'worlds',
    ],
    types: ['config'],
  },
  release: {
    rooms: ['invocation', 'version'],
    // A release needs green long tests.
    files: ['server/testing/long/'],
    packages: ['commander', 'tar'],
  },
  // The plug-ins stand on the clients, and import nothing of the server.
  plugins: { packages: ['fflate'] },
  bench: {
    rooms: [
      'accounts',
      'card-number',
      'channels',
      'config',
      'context',
      'contract',
      'id',
      'merchants',
      'operator',
      'postgres',
      'reports',
      'service',
      'storage',
      'version',
    ],
    packages: ['commander', 'express', 'helmet', 'pg', 'zod'],
  },
}

const isTest = (file: string) =>
  /\.(test|suite|spec|long)\.tsx?$/.test(file) || file.startsWith('server/testing/')
const isSource = (file: string) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts')

function listSources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter(isSource)
}
const listFiles = (folder: string) => listSources(folder).filter((file) => !isTest(file))

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
/** Returns the text without comments, so that a comment may name a rule. */
const code = (file: string) =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')

const server = listFiles('server')
const imports = new Map(server.map((file) => [file, importsOf(file, read(file))]))

describe('the import table', () => {
  for (const room of new Set(server.map(roomOf)))
    test(`${room} imports only what it may`, () => {
      const allowed = ROOMS[room]
      expect(allowed, `server/${room} is not in the table`).toBeDefined()
      const wrong = [...imports]
        .filter(([file]) => roomOf(file) === room)
        .flatMap(([, all]) => all)
        .filter((each) => !isAllowed(room, allowed ?? {}, each, builtinModules))
      expect(wrong.map(({ from, target }) => `${from} imports ${target}`)).toEqual([])
    })

  test('no import cycle exists, type imports included', () => {
    expect(findCycles(imports)).toEqual([])
  })

  test('the widget and e2e import only types from the server', () => {
    for (const file of [...listFiles('widget'), ...listFiles('e2e')])
      for (const { target, typeOnly } of importsOf(file, read(file)))
        if (target.startsWith('server/'))
          expect([file, typeOnly, target.includes('server/contract/')]).toEqual([file, true, true])
  })
})

describe('the clients', () => {
  const isClient = (file: string) => file.startsWith('server/clients/')
  const all = readdirSync(join(ROOT, 'server/clients/node'))
    .map((name) => `server/clients/node/${name}`)
    .filter((file) => /\.mts$|\.mjs$/.test(file))

  test('are files to copy: each imports only its neighbours and Node', () => {
    const wrong = all
      .flatMap((file) => importsOf(file, read(file)))
      .filter(({ from, target }) => !target.startsWith('node:') && dirname(target) !== dirname(from))
    expect([all.length > 0, wrong]).toEqual([true, []])
  })

  test('are imported by nobody but tests', () => {
    const users = [...imports].filter(([, found]) => found.some(({ target }) => isClient(target)))
    expect(users.map(([file]) => file)).toEqual([])
  })
})

describe('one place each', () => {
  const ENTRIES = [
    'server/main.ts',
    'server/dev.ts',
    'server/documents/build.ts',
    'server/admin/main.ts',
    'server/release/main.ts',
    'server/plugins/woocommerce/pack.ts',
    'server/bench/compare.ts',
    'server/bench/scene.ts',
    'server/bench/poster.ts',
    'server/bench/attacker.ts',
    'server/bench/strangers.ts',
    'server/bench/access/sign-ins.ts',
    'server/bench/money/refunds.ts',
    'server/bench/worlds.ts',
    'server/bench/unwell.ts',
    'server/bench/memory.ts',
    'server/bench/statement.ts',
    'server/bench/neighbour.ts',
    'server/bench/baseline-server.ts',
    'e2e/support/browser.ts',
    'playwright.config.ts',
  ]
  /** Texts of programs that the reference shows to its readers. */
  const SHOWN = ['samples.ts', 'client-calls.ts'].map((file) => `server/documents/reference/${file}`)
  const all = [...server, ...listFiles('widget')].filter((file) => !SHOWN.includes(file))
  const STATUS_WRITERS = [
    'server/payments/transition.ts',
    'server/storage/payments/payments.ts',
    'server/storage/payments/payment-creation.ts',
  ]
  const CODES = CURRENCY_CODES.join('|')
  const rules: [string, RegExp, (file: string) => boolean][] = [
    ['process.env is read only in the entries', /process\.env/, (file) => ENTRIES.includes(file)],
    [
      'console is used only in the entries and widget/config.ts',
      /\bconsole\./,
      (file) => [...ENTRIES, 'widget/config.ts'].includes(file),
    ],
    [
      'the time of day and randomness enter only through context.ts',
      /Date\.now\(|new Date\(\)|Math\.random\(|randomUUID\(/,
      (file) => file === 'server/context.ts' || /^(widget|server\/bench)\//.test(file),
    ],
    [
      'a status is written only by transition.ts, through the two statements that do so',
      /\b(updatePaymentStatus|finishPayment)\(/,
      (file) => STATUS_WRITERS.includes(file),
    ],
    [
      'SQL is only in storage and postgres',
      /\b(insert into|delete from|update [\w.]+ set|select [^'"`]+ from)\b/,
      (file) => /^server\/(storage|postgres|bench)\//.test(file),
    ],
    [
      'Express is used only in http, console, demo and app',
      /from 'express'/,
      (file) => /^server\/(http|demo|bench|console)\/|^server\/app\.ts$/.test(file),
    ],
    [
      'requests go out only through outbound/',
      /\bfetch\(|from 'node:https?'|from 'undici/,
      (file) =>
        // The demo is a shop: it calls Kassa over HTTP.
        /^(widget|server\/bench|server\/demo|server\/outbound)\//.test(file) ||
        ['server/serve.ts', 'server/http/server.ts', 'server/metrics/serve.ts', 'server/probes.ts'].includes(
          file,
        ),
    ],
    [
      "an operator's command is named only in admin, the guides, the greeting and mails to the operator",
      /run -s admin|\bADMIN\b/,
      (file) =>
        /^server\/(admin|guides)\//.test(file) ||
        [
          // Sentences of the doctor, of the start, and of a refused command.
          'server/audit/state.ts',
          'server/diagnosis/audit-log.ts',
          'server/diagnosis/waiting.ts',
          'server/diagnosis/database.ts',
          'server/greeting.ts',
          'server/invocation.ts',
          // The operator's mail.
          'server/mail/notice.ts',
          'server/mail/approval-waits.ts',
          'server/mail/desk-notice.ts',
          'server/start/checks.ts',
          'server/storage/upgrade/apply.ts',
        ].includes(file),
    ],
    [
      'what a currency is like is only in its row, and in the drivers of providers with rules of their own',
      new RegExp(`[!=]== '(${CODES})'|(^|[{,]\\s*)(${CODES}): |('(${CODES})', ){2}`, 'm'),
      (file) => /^server\/(contract\/currencies\.ts|providers\/\w+\/)/.test(file),
    ],
    [
      'nothing is put into a page as raw markup',
      /dangerouslySetInnerHTML|innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function\(/,
      () => false,
    ],
    [
      'a program is started with a list of arguments, and never by a shell',
      /\b(exec|execSync)\b[^'"]*from 'node:child_process'|child_process'\)|\bshell:/,
      () => false,
    ],
  ]
  for (const [name, pattern, isExcepted] of rules)
    test(name, () => {
      expect(all.filter((file) => pattern.test(code(file)) && !isExcepted(file))).toEqual([])
    })

  test('a status is never written in SQL elsewhere', () => {
    const writers = server.filter((file) => /update world\.payments set status/.test(read(file)))
    expect(writers.sort()).toEqual(STATUS_WRITERS.filter((file) => file.includes('/storage/')).sort())
  })
})

test('the map in README.md has every room and file of the server, and nothing else', () => {
  const map =
    /\n## The map\n([\s\S]*?)\n## /.exec(readFileSync(join(ROOT, 'server/README.md'), 'utf8'))?.[1] ?? ''
  const named = [...map.matchAll(/^\| (`.*?) \|/gm)].flatMap(
    ([, names = '']) => names.match(/[a-z-]+/g) ?? [],
  )
  const present = readdirSync(join(ROOT, 'server'))
    .filter((name) => !/\.(md|test\.ts|suite\.ts|long\.ts)$/.test(name))
    .map((name) => name.replace(/\.(ts|js)$/, ''))
  expect([...new Set(named)].toSorted()).toEqual([...new Set(present)].toSorted())
})

test('the way from a click to an event in README.md names files and functions that exist', () => {
  const chapter =
    /\n## From a click to an event\n([\s\S]*?)\n## /.exec(
      readFileSync(join(ROOT, 'server/README.md'), 'utf8'),
    )?.[1] ?? ''
  const cells = [...chapter.matchAll(/^\| \d\. .* \| (.+) \|$/gm)].map(([, cell = '']) => cell)
  expect(cells.length).toBe(9)
  const places = cells.flatMap((cell) => cell.split(', ').map((place) => [...place.matchAll(/`(.+?)`/g)]))
  const wrong = places
    .map((place) => place.map(([, text = '']) => text))
    .filter(([file = '', name]) => !(name ? exportsName(file, name) : existsSync(join(ROOT, file))))
  expect(wrong).toEqual([])
})

function exportsName(file: string, name: string): boolean {
  if (!existsSync(join(ROOT, file))) return false
  return new RegExp(`^export (async )?(function|const) ${name}\\b`, 'm').test(read(file))
}

test('no file has more than 255 lines', () => {
  const isLong = (file: string) => read(file).split('\n').length > 255
  const isGenerated = (file: string) => read(file).startsWith('/** Written by `npm run generate')
  const long = [...server, ...listFiles('widget')].filter((file) => isLong(file) && !isGenerated(file))
  expect(long).toEqual([])
})

test('no function has more than 60 lines', () => {
  const files = [...server, ...listFiles('widget'), ...listSources('server/testing'), ...listFiles('e2e')]
  const long = files.flatMap((file) => findLongFunctions(file, read(file), 60))
  expect(long).toEqual([])
})

test('no folder has more than 25 files', () => {
  const count = new Map<string, number>()
  for (const file of server) {
    const folder = file.slice(0, file.lastIndexOf('/'))
    count.set(folder, (count.get(folder) ?? 0) + 1)
  }
  expect([...count].filter(([, files]) => files > 25)).toEqual([])
})
