/** Whoever tries passwords holds up nobody else, costs a bounded amount, and leaves a trace. */
import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { codeAt } from '../../access/one-time-code.ts'
import { countPasswordsWaiting } from '../../access/password-turns.ts'
import { addUser } from '../../access/users.ts'
import { countStatements } from '../../testing/attacks/cost-meter.ts'
import { type Desk, openBrowser, startDesk, type TestBrowser } from '../../testing/console.ts'
import { type Kassa, startKassa } from '../../testing/harness.ts'

const PASSWORD = 'four words of mountain tea'
/** Tries of a network at once. */
const OF_NETWORK = 30
const OF_ADDRESS = 20
let kassa: Kassa
let desk: Desk
const lines: string[] = []

type Held = { password: string; finish(): void }
/** While true, hashes wait until the test lets them go on. */
let isHeld = false
const held: Held[] = []
let begun: string[] = []

beforeAll(async () => {
  const scrypt = crypto.scrypt as (...given: unknown[]) => void
  vi.spyOn(crypto, 'scrypt').mockImplementation(((...given: unknown[]) => {
    const [password, salt, length, options, done] = given
    const cheap = () => scrypt(password, salt, length, { ...(options as object), N: 16, p: 1 }, done)
    begun.push(password as string)
    if (isHeld) held.push({ password: password as string, finish: cheap })
    else cheap()
  }) as never)
  syncBuiltinESMExports()
  kassa = await startKassa({
    settings: {
      TRUST_PROXY: '1',
      RATE_LIMITS: `page=1000:1000,sign_in=0.001:${OF_ADDRESS},sign_in_network=0.001:${OF_NETWORK},sign_in_user=0.001:50`,
    },
    logLines: lines,
  })
  desk = await startDesk(kassa.worlds)
})
afterAll(async () => {
  vi.mocked(crypto.scrypt).mockRestore()
  syncBuiltinESMExports()
  await desk.close()
  await kassa.close()
})
afterEach(async () => {
  isHeld = false
  for (const each of held.splice(0)) each.finish()
  await expect.poll(() => answering).toBe(0)
  begun = []
})

let answering = 0
/** A browser of an address. */
const at = (address: string) => openBrowser(desk, { 'x-forwarded-for': address })
async function begin(browser: TestBrowser, email: string, password: string, headers = {}) {
  answering++
  try {
    return await browser.post('/sign-in', { email, password }, headers)
  } finally {
    answering--
  }
}
type Person = { email: string; id: string; own: TestBrowser }
let people = 0
/** A person, and the browser that has signed in as this person before. */
async function add(address: string): Promise<Person> {
  const email = `person${++people}@pay.example`
  const { link, operator } = await addUser(kassa.ctx, {
    name: `Person ${people}`,
    role: 'administrator',
    email,
  })
  const own = at(address)
  const path = new URL(link ?? '').pathname
  const [, spaced = ''] = /<code class="secret">([A-Z2-7 ]+)</.exec((await own.get(path)).text) ?? []
  const code = codeAt(spaced.replaceAll(' ', ''), new Date())
  expect((await own.post(path, { password: PASSWORD, code })).status).toBe(200)
  own.cookies.delete('kassa_console_session')
  return { email, id: operator.id, own }
}
const isBegun = (password: string) => expect.poll(() => begun.includes(password)).toBe(true)
/** Lets the hashes go on one after the other until this one has begun. Returns how many came before it. */
async function countUntil(password: string): Promise<number> {
  for (let count = 0; ; count++) {
    if (begun.includes(password)) return count
    const before = begun.length
    held.shift()?.finish()
    await expect.poll(() => begun.length).toBeGreaterThan(before)
  }
}

/** Wrong passwords from several networks, of which one is being hashed and the others wait. */
async function attack(networks: number, each: number): Promise<void> {
  begun = []
  for (let network = 0; network < networks; network++)
    for (let number = 0; number < each; number++)
      void begin(
        at(`203.${people}.${network}.1`),
        `x${network}-${number}@pay.example`,
        `wrong ${network} ${number}`,
      )
  await expect.poll(() => held.length).toBe(1)
}

test('a try for an address that nobody has leaves a row and a line, without what was typed, and costs the same', async () => {
  const person = await add('198.51.100.3')
  const cost = async (address: string, email: string) => {
    const statements = countStatements()
    try {
      expect((await begin(at(address), email, 'wrong')).status).toBe(422)
      return statements.take().filter((name) => /\.(find_|take_from_)/.test(name) && !name.includes('audit'))
    } finally {
      statements.stop()
    }
  }
  await kassa.ctx.db.query('delete from kassa.unknown_sign_ins')
  const typed = 'my secret password'
  const ofNobody = await cost('192.0.5.1', typed)
  expect(ofNobody.length).toBeGreaterThan(4)
  expect(await cost('192.0.5.2', person.email)).toEqual(ofNobody)
  for (let tries = 0; tries < 4; tries++) await cost('192.0.5.3', typed.toUpperCase())
  await cost('192.0.6.1', 'another')
  const list = async () =>
    (await kassa.ctx.db.query('select * from kassa.unknown_sign_ins order by network')).rows
  await expect.poll(async () => (await list()).reduce((sum, { tries }) => sum + tries, 0)).toBe(6)
  const rows = await list()
  expect(rows.map(({ network, tries }) => [network, tries])).toEqual([
    ['192.0.5.0/24', 5],
    ['192.0.6.0/24', 1],
  ])
  const logged = lines.filter((line) => line.includes('that nobody has')).map((line) => JSON.parse(line))
  const ofOne = logged.filter(({ network }) => network === '192.0.5.0/24')
  // A network has three lines, and the same address the same digest.
  expect(ofOne).toHaveLength(3)
  expect(new Set(ofOne.map(({ subject }) => subject))).toEqual(new Set([rows[0].last_subject]))
  expect(rows[0].last_subject).toMatch(/^[\w-]{8}$/)
  expect(JSON.stringify([rows, lines]).toLowerCase()).not.toContain('secret password')
})

describe('while strangers fill the queue', () => {
  test('a known browser’s password is hashed at once, and its person comes in', async () => {
    const person = await add('198.51.100.1')
    isHeld = true
    await attack(8, 3)
    const signingIn = begin(person.own, person.email, PASSWORD)
    await isBegun(PASSWORD)
    held.find(({ password }) => password === PASSWORD)?.finish()
    expect((await signingIn).location).toBe('/sign-in/code?to=%2F')
    expect(begun.filter((password) => password.startsWith('wrong'))).toHaveLength(1)
  })

  test('a person at a new browser waits for one try of each network, however many they sent', async () => {
    const person = await add('198.51.100.2')
    isHeld = true
    await attack(8, 3)
    void begin(at('192.0.2.77'), person.email, 'of the person')
    // Of the 25, one is being hashed.
    await expect.poll(() => countPasswordsWaiting('stranger')).toBe(24)
    expect(await countUntil('of the person')).toBeLessThanOrEqual(9)
  })

  test('whoever has no place is told when to come back, in each language, and passkeys do not wait', async () => {
    isHeld = true
    void begin(at('192.0.2.1'), 'x@pay.example', 'wrong')
    await isBegun('wrong')
    const texts = { en: 'Wait 5 seconds', ru: 'Подождите 5 секунд', hy: 'Սպասեք 5 վայրկյան' }
    const waiting = Array.from({ length: 9 }, (_, index) => {
      const language = Object.keys(texts)[index % 3] as keyof typeof texts
      return begin(at('192.0.2.1'), `x${index}@pay.example`, 'wrong', { 'accept-language': language })
    })
    const refused = await Promise.race(waiting)
    // Nine came in, and six have a place.
    await expect.poll(() => answering).toBe(7)
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '5'])
    const options = await at('192.0.2.1').post('/sign-in/passkey/options', {})
    expect(options.status).toBe(200)
    isHeld = false
    for (const each of held.splice(0)) each.finish()
    const answers = await Promise.all(waiting)
    expect(answers.filter(({ status }) => status === 422)).toHaveLength(6)
    const refusals = answers.filter(({ status }) => status === 429).map(({ text }) => text)
    expect(refusals).toHaveLength(3)
    for (const text of refusals) expect(Object.values(texts).some((each) => text.includes(each))).toBe(true)
  })

  test('the password of a browser that has left is never hashed', async () => {
    isHeld = true
    await attack(1, 1)
    const left = new AbortController()
    const sent = fetch(`${desk.origin}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ email: 'x@pay.example', password: 'of nobody any more' }),
      headers: { origin: desk.origin, 'x-forwarded-for': '192.0.2.9' },
      signal: left.signal,
    })
    // Counted, so it is on its way into the queue.
    await expect.poll(() => countOf('192.0.2.9')).toBe(true)
    left.abort()
    await expect(sent).rejects.toThrow()
    const isRefused = (line: string) => line.includes('password_queue') && line.includes('192.0.2.9')
    await expect.poll(() => lines.some(isRefused)).toBe(true)
    const last = begin(at('192.0.2.10'), 'y@pay.example', 'the last one')
    await countUntil('the last one')
    held.shift()?.finish()
    expect((await last).status).toBe(422)
    expect(begun).not.toContain('of nobody any more')
  })
})

/** Returns whether a try of this address was counted. */
async function countOf(address: string): Promise<boolean> {
  const { remaining } = await kassa.ctx.buckets.take(
    `sign_in ${address}`,
    { perSecond: 0.001, burst: OF_ADDRESS },
    0,
  )
  return remaining < OF_ADDRESS
}

test('an address and a network have their tries, and neither holds up a known browser or a passkey', async () => {
  const person = await add('192.0.3.1')
  let tried = 0
  const tryFrom = async (address: string) =>
    (await begin(at(address), `x${tried++}@pay.example`, 'wrong')).status
  for (let tries = 0; tries < OF_ADDRESS; tries++) expect(await tryFrom('192.0.3.1')).toBe(422)
  expect(await tryFrom('192.0.3.1')).toBe(429)
  for (let tries = OF_ADDRESS; tries < OF_NETWORK; tries++)
    expect(await tryFrom(`192.0.3.${tries}`)).toBe(422)
  expect([await tryFrom('192.0.3.200'), await tryFrom('192.0.4.200')]).toEqual([429, 422])
  expect((await begin(person.own, person.email, PASSWORD)).status).toBe(303)
  expect((await person.own.post('/sign-in/code', { code: '000000' })).status).toBe(422)
  expect((await at('192.0.3.1').post('/sign-in/passkey/options', {})).status).toBe(200)
  const { link } = await addUser(kassa.ctx, { name: 'New', role: 'administrator', email: 'new@pay.example' })
  expect((await at('192.0.3.1').get(new URL(link ?? '').pathname)).status).toBe(200)
  expect((await at('192.0.3.1').get('/link/guessed')).status).toBe(429)
})

test('the answer waits for no trace, so its time does not tell whether somebody has the address', async () => {
  const person = await add('198.51.100.4')
  const { db } = kassa.ctx
  const connect = db.connect.bind(db)
  const release = Promise.withResolvers<void>()
  // A transaction asks for a connection of its own, and only the trace needs one.
  const held = async () => {
    await release.promise
    return connect()
  }
  const spied = vi
    .spyOn(db, 'connect')
    .mockImplementation(((then?: Parameters<typeof connect>[0]) => (then ? connect(then) : held())) as never)
  for (const email of ['nobody@pay.example', person.email])
    expect([email, (await begin(at('192.0.9.1'), email, 'wrong')).status]).toEqual([email, 422])
  expect(spied.mock.calls.filter(([then]) => then === undefined)).toHaveLength(2)
  spied.mockRestore()
  release.resolve()
  const isNoted = async () =>
    (await kassa.ctx.db.query(`select from kassa.unknown_sign_ins where network = '192.0.9.0/24'`)).rows
      .length
  await expect.poll(isNoted).toBe(1)
})

test('beyond 200 networks a day the tries are counted together', async () => {
  await kassa.ctx.db.query('delete from kassa.unknown_sign_ins')
  await kassa.ctx.db.query(
    `insert into kassa.unknown_sign_ins select (now() at time zone 'UTC')::date, 'network ' || n, 1, 'x', now() from generate_series(1, 200) n`,
  )
  for (const address of ['192.0.7.1', '192.0.8.1']) await begin(at(address), 'x@pay.example', 'wrong')
  const listOthers = async () =>
    (
      await kassa.ctx.db.query(
        `select network, tries from kassa.unknown_sign_ins where network not like 'network %'`,
      )
    ).rows
  await expect.poll(listOthers).toEqual([{ network: '', tries: 2 }])
})
