/** The console as a server: its address, headers and start. */
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { LOCALES } from '../pages/words/locale.ts'
import { openBrowser } from '../testing/console.ts'
import { freePort } from '../testing/harness.ts'
import { missingForms, standsBare, writeConsoleTypes } from '../testing/messages/values.ts'
import { CONSOLE_VALUES_FILE } from '../testing/messages/write-values.ts'
import { openConsole } from '../testing/scene/console.ts'
import { serveHere } from '../testing/serve-here.ts'
import { CONSOLE_WORDS, FAMILIES, translate } from './words/translate.ts'

const { kassa, desk } = await openConsole()

test('every response keeps browsers safe: no frame, no foreign script, nothing stored', async () => {
  const browser = openBrowser(desk)
  for (const path of ['/', '/nowhere', '/link/x', '/%00']) {
    const { headers } = await browser.get(path)
    const policy = headers.get('content-security-policy') ?? ''
    for (const part of [
      "default-src 'none'",
      "frame-ancestors 'none'",
      "base-uri 'none'",
      "form-action 'self'",
    ])
      expect(policy, path).toContain(part)
    expect(policy).not.toContain('unsafe')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

test('a page is compressed for a browser that can read it, and is the same page', async () => {
  const browser = openBrowser(desk)
  const plain = await browser.get('/sign-in')
  expect(plain.headers.get('content-encoding')).toBeNull()
  for (const coding of ['br', 'gzip']) {
    const packed = await browser.get('/sign-in', { 'accept-encoding': coding })
    expect([packed.headers.get('content-encoding'), packed.whole]).toEqual([coding, plain.whole])
  }
})

test('the policy allows the styles that stand in the page, and no other', async () => {
  const { headers, whole } = await openBrowser(desk).get('/sign-in')
  const styles = whole
    .split('<style>')
    .slice(1)
    .map((part) => part.split('</style>')[0] ?? '')
  expect(styles).toHaveLength(1)
  expect(styles[0]).toContain('--accent:')
  // A phone gets no rules of the checkout and the simulated bank.
  expect(styles[0]).not.toMatch(/\.(slip|bank)\b/)
  const digest = createHash('sha256')
    .update(styles[0] ?? '')
    .digest('base64')
  expect(headers.get('content-security-policy')?.split(';')).toContain(`style-src 'sha256-${digest}'`)
})

test('the interface for shops is not there, and the console is not on the interface for shops', async () => {
  for (const path of ['/v1/payments', '/api/health', '/docs', '/demo/', '/install/kpk_sandbox_x'])
    expect((await openBrowser(desk).get(path)).status).toBe(404)
  for (const path of ['/desk.js', '/desk.css']) {
    expect((await fetch(kassa.url + path)).status).toBe(404)
    expect((await openBrowser(desk).get(path)).status).toBe(200)
  }
})

test('a phone can put it on its home screen', async () => {
  const browser = openBrowser(desk)
  const { headers, text } = await browser.get('/sign-in')
  expect(headers.get('content-security-policy')).toContain("manifest-src 'self'")
  const [, address = ''] = /rel="manifest" href="([^"]+)"/.exec(text) ?? []
  const manifest = await browser.get(address)
  expect(manifest.headers.get('content-type')).toContain('application/manifest+json')
  const { icons, start_url: start } = JSON.parse(manifest.text)
  expect((await browser.get(start)).location).toBe('/sign-in')
  for (const { src, type } of icons) {
    const icon = await browser.get(src)
    expect([src, icon.status, icon.headers.get('content-type')]).toEqual([
      src,
      200,
      expect.stringContaining(type),
    ])
  }
})

test('another host name is led to the right one, and its forms are refused', async () => {
  const other = openBrowser({ origin: desk.origin.replace('localhost', '127.0.0.1') })
  const { status, location } = await other.get('/?q=1')
  expect([status, location]).toEqual([302, `${desk.origin}/?q=1`])
  expect((await other.post('/sign-in', {})).status).toBe(404)
})

test('the language is chosen by the address once, and kept', async () => {
  const browser = openBrowser(desk)
  const { location } = await browser.get('/?locale=ru')
  expect(location).toBe('/')
  expect((await browser.get('/sign-in')).text).toContain(CONSOLE_WORDS.ru.welcomeText)
})

test('no two families of words have a key in common', () => {
  const keys = FAMILIES.flatMap(({ en }) => Object.keys(en))
  expect(keys.filter((each, at) => keys.indexOf(each) !== at)).toEqual([])
})

test('every family that has a language has it like the others', () => {
  const languages = FAMILIES.map((each) => Object.keys(each).sort())
  expect(languages).toEqual(FAMILIES.map(() => ['en', 'hy', 'ru']))
})

test('the types of the words are those of the English sentences', () => {
  // If this fails: npm run generate -- messages
  expect(readFileSync(CONSOLE_VALUES_FILE, 'utf8')).toBe(writeConsoleTypes())
  expect(translate('en', 'storeLines', { count: 1 })).toBe('Store 1 line and compare')
  // @ts-expect-error: without its value
  expect(() => translate('en', 'storeLines')).toThrow('count')
  // @ts-expect-error: there is no such sentence
  expect(translate('en', 'storeLine')).toBe('storeLine')
})

test.each(['en', 'ru'] as const)('a number in front of a noun is a plural, in %s', (locale) => {
  expect(
    Object.entries(CONSOLE_WORDS[locale])
      .filter(([, text]) => standsBare(locale, text))
      .map(([key]) => key),
  ).toEqual([])
})

test.each(LOCALES)('every plural has the forms of its language, in %s', (locale) => {
  const lacking = Object.entries(CONSOLE_WORDS[locale]).map(([key, text]) => [
    key,
    ...missingForms(locale, text),
  ])
  expect(lacking.filter(([, ...forms]) => forms.length > 0)).toEqual([])
})

test('every sentence has the same holes in each language', () => {
  const holes = (text: string) => [...text.matchAll(/\{(\w+)[},]/g)].map(([, name]) => name).sort()
  for (const [key, text] of Object.entries(CONSOLE_WORDS.en))
    for (const locale of ['hy', 'ru'] as const) {
      const other = CONSOLE_WORDS[locale][key as keyof typeof CONSOLE_WORDS.en]
      expect([key, holes(other)]).toEqual([key, holes(text)])
      expect(other.trim()).not.toBe('')
    }
})

describe('the settings', () => {
  const live = {
    MODE: 'live',
    BASE_URL: 'https://pay.example',
    SECRETS_KEY: Buffer.alloc(32, 1).toString('base64'),
    TRUST_PROXY: '1',
  }

  test('the console is at 3001 in the sandbox, and off in live mode until it is set', () => {
    expect(readConfig({}).consolePort).toBe(3001)
    expect(readConfig({ CONSOLE_PORT: 'off' }).consolePort).toBeNull()
    expect(readConfig(live).consolePort).toBeNull()
    expect(() => readConfig({ CONSOLE_PORT: '70000' })).toThrow(/CONSOLE_PORT: must be a port number/)
  })

  test('live mode needs its https address', () => {
    expect(() => readConfig({ ...live, CONSOLE_PORT: '3001' })).toThrow(/CONSOLE_BASE_URL: must be set/)
    const plain = { ...live, CONSOLE_PORT: '3001', CONSOLE_BASE_URL: 'http://desk.example' }
    expect(() => readConfig(plain)).toThrow(/CONSOLE_BASE_URL: live mode needs an https address/)
    const right = { ...plain, CONSOLE_BASE_URL: 'https://desk.example/' }
    expect(readConfig(right)).toMatchObject({ consolePort: 3001, consoleBaseUrl: 'https://desk.example' })
  })
})

test('it starts and stops with the service, and in the sandbox a port in use leaves only the console off', async () => {
  const port = await freePort()
  const settings = { DATABASE_URL: kassa.databaseUrl, CONSOLE_PORT: String(port) }
  const running = await serveHere(settings)
  const link = /Console +(http:\/\/localhost:\d+\/link\/[\w-]{43})/.exec(running.output())?.[1] ?? ''
  expect(new URL(link).origin).toBe(`http://localhost:${port}`)
  expect((await fetch(link)).status).toBe(200)
  expect((await fetch(`http://localhost:${port}/readyz`)).status).toBe(200)
  await running.stop()
  // Nobody has used it, so the next start prints it again. Commands still need no key.
  const again = await serveHere(settings)
  expect(again.output()).toContain(link)
  expect((await fetch(link)).status).toBe(200)
  await kassa.ctx.db.query(
    `insert into kassa.passkeys select 'x', operator_id, 'x', 0, 'desk.example', '{}', now() from kassa.console_users`,
  )
  await again.stop()
  const later = await serveHere(settings)
  expect(later.output()).toContain(`Console          http://localhost:${port}/\n`)
  expect(later.output()).toContain('Passkeys of the console were made at desk.example')
  await later.stop()
  await expect(fetch(`http://localhost:${port}/livez`)).rejects.toThrow()

  const taken = createServer().listen(port, '127.0.0.1')
  await once(taken, 'listening')
  const without = await serveHere(settings)
  expect(without.output()).toContain('The console is off: CONSOLE_PORT')
  await without.stop()
  taken.close()
})
