import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { ConfigError, readConfig } from '../config.ts'
import { manualDriver } from '../providers/manual.ts'
import { DRIVERS } from '../providers/registry.ts'
import { readRoutes } from './routes.ts'
import { SETTINGS } from './table.ts'

/** The lists in the messages: all drivers, and the drivers that move real money. */
const ALL_DRIVERS = Object.keys(DRIVERS).join(', ')
const LIVE_DRIVERS = Object.keys(DRIVERS)
  .filter((name) => DRIVERS[name]?.driver.liveCapable)
  .join(', ')
const KEY = Buffer.alloc(32, 7).toString('base64')
const LIVE = { MODE: 'live', BASE_URL: 'https://pay.example', SECRETS_KEY: KEY, TRUST_PROXY: '1' }

function problemsOf(environment: Record<string, string>): string[] {
  try {
    readConfig(environment)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

describe('a wrong value', () => {
  test.each([
    [{ PORT: 'x' }, 'PORT: must be a port number from 0 to 65535 (0 selects any free port), not "x"'],
    [{ PORT: '0x10' }, /^PORT: must be a port number .*, not "0x10"$/],
    [{ PORT: ' ' }, /^PORT: must be a port number .*, not " "$/],
    [{ MODE: 'live\r' }, 'MODE: must be one of sandbox, live, not "live\\r"'],
    [{ POOL_MAX: '501' }, 'POOL_MAX: must be a number of connections from 2 to 500, not "501"'],
    [{ LINK_TTL: '7776001' }, 'LINK_TTL: must be a whole number of seconds from 1 to 7776000, not "7776001"'],
    [{ EVENT_TIMEOUT: '31' }, 'EVENT_TIMEOUT: must be a number of seconds from 0.1 to 30, not "31"'],
    [{ DUNNING_DELAYS: '1,b' }, /^DUNNING_DELAYS: must be whole seconds separated by commas, .* not "1,b"$/],
    [{ SEED_DEMO: 'yes' }, 'SEED_DEMO: must be true or false, not "yes"'],
    [{ CALLBACK_ALLOW: 'http://x' }, /^CALLBACK_ALLOW: .*"http:\/\/x".* loopback, a host or host:port$/],
    [{ RATE_LIMITS: 'read=5:5' }, /^RATE_LIMITS: .*"read=5:5".*names write, lookup, /],
    ...[
      'https://*.example',
      'https://$DOMAIN',
      'https://pay..example',
      'https://0.0.0.0',
      'https://-pay',
    ].map((BASE_URL): [Record<string, string>, RegExp] => [
      { BASE_URL },
      /^BASE_URL: must have the name of one host.*pay\.example/,
    ]),
    [{ DATABASE_URL: 'mysql://root:hunter2@db' }, /^DATABASE_URL: must be a postgres:\/\/ address, such as/],
  ])('%j is reported with the values that are accepted', (environment, line) => {
    const problems = problemsOf(environment)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(line)
    expect(problems[0]).not.toContain('hunter2')
  })

  test('of every kind is reported at once: fixed settings, live mode, routes and misspelt names', () => {
    const problems = problemsOf({
      MODE: 'live',
      PORT: 'x',
      RATE_LIMITS: 'off',
      CALLBACK_ALLOW: 'bank.example,[::1]:4000',
      ROUTE_A_DRIVER: 'sandbox',
      ROUTE_B_DRIVER: 'strype',
      ROUTE_C_FISCAL: 'sandbox',
      METRICS_HOST: '::1',
      ROUTE_D_DRIVR: 'manual',
      DATABSE_URL: 'postgres://db.example/kassa',
    }).join('\n')
    for (const line of [
      /^PORT: must be/m,
      /^BASE_URL: live mode needs an https address/m,
      /^SECRETS_KEY: live mode needs a key of your own. Make one with: openssl/m,
      /^RATE_LIMITS: live mode needs rate limits/m,
      /^CALLBACK_ALLOW: live mode needs hosts other than this machine/m,
      new RegExp(
        `^ROUTE_A_DRIVER: must be one of ${LIVE_DRIVERS} in live mode, not "sandbox", which is simulated`,
        'm',
      ),
      /^ROUTE_C_FISCAL: must be one of off in live mode/m,
      new RegExp(
        `^route_b is not ready: There is no driver "strype". ROUTE_B_DRIVER must be one of ${ALL_DRIVERS}`,
        'm',
      ),
      /^METRICS_HOST has no effect, because METRICS_PORT is not set/m,
      /^TRUST_PROXY: live mode needs the number of the reverse proxies/m,
      /^ROUTE_D_DRIVR is not a setting.*Did you mean ROUTE_D_DRIVER\?/m,
      /^DATABSE_URL is not a setting.*Did you mean DATABASE_URL\?/m,
    ])
      expect(problems).toMatch(line)
  })
})

test.each([
  'loopback',
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'localhost.localdomain',
  'ip6-localhost',
  'ip6-loopback',
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.255.255.255',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0177.0.0.1',
  '017700000001',
  '0',
  '0.0',
  '0.0.0.0',
  '0x0',
  '00',
  '0.1.2.3',
  '000.000.000.000',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::0001]',
  '[::]',
  '[0:0:0:0:0:0:0:0]',
  '[0::0]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:0:0]',
  '[::ffff:0.0.0.0]',
  '[::127.0.0.1]',
  '[::0.0.0.1]',
])('live mode does not start with CALLBACK_ALLOW=%s, alone, with a port or beside another host', (host) => {
  for (const CALLBACK_ALLOW of [host, `${host}:8443`, `bank.example, ${host}`])
    expect([CALLBACK_ALLOW, ...problemsOf({ ...LIVE, CALLBACK_ALLOW })]).toEqual([
      CALLBACK_ALLOW,
      expect.stringMatching(/^CALLBACK_ALLOW: live mode needs hosts other than this machine/),
    ])
})

test.each([
  'bank.example',
  'localhost.example',
  '10.0.0.7',
  '128.0.0.1',
  '1.0.0.0',
  '[fd00::1]',
  '[::1:0:0:1]',
  '0.example',
])('live mode starts with CALLBACK_ALLOW=%s', (CALLBACK_ALLOW) => {
  expect(problemsOf({ ...LIVE, CALLBACK_ALLOW })).toEqual([])
})

test('live mode starts with its required settings', () => {
  expect(readConfig(LIVE)).toMatchObject({ mode: 'live', callbackAllow: [], seedDemo: false, warnings: [] })
})

describe('MODE', () => {
  test.each(['Live', 'LIVE', 'live ', ' live', 'production', 'prod', 'test', 'sandbox,live', 'true', '1'])(
    '%j is rejected, because it is neither sandbox nor live',
    (mode) => {
      expect(problemsOf({ ...LIVE, MODE: mode })).toEqual([
        `MODE: must be one of sandbox, live, not ${JSON.stringify(mode)}`,
      ])
    },
  )

  test('is sandbox if it is unset or empty, and isModeSet is false', () => {
    expect(readConfig({})).toMatchObject({ mode: 'sandbox', isModeSet: false })
    expect(readConfig({ MODE: '' })).toMatchObject({ mode: 'sandbox', isModeSet: false })
    expect(readConfig({ MODE: 'sandbox' })).toMatchObject({ mode: 'sandbox', isModeSet: true })
  })

  test.each([
    [{ BASE_URL: '' }, 'BASE_URL: live mode needs an https address, such as https://pay.example'],
    [
      { BASE_URL: 'http://pay.example' },
      'BASE_URL: live mode needs an https address, such as https://pay.example',
    ],
    [{ SECRETS_KEY: '' }, /^SECRETS_KEY: live mode needs a key of your own\. Make one with: openssl/],
    [{ TRUST_PROXY: '' }, /^TRUST_PROXY: live mode needs .*reverse proxies.* no call would count as https/],
    [{ TRUST_PROXY: '0' }, /^TRUST_PROXY: live mode needs .*reverse proxies/],
    [{ RATE_LIMITS: 'off' }, /^RATE_LIMITS: live mode needs rate limits/],
    [{ CALLBACK_ALLOW: 'loopback' }, /^CALLBACK_ALLOW: live mode needs hosts other than this machine/],
    [
      { ROUTE_A_DRIVER: 'sandbox' },
      new RegExp(`^ROUTE_A_DRIVER: must be one of ${LIVE_DRIVERS} in live mode, .* simulated$`),
    ],
    [
      { ROUTE_B_DRIVER: 'manual', ROUTE_B_FISCAL: 'sandbox' },
      /^ROUTE_B_FISCAL: must be one of off in live mode, .* simulated$/,
    ],
  ])('live with %j is rejected with the reason', (given, reason) => {
    expect(problemsOf({ ...LIVE, ...given })).toEqual([expect.stringMatching(reason)])
  })

  test('live also serves the sandbox, which has its own routes', () => {
    const given = {
      SANDBOX_ROUTE_A_DRIVER: 'sandbox',
      SANDBOX_ROUTE_A_FAULT: 'slow',
      ROUTE_A_DRIVER: 'manual',
    }
    expect(readConfig({ ...LIVE, ...given })).toMatchObject({
      routeSettings: { ROUTE_A_DRIVER: 'manual' },
      sandboxRouteSettings: { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_FAULT: 'slow' },
      warnings: [],
      misspelt: [],
    })
  })

  test('a SANDBOX_ROUTE_* setting is checked in live mode, and has no effect in sandbox mode', () => {
    expect(readConfig({ SANDBOX_ROUTE_A_STEPS: 'two' }).warnings).toEqual([
      'SANDBOX_ROUTE_A_STEPS has no effect. It is for the sandbox of a service in live mode. With MODE=sandbox, set ROUTE_A_STEPS.',
    ])
    expect(readConfig({ ...LIVE, SANDBOX_ROUTE_E_FAULT: 'slow' }).warnings).toEqual([
      'SANDBOX_ROUTE_E_FAULT has no effect. Only the driver sandbox reads it, and SANDBOX_ROUTE_E_DRIVER is not set.',
    ])
    expect(problemsOf({ ...LIVE, PORT: 'x', SANDBOX_ROUTE_A_DRIVER: 'strype' })[1]).toMatch(
      new RegExp(
        `^In the sandbox, route_a is not ready: .*SANDBOX_ROUTE_A_DRIVER must be one of ${ALL_DRIVERS}`,
      ),
    )
  })
})

describe('a route', () => {
  const reasonOf = (given: Record<string, string>) => {
    const { driver, missing, reason } = readRoutes('sandbox', given).route_a
    return { ready: driver !== null, missing, reason }
  }

  test.each([
    [{ ROUTE_A_FAULT: 'foo' }, /^ROUTE_A_FAULT must be one of answer_lost, slow, .*, not "foo"\.$/],
    [{ ROUTE_A_STEPS: 'three' }, 'ROUTE_A_STEPS must be one of one, two, not "three".'],
    [
      { ROUTE_A_FISCAL: 'paper' },
      'There is no fiscal driver "paper". ROUTE_A_FISCAL must be one of off, sandbox.',
    ],
    [
      { ROUTE_A_FISCAL_FAULT: 'fire' },
      /^ROUTE_A_FISCAL_FAULT must be one of answer_lost, refuses, away, not "fire"/,
    ],
    [{ ROUTE_A_STEPS: '3', ROUTE_A_FAULT: 'x' }, /ROUTE_A_STEPS must.* ROUTE_A_FAULT must/],
  ])('with %j is not ready, and the setting is reported as wrong, not as missing', (given, reason) => {
    const settings = { ROUTE_A_DRIVER: 'sandbox', ROUTE_A_FISCAL: 'sandbox', ...given }
    expect(reasonOf(settings)).toEqual({ ready: false, missing: [], reason: expect.stringMatching(reason) })
  })

  test('without a driver names the setting that is missing', () => {
    expect(readRoutes('live', {}).route_a).toMatchObject({
      missing: ['ROUTE_A_DRIVER'],
      reason: 'No driver is configured for this route. Set ROUTE_A_DRIVER.',
    })
  })
})

describe('live mode, about an address whose connection', () => {
  const warningsOf = (environment: Record<string, string>) => readConfig({ ...LIVE, ...environment }).warnings
  const plain = 'postgres://kassa:pw-of-the-database@db.example:5432/kassa'

  test.each([
    ['DATABASE_URL', plain],
    ['DATABASE_URL', 'postgres://kassa:pw-of-the-database@192.0.2.7/kassa'],
    ['DATABASE_URL', 'postgres://kassa:pw-of-the-database@[2001:db8::7]/kassa'],
    ['DATABASE_URL', `${plain}?sslmode=disable`],
    ['DATABASE_URL', 'postgresql:///kassa?host=db.example'],
  ])('is not encrypted on its way to another machine, warns: %s=%s', (name, value) => {
    const [warning, ...others] = warningsOf({ [name]: value })
    expect(warning).toMatch(new RegExp(`^The connection of ${name} leaves this machine without TLS`))
    expect([others, warning?.includes('pw-of')]).toEqual([[], false])
  })

  test.each([
    ['DATABASE_URL', `${plain}?sslmode=verify-full`],
    ['DATABASE_URL', `${plain}?ssl=true`],
    ['DATABASE_URL', 'postgres://kassa:pw@127.0.0.1:5432/kassa'],
    ['DATABASE_URL', 'postgres://kassa:pw@[::1]/kassa'],
    ['DATABASE_URL', 'postgres://kassa:pw@localhost/kassa'],
    ['DATABASE_URL', 'postgres:///kassa?host=/var/run/postgresql'],
    ['DATABASE_URL', 'postgres://kassa_service:pw@database:5432/kassa'],
  ])('is encrypted or stays inside, says nothing: %s=%s', (name, value) => {
    expect(warningsOf({ [name]: value })).toEqual([])
  })

  test('warns of both addresses of a database, and says nothing in the sandbox', () => {
    const both = { DATABASE_URL: plain, DATABASE_DIRECT_URL: plain }
    expect(warningsOf(both)).toHaveLength(2)
    expect(readConfig(both).warnings).toEqual([])
  })
})

describe('a variable', () => {
  const warningsOf = (environment: Record<string, string>) => readConfig(environment).warnings

  test.each([
    ['ROUTE_Z_DRIVER', 'ROUTE_A_DRIVER'],
    ['ROUTE_A_DRIVR', 'ROUTE_A_DRIVER'],
    ['ROUTE_B_FISCAL_FALT', 'ROUTE_B_FISCAL_FAULT'],
    ['EVENT_RETRY_DELAY', 'EVENT_RETRY_DELAYS'],
    ['EVENT_TIMEOUT_MS', 'EVENT_TIMEOUT'],
    ['SECRET_KEY', 'SECRETS_KEY'],
    ['DATABASE_URI', 'DATABASE_URL'],
    ['KASSA_BASE_URL', 'BASE_URL'],
    ['PROT', 'PORT'],
    ['mode', 'MODE'],
    ['KASSA_MODE', 'MODE'],
    ['SANDBOX_ROUTE_A_DRIVR', 'SANDBOX_ROUTE_A_DRIVER'],
  ])('%s gets a warning that names %s', (name, meant) => {
    expect(readConfig({ [name]: 'x' }).misspelt).toEqual([
      `${name} is not a setting and has no effect. Did you mean ${meant}?`,
    ])
  })

  test('of other programs gets none', () => {
    const foreign = [
      'PATH',
      'HOME',
      'HOSTNAME',
      'HOSTTYPE',
      'USER',
      'LOGNAME',
      'SHELL',
      'TERM',
      'LANG',
      'PWD',
      'SHLVL',
      'NODE',
      'NODE_ENV',
      'NODE_OPTIONS',
      'INIT_CWD',
      'COLOR',
      'EDITOR',
      'TZ',
      'CI',
      'DEBUG',
      'PGHOST',
      'PGPORT',
      'PGDATABASE',
      'REDIS_HOST',
      'REDIS_PORT',
      'DATABASE_HOST',
      'DATABASE_NAME',
      'MODEL',
      'POST',
      'POOL_MIN',
      'BANK_URL',
      'CRASH_AT',
      'SWEEP',
      'LOG_FILE',
      'XDG_DATA_DIRS',
      'HTTP_PROXY',
      'HTTPS_PROXY',
      'SSH_AUTH_SOCK',
      'KUBERNETES_PORT',
      'KUBERNETES_SERVICE_HOST',
      'npm_config_cache',
      'npm_package_name',
      'NODE_COMPILE_CACHE',
      'CHROMIUM_PATH',
      'KASSA_WEBHOOK_SECRET',
      'STRIPE_SECRET_KEY',
      '_',
      'PS1',
    ]
    expect(readConfig(Object.fromEntries(foreign.map((name) => [name, 'x'])))).toMatchObject({
      misspelt: [],
      warnings: [],
    })
  })

  test('in the environment of this test run gets none', () => {
    const names = Object.values(SETTINGS).map(({ name }): string => name)
    // The test runner sets MODE and BASE_URL for itself.
    const foreign = Object.entries(process.env).filter(([name]) => !names.includes(name))
    expect(readConfig(Object.fromEntries(foreign))).toMatchObject({ misspelt: [], warnings: [] })
  })

  test('for another driver than the route’s gets a warning', () => {
    expect(warningsOf({ ROUTE_E_FAULT: 'slow' })).toEqual([
      'ROUTE_E_FAULT has no effect. Only the driver sandbox reads it, and ROUTE_E_DRIVER is not set.',
    ])
    expect(warningsOf({ ROUTE_A_DRIVER: 'sandbox', ROUTE_A_FISCAL_FAULT: 'away' })).toEqual([
      'ROUTE_A_FISCAL_FAULT has no effect. Only the driver sandbox reads it, and ROUTE_A_FISCAL is not set.',
    ])
    expect(warningsOf({ ROUTE_A_FAULT: 'slow', ROUTE_C_FISCAL_FAULT: 'away' })).toEqual([])
  })
})

describe('credentials of the other world stop the start', () => {
  const settings = z.object({ KEY: z.string().describe('The key.') })
  const driver = {
    ...manualDriver,
    settings,
    secrets: ['KEY'],
    modeOf: ({ KEY }: Record<string, unknown>) =>
      (`${KEY}`.startsWith('live_') ? 'live' : 'test') as 'live' | 'test',
  }

  test.each([
    [
      { MODE: 'sandbox', ROUTE_B_DRIVER: 'telling', ROUTE_B_KEY: 'live_abc' },
      'ROUTE_B_*: These credentials are for real money, and this is the sandbox. Use the test credentials of the provider.',
    ],
    [
      { ...LIVE, ROUTE_B_DRIVER: 'telling', ROUTE_B_KEY: 'test_abc' },
      'ROUTE_B_*: These credentials are for test money, and this is the live world. Use the live credentials of the provider.',
    ],
    [
      { ...LIVE, SANDBOX_ROUTE_B_DRIVER: 'telling', SANDBOX_ROUTE_B_KEY: 'live_abc' },
      'SANDBOX_ROUTE_B_*: These credentials are for real money, and this is the sandbox. Use the test credentials of the provider.',
    ],
  ])('%j', (environment, line) => {
    DRIVERS.telling = { driver, settings }
    const problems = problemsOf(environment)
    delete DRIVERS.telling
    expect(problems).toContain(line)
    expect(problems.join()).not.toContain('_abc')
  })

  test('credentials of the same world do not', () => {
    DRIVERS.telling = { driver, settings }
    const right = { ROUTE_B_DRIVER: 'telling', ROUTE_B_KEY: 'live_abc' }
    const problems = problemsOf({ ...LIVE, DEFAULT_PROVIDER: 'manual', ...right })
    delete DRIVERS.telling
    expect(problems).toEqual([])
  })
})

test.each([
  ['https://pay.example', 'https://pay.example'],
  ['https://pay.example', 'HTTPS://PAY.example:443/'],
  ['https://pay.example:443/', 'https://pay.example.'],
  ['https://каса.example', 'https://xn--80aa2a3a.example'],
])('the console cannot have the address of the pages: %s and %s', (BASE_URL, CONSOLE_BASE_URL) => {
  const problem = 'CONSOLE_BASE_URL: must be another address than BASE_URL, with a host name of its own'
  expect(problemsOf({ ...LIVE, BASE_URL, CONSOLE_PORT: '3001', CONSOLE_BASE_URL })).toEqual([problem])
})

test('the console of a sandbox cannot have the default address of the pages, and can have another port', () => {
  expect(problemsOf({ CONSOLE_BASE_URL: 'http://localhost:3000' })).toEqual([
    expect.stringContaining('must be another address'),
  ])
  expect(problemsOf({ CONSOLE_BASE_URL: 'http://localhost:3001' })).toEqual([])
  expect(problemsOf({ ...LIVE, CONSOLE_PORT: '3001', CONSOLE_BASE_URL: 'https://desk.example' })).toEqual([])
})

describe('a public address is an origin', () => {
  test.each(['BASE_URL', 'CONSOLE_BASE_URL'])('%s', (name) => {
    const live = { ...LIVE, CONSOLE_PORT: '3001', CONSOLE_BASE_URL: 'https://desk.example' }
    const problemOf = (given: string) => problemsOf({ ...live, [name]: given }).join()
    for (const given of [
      'https://kassa.example/shop',
      'https://kassa.example?a=1',
      'https://kassa.example/#a',
      'https:kassa.example',
    ])
      expect(problemOf(given)).toMatch(`${name}: must be an http or https address without a path, such as`)
    for (const given of ['https://ani:geheim7@kassa.example', 'https://geheim7@kassa.example/x']) {
      expect(problemOf(given)).toBe(`${name}: must not contain a user name or a password`)
      expect(problemOf(given)).not.toContain('geheim7')
    }
    for (const given of [
      'https://kassa.example',
      'https://kassa.example/',
      'https://kassa.example:8443',
      'https://չաժ.հայ',
    ])
      expect([given, problemOf(given)]).toEqual([given, ''])
  })

  test('in the form that browsers send', () => {
    expect(readConfig({ BASE_URL: 'https://Kassa.Example:443/' }).baseUrl).toBe('https://kassa.example')
  })
})
