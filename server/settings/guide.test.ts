import { readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { FAULT_NAMES } from '../contract/faults.ts'
import { writeFaults, writeGuide } from './guide.ts'
import { DRIVER_SETTINGS, FISCAL_DRIVER_SETTINGS, ROUTE_SETTING_NAMES } from './route-table.ts'
import type { Setting } from './setting.ts'
import { SETTINGS } from './table.ts'
import { ENDED_SETTINGS } from './warnings.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const rows: [key: string, row: Setting][] = Object.entries(SETTINGS)
const drivers = [...Object.values(DRIVER_SETTINGS), ...Object.values(FISCAL_DRIVER_SETTINGS)].flat()
/** Drivers and their guides name settings without the route's prefix. */
const names = [
  ...rows.map(([, { name }]) => name),
  ...ROUTE_SETTING_NAMES,
  ...drivers.map(({ name }) => name),
]

/** The code and texts of a release, without the tests. */
const files = readdirSync(join(ROOT, 'server'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && /\.(ts|md)$/.test(entry.name))
  .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)))
  .filter((file) => !/\.(test|suite|long)\.ts$/.test(file) && !file.startsWith('server/testing/'))
const code = files.filter((file) => file.endsWith('.ts') && !file.startsWith('server/settings/'))

describe('the settings guide', () => {
  test('is up to date with the table (if this fails: npm run generate -- settings)', () => {
    expect(read('server/guides/settings.md')).toBe(writeGuide())
  })

  test('and the table of faults in the guide on testing is too (if this fails: npm run generate -- settings)', () => {
    const guide = read('server/guides/testing.md')
    expect(guide).toBe(writeFaults(guide))
    for (const name of FAULT_NAMES) expect(guide).toContain(`| \`${name}\` |`)
  })

  test('names every setting', () => {
    const guide = writeGuide()
    const routeNames = ROUTE_SETTING_NAMES.map((name) => name.replace(/^ROUTE_([A-E]|MANUAL)_/, 'ROUTE_x_'))
    for (const name of [...rows.map(([, row]) => row.name), ...routeNames])
      expect(guide).toContain(`| \`${name}\` |`)
  })
})

describe('every setting', () => {
  test.each(rows)(
    '%s has a description, and its schema accepts its default',
    (_, { schema, default: value, about }) => {
      for (const text of typeof value === 'object' ? Object.values(value) : [value])
        if (text !== undefined) expect(schema.safeParse(text).error).toBeUndefined()
      expect(about).toMatch(/^[A-Z`].*\.$/)
    },
  )

  test.each(rows)('%s is used by some room', (key) => {
    const used = new RegExp(`\\b${key}\\b`)
    expect(code.filter((file) => used.test(read(file)))).not.toEqual([])
  })

  test('of a driver has a description', () => {
    for (const { name, about } of drivers)
      expect([name, about]).toEqual([name, expect.stringMatching(/^[A-Z].*\.$/)])
  })
})

/** Names in capitals that look like a setting: they belong to other programs, protocols and samples. */
const FOREIGN =
  /^(PS_OS|CURL(OPT|INFO)|HPE|ERR|EAI|HTTP_X|COPYFILE)_|^(SUDO_USER|NOTIFY_SOCKET|WATCHDOG_USEC|LC_ALL|NODE_ENV|PG_VERSION|MERCHANT_API_TOKEN|KASSA_\w+|THE_ORIGIN|PER_SECOND|PROVIDER_CHECKOUT_URL|CHECKOUT_SESSION_ID|SCRIPT_FILENAME|SECRET_KEY|ROUTE_A_SECRET_KEY|SPECS_DIR)$/
/** The start says that they are ignored. */
const ENDED = Object.keys(ENDED_SETTINGS)
/** Names of Idram's protocol. */
const IDRAM = /^(EDP_\w+|(RESULT|SUCCESS|FAIL)_URL)$/
/** PayPal's protocol has values in capitals. In these files only names with a route's prefix are settings. */
const PROTOCOL_WORDS =
  /^server\/(providers\/paypal\/|guides\/(paypal|provider-words|proving-an-account)\.md$)/
const CAPITALS = /(?<![.\w])[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g
const DECLARED = /\b(?:const|type|as)\s+([A-Z][A-Z0-9_]+)\b/g

test('no code and no text names a setting that is not in the table', () => {
  const texts = [...files, 'README.md'].map((file) => ({ file, text: read(file) }))
  const declared = new Set(
    texts.flatMap(({ text }) => [
      ...[...text.matchAll(DECLARED)].map(([, name]) => name),
      ...[...text.matchAll(/import \{([^}]*)\}/g)].flatMap(([, list = '']) => list.match(CAPITALS) ?? []),
    ]),
  )
  const unknown = texts.flatMap(({ file, text }) =>
    [...new Set(text.match(CAPITALS))]
      .filter(
        (name) =>
          ![...names, ...ENDED].includes(name) &&
          !declared.has(name) &&
          !FOREIGN.test(name) &&
          !IDRAM.test(name),
      )
      .filter((name) => !PROTOCOL_WORDS.test(file) || /^(SANDBOX_)?ROUTE_/.test(name))
      .map((name) => `${file}: ${name}`),
  )
  expect(unknown).toEqual([])
})

test('an entry reads no variable of the environment by name that is not in the table', () => {
  const READ = /process\.env\.(\w+)|\{([^{}]*)\} = process\.env/g
  const variables = code
    .filter((file) => !file.includes('/reference/'))
    .flatMap((file) =>
      [...read(file).matchAll(READ)].flatMap(([, one, several = '']) =>
        (one ?? several)
          .split(',')
          .map((part) => part.replace(/[:=].*/s, '').trim())
          .filter((name) => /^[A-Z]/.test(name)),
      ),
    )
  expect(variables.length).toBeGreaterThan(2)
  expect(
    variables.filter(
      (name) =>
        !names.includes(name) && !/^(PATH|KASSA_OPERATOR_KEY(_FILE)?|USER|LOGNAME|SUDO_USER)$/.test(name),
    ),
  ).toEqual([])
})
