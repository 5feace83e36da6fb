import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/**
 * Who may import whom. A room is a folder of server/, or a file of its own. `types`: rooms of which only types may be
 * imported. Node's own modules are free to all but contract, errors and the widget.
 */
const ROOMS: Record<string, { rooms?: string[]; types?: string[]; packages?: string[] }> = {
  contract: { packages: ['zod'] },
  errors: { types: ['contract'] },
  version: {},
  'widget-build': {},
  'widget-release': { rooms: ['storage', 'version', 'widget-build'], types: ['context'] },
  complaint: { packages: ['zod'] },
  config: { rooms: ['complaint', 'contract', 'limits'], packages: ['zod'] },
  clock: { rooms: ['context', 'storage'], types: ['log'] },
  limits: { types: ['log'], packages: ['ioredis'] },
  vault: {},
  metrics: { rooms: ['config', 'storage'], types: ['context', 'contract'], packages: ['prom-client'] },
  outbound: { rooms: ['errors', 'outbound-address'] },
  'outbound-address': {},
  'card-number': {},
  log: { rooms: ['card-number'], packages: ['pino'] },
  context: { types: ['config', 'limits', 'log', 'metrics', 'outbound', 'providers', 'storage', 'vault'] },
  events: { types: ['contract'] },
  providers: { rooms: ['contract', 'errors'], packages: ['zod'] },
  storage: { rooms: ['errors'], types: ['contract'], packages: ['pg', 'graphile-worker'] },
  merchants: { rooms: ['contract', 'context', 'errors', 'events', 'outbound', 'storage'] },
  payments: { rooms: ['contract', 'context', 'errors', 'events', 'merchants', 'storage', 'providers'] },
  worker: {
    rooms: ['context', 'errors', 'events', 'merchants', 'payments', 'storage'],
    types: ['outbound'],
    packages: ['graphile-worker'],
  },
  http: {
    rooms: [
      ...['card-number', 'complaint', 'contract', 'errors', 'merchants', 'payments'],
      ...['version', 'widget-release'],
    ],
    types: ['widget-build', 'context', 'limits', 'providers'],
    packages: ['express', 'helmet', 'zod', 'htm', 'marked', 'preact', 'preact-render-to-string', 'uqr'],
  },
  demo: { rooms: ['contract', 'context', 'merchants', 'storage'], packages: ['express', 'zod'] },
  greeting: { rooms: ['demo', 'version'], types: ['context'] },
  service: {
    rooms: [
      'clock',
      'config',
      'context',
      'limits',
      'log',
      'metrics',
      'outbound',
      'providers',
      'storage',
      'vault',
    ],
  },
  app: { rooms: ['context', 'demo', 'errors', 'http'], types: ['widget-release'], packages: ['express'] },
  main: {
    rooms: [
      'app',
      'config',
      'context',
      'demo',
      'greeting',
      'http',
      'metrics',
      'service',
      'widget-release',
      'worker',
    ],
  },
  admin: {
    rooms: [
      'config',
      'context',
      'contract',
      'errors',
      'merchants',
      'payments',
      'service',
      'version',
      'widget-release',
      'worker',
    ],
    packages: ['commander', 'zod', 'htm', 'preact-render-to-string'],
  },
  bench: {
    rooms: ['config', 'context', 'contract', 'merchants', 'service', 'storage', 'worker'],
    packages: ['commander', 'express', 'helmet', 'pg', 'pino', 'zod'],
  },
}

const isTest = (file: string) =>
  /\.(test|suite|spec|long)\.tsx?$/.test(file) || file.startsWith('server/testing/')
const isSource = (file: string) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts')

function listFiles(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
    .filter((file) => isSource(file) && !isTest(file))
}

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
/** The text without comments, so that a rule may be named in one. */
const code = (file: string) =>
  read(file)
    .replaceAll(/\/\*[\s\S]*?\*\//g, '')
    .replaceAll(/(^|\s)\/\/.*$/gm, '')
const roomOf = (file: string) => file.split('/')[1]?.replace(/\.ts$/, '') ?? ''

type Import = { from: string; target: string; typeOnly: boolean }
function importsOf(file: string): Import[] {
  const pattern = /^(?:import|export)\s+(type\s+)?(?:([^'"]*?)\s+from\s+)?['"]([^'"]+)['"]/gm
  return [...read(file).matchAll(pattern)].map(([, type, names = '', target = '']) => {
    const listed =
      /^\{([^}]*)\}$/s
        .exec(names.trim())?.[1]
        ?.split(',')
        .map((name) => name.trim())
        .filter(Boolean) ?? []
    const typeOnly =
      type !== undefined || (listed.length > 0 && listed.every((name) => name.startsWith('type ')))
    return { from: file, target, typeOnly }
  })
}

const server = listFiles('server')

describe('the import table', () => {
  for (const room of new Set(server.map(roomOf)))
    test(`${room} imports only what it may`, () => {
      const allowed = ROOMS[room]
      expect(allowed, `server/${room} is not in the table`).toBeDefined()
      const wrong = server
        .filter((file) => roomOf(file) === room)
        .flatMap(importsOf)
        .filter((each) => !isAllowed(room, each))
      expect(wrong.map(({ from, target }) => `${from} imports ${target}`)).toEqual([])
    })

  test('a driver never imports another driver', () => {
    const files = server.filter(
      (file) => /^server\/providers\/[a-z]+\.ts$/.test(file) && !/(routes|driver)\.ts$/.test(file),
    )
    for (const file of files)
      for (const { target } of importsOf(file))
        expect(files.includes(normalize(join(dirname(file), target))), `${file} imports ${target}`).toBe(
          false,
        )
  })

  test('the widget and e2e take only types from the server', () => {
    for (const file of [...listFiles('widget'), ...listFiles('e2e')])
      for (const { target, typeOnly } of importsOf(file))
        if (target.includes('server/'))
          expect([file, typeOnly, target.includes('server/contract/')]).toEqual([file, true, true])
  })
})

function isAllowed(room: string, { from, target, typeOnly }: Import): boolean {
  const { rooms = [], types = [], packages = [] } = ROOMS[room] ?? {}
  if (target.startsWith('node:')) return !['contract', 'errors'].includes(room)
  if (!target.startsWith('.')) {
    const name = target.startsWith('@')
      ? target.split('/').slice(0, 2).join('/')
      : (target.split('/')[0] ?? '')
    return packages.includes(name) && !builtinModules.includes(name)
  }
  const other = roomOf(normalize(join(dirname(from), target)))
  return other === room || rooms.includes(other) || (typeOnly && types.includes(other))
}

describe('one place each', () => {
  const ENTRIES = [
    'server/main.ts',
    'server/admin.ts',
    'server/bench/main.ts',
    'server/bench/events.ts',
    'server/bench/baseline-server.ts',
    'e2e/support/browser.ts',
    'playwright.config.ts',
  ]
  /** Texts of programs that the reference shows to its readers. */
  const SHOWN = ['server/http/reference/samples.ts', 'server/http/reference/verify-samples.ts']
  const all = [...server, ...listFiles('widget')].filter((file) => !SHOWN.includes(file))
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
      (file) =>
        file === 'server/context.ts' || file.startsWith('widget/') || file.startsWith('server/bench/'),
    ],
    [
      'a status is written only by transition.ts, through the two statements that do so',
      /\b(updatePaymentStatus|finishPayment)\(/,
      (file) =>
        [
          'server/payments/transition.ts',
          'server/storage/payments.ts',
          'server/storage/payment-creation.ts',
        ].includes(file),
    ],
    [
      'SQL stands only in storage',
      /\b(insert into|delete from|update \w+ set|select [^'"`]+ from)\b/,
      (file) => /^server\/(storage|bench)\//.test(file),
    ],
    [
      'Express is used only in http and app',
      /from 'express'/,
      (file) => /^server\/(http|demo|bench)\/|^server\/(app|main)\.ts$/.test(file),
    ],
    [
      'nothing is put into a page as raw markup',
      /dangerouslySetInnerHTML|innerHTML|\beval\(|new Function\(/,
      () => false,
    ],
  ]
  for (const [name, pattern, isExcepted] of rules)
    test(name, () => {
      expect(all.filter((file) => pattern.test(code(file)) && !isExcepted(file))).toEqual([])
    })

  test('a status is never written in SQL elsewhere', () => {
    const writers = server.filter((file) => /update payments set status/.test(read(file)))
    expect(writers.sort()).toEqual(['server/storage/payment-creation.ts', 'server/storage/payments.ts'])
  })
})

test('no file has outgrown its idea', () => {
  const long = [...server, ...listFiles('widget')].filter((file) => read(file).split('\n').length > 255)
  expect(long).toEqual([])
})
