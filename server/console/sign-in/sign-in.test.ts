/** Signing in to the console, and the attacks on it. */
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { makeLink } from '../../access/link.ts'
import { codeAt } from '../../access/one-time-code.ts'
import { isPassword } from '../../access/password.ts'
import { setUpPassword } from '../../access/set-up.ts'
import { addUser, changeUser, removeUser } from '../../access/users.ts'
import { rotateSecrets } from '../../operator/rotate-secrets.ts'
import { createVault } from '../../secrets/vault.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { type Db, inTransaction } from '../../storage/db.ts'
import { createAuthenticator } from '../../testing/attacks/authenticator.ts'
import { makePasswordsCheap } from '../../testing/cheap-passwords.ts'
import { openBrowser, startDesk, type TestBrowser } from '../../testing/console.ts'
import { SECRETS_KEY } from '../../testing/harness.ts'
import { interruptedDb } from '../../testing/mortal-db.ts'
import { operateHere, operateJson } from '../../testing/operator.ts'
import { openConsole } from '../../testing/scene/console.ts'
import { CONSOLE_PAGES } from '../pages.ts'

const PASSWORD = 'four words of mountain tea'
makePasswordsCheap()
// Every test has a browser with an address of its own.
const { kassa, desk, shop } = await openConsole({
  settings: { TRUST_PROXY: '1', RATE_LIMITS: 'sign_in=0.01:8,sign_in_user=0.01:4,page=1000:1000' },
})
await add('Root', 'administrator')

let people = 0
let browser: TestBrowser
beforeEach(() => {
  browser = newBrowser()
})
const newBrowser = () => openBrowser(desk, { 'x-forwarded-for': `192.0.2.${++people}` })

type Role = 'administrator' | 'shop'
async function add(name: string, role: Role = 'shop') {
  const email = `${name.toLowerCase()}@shop.example`
  const merchantId = role === 'shop' ? shop.merchantId : null
  const { link, operator } = await addUser(kassa.ctx, { name, role, email, merchantId })
  return { name, email, id: operator.id, link: new URL(link ?? '').pathname }
}
type Added = Awaited<ReturnType<typeof add>>

const secretIn = (text: string) =>
  (/<code class="secret">([A-Z2-7 ]+)</.exec(text)?.[1] ?? '').replaceAll(' ', '')
/** The code of a later or earlier time than now, in steps of 30 seconds. */
const codeOf = (secret: string, steps = 0) => codeAt(secret, new Date(Date.now() + steps * 30_000))

/** Sets up a password with the present code. The code of the next step is still good then, for half a minute at least. */
async function setUp(person: Added, own = newBrowser()) {
  const secret = secretIn((await own.get(person.link)).text)
  const done = await own.post(person.link, { password: PASSWORD, code: codeOf(secret) })
  return {
    secret,
    done,
    own,
    codes: [...done.text.matchAll(/<code>([a-z2-9-]{19})</g)].map(([, code = '']) => code),
  }
}
const begin = (own: TestBrowser, { email }: Added, password = PASSWORD) =>
  own.post('/sign-in', { email, password })
const isIn = async (own: TestBrowser) =>
  /^\/sandbox\/(today|shops\/\w+\/live)$/.test((await own.get('/')).location ?? '')
const noted = async (id: string) =>
  (await readAuditChain(kassa.ctx.db, 0, 1_000))
    .filter((row) => row.about.includes(id))
    .map(({ about }) => about)

describe('the one-time link', () => {
  test('opens as often as a preview likes, sets up once, and signs in', async () => {
    const person = await add('Anna')
    for (let looks = 0; looks < 3; looks++) expect((await browser.get(person.link)).status).toBe(200)
    const { done, own, codes } = await setUp(person)
    expect([done.status, codes.length, await isIn(own)]).toEqual([200, 8, true])
    const again = await setUp(person)
    expect([again.done.status, await isIn(again.own)]).toEqual([404, false])
  })

  test('is used once by two who use it at the same moment', async () => {
    const person = await add('Bella')
    const secret = secretIn((await browser.get(person.link)).text)
    const both = [newBrowser(), newBrowser()]
    const form = { password: PASSWORD, code: codeOf(secret) }
    const answers = await Promise.all(both.map((own) => own.post(person.link, form)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  test('is used once, also if another uses it while the first one is being stored', async () => {
    const person = await add('Beatrice')
    const secret = secretIn((await browser.get(person.link)).text)
    const use = (db: Db) =>
      setUpPassword(
        { ...kassa.ctx, db },
        {
          token: person.link.split('/').at(-1) ?? '',
          password: PASSWORD,
          code: codeOf(secret),
          cookies: () => undefined,
          address: `192.0.2.${++people}`,
          gone: new AbortController().signal,
        },
      )
    const other = async () => expect(await use(kassa.ctx.db)).toMatchObject({ kind: 'in' })
    const late = use(interruptedDb(kassa.ctx.db, 'take_sign_in_link', other))
    await expect(late).rejects.toMatchObject({ code: 'not_found' })
  })

  test('sets nothing up with a code of another time, and stays good for a right one', async () => {
    const person = await add('Benno')
    const secret = secretIn((await browser.get(person.link)).text)
    const post = (code: string) => browser.post(person.link, { password: PASSWORD, code })
    const answers = [await post(codeOf(secret, 20)), await post(codeOf(secret))]
    expect(answers.map(({ status }) => status)).toEqual([422, 200])
  })

  test('ends after a day, by a new one, and with its person', async () => {
    const person = await add('Carl')
    await kassa.ctx.db.query(
      "update kassa.sign_in_links set expires_at = now() - interval '1 second' where operator_id = $1",
      [person.id],
    )
    expect((await browser.get(person.link)).status).toBe(404)
    const { link } = await changeUser(kassa.ctx, 'Carl', { ends: true })
    const path = new URL(link ?? '').pathname
    expect((await browser.get(path)).status).toBe(200)
    await removeUser(kassa.ctx, 'Carl')
    expect((await browser.get(path)).status).toBe(404)
  })

  test('keeps nothing that could open it: the database has digests alone', async () => {
    const person = await add('Dora')
    const { codes } = await setUp(person)
    const { rows } = await kassa.ctx.db.query(
      `select (select json_agg(l) from kassa.sign_in_links l)::text || (select json_agg(p) from kassa.passwords p)::text
        || (select json_agg(c) from kassa.recovery_codes c)::text || (select json_agg(s) from kassa.console_sessions s)::text as all`,
    )
    for (const secret of [person.link.slice(6), PASSWORD, ...codes]) expect(rows[0].all).not.toContain(secret)
    const { rows: stored } = await kassa.ctx.db.query(
      'select hash from kassa.passwords where operator_id = $1',
      [person.id],
    )
    expect(stored[0].hash).toMatch(/^scrypt\$32768\$8\$3\$/)
    expect([await isPassword(PASSWORD, stored[0].hash), await isPassword('x', stored[0].hash)]).toEqual([
      true,
      false,
    ])
  })

  test.each([
    ['short', 'tea'],
    ['named', 'edgar@shop.example!'],
  ])('refuses a %s password, and can be used afterwards', async (fault, password) => {
    const person = await add(`Edgar${fault}`)
    const secret = secretIn((await browser.get(person.link)).text)
    const mine = fault === 'named' ? `${person.email}!` : password
    expect((await browser.post(person.link, { password: mine, code: codeOf(secret) })).status).toBe(422)
    expect((await browser.post(person.link, { password: PASSWORD, code: codeOf(secret) })).status).toBe(200)
  })
})

describe('a password and a code', () => {
  test('sign in, with a new session each time: a planted one is worth nothing', async () => {
    const person = await add('Frida')
    const { secret } = await setUp(person)
    const planted = 'planted-session-000000000000000000000000000'
    browser.cookies.set('kassa_console_session', planted)
    expect((await begin(browser, person)).location).toBe('/sign-in/code?to=%2F')
    expect(await isIn(browser)).toBe(false)
    const done = await browser.post('/sign-in/code', { code: codeOf(secret, 1) })
    expect([done.status, done.location, await isIn(browser)]).toEqual([303, '/', true])
    expect(browser.cookies.get('kassa_console_session')).not.toBe(planted)
    const line = done.headers.getSetCookie().find((each) => each.startsWith('kassa_console_session'))
    expect(line).toMatch(/HttpOnly; SameSite=Strict/)
    expect(await noted(person.id)).toContain(`${person.id} password and code`)
  })

  test('the second factor cannot be left out', async () => {
    const person = await add('Gohar')
    const { secret } = await setUp(person)
    expect((await browser.post('/sign-in/code', { code: codeOf(secret, 1) })).status).toBe(422)
    await begin(browser, person)
    const step = browser.cookies.get('kassa_console_step') ?? ''
    browser.cookies.set('kassa_console_session', step)
    expect(await isIn(browser)).toBe(false)
    browser.cookies.delete('kassa_console_session')
    const passkey = createAuthenticator().get({ challenge: step, origin: desk.origin })
    expect((await browser.postJson('/sign-in/passkey', passkey)).status).toBe(422)
    for (const code of ['', '000000', 'null', secret]) await browser.post('/sign-in/code', { code })
    expect(await isIn(browser)).toBe(false)
  })

  test('a code counts once, and a recovery code too', async () => {
    const person = await add('Hayk')
    const { secret, codes } = await setUp(person)
    const typed = codeOf(secret, 1)
    await begin(browser, person)
    expect((await browser.post('/sign-in/code', { code: typed })).status).toBe(303)
    const other = newBrowser()
    await begin(other, person)
    const again = await other.post('/sign-in/code', { code: typed })
    expect([again.status, again.text]).toEqual([422, expect.stringContaining('used already')])
    expect((await other.post('/sign-in/code', { code: (codes[0] ?? '').toUpperCase() })).status).toBe(303)
    const third = newBrowser()
    await begin(third, person)
    expect((await third.post('/sign-in/code', { code: codes[0] ?? '' })).status).toBe(422)
    expect(await isIn(third)).toBe(false)
  })

  test('a wrong clock is named, and the code that showed it never counts', async () => {
    const person = await add('Ivan')
    const { secret } = await setUp(person)
    await begin(browser, person)
    const late = codeOf(secret, 20)
    const answer = await browser.post('/sign-in/code', { code: late })
    expect(answer.text).toContain('about 10 minutes fast')
    expect((await browser.post('/sign-in/code', { code: late })).text).not.toContain('fast')
    const { rows } = await kassa.ctx.db.query(
      'select burnt_steps from kassa.passwords where operator_id = $1',
      [person.id],
    )
    const burnt = Math.floor(Date.now() / 30_000) + 20
    expect(rows[0].burnt_steps.map(Number).some((step: number) => Math.abs(step - burnt) <= 1)).toBe(true)
    expect((await browser.post('/sign-in/code', { code: codeOf(secret, -40) })).text).toContain(
      '20 minutes slow',
    )
  })

  test('guessing ends soon, for an address and for a person, and a stranger learns no names', async () => {
    const person = await add('Jana')
    const { secret } = await setUp(person)
    const answers = []
    for (let tries = 0; tries < 5; tries++) answers.push(await begin(browser, person, `wrong ${tries}`))
    expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 422, 429])
    expect(answers.at(-1)?.headers.get('retry-after')).toMatch(/^\d+$/)
    // From elsewhere it is the same person. Another person is not concerned.
    expect((await begin(newBrowser(), person)).status).toBe(429)
    const nobody = newBrowser()
    const unknown = []
    for (let tries = 0; tries < 5; tries++)
      unknown.push(
        await nobody.post('/sign-in', { email: 'nobody@shop.example', password: `wrong ${tries}` }),
      )
    expect(unknown.map(({ status }) => status)).toEqual(answers.map(({ status }) => status))
    const body = (text: string) => text.replaceAll(/value="[^"]*"/g, '')
    expect(body(unknown[0]?.text ?? '')).toBe(body(answers[0]?.text ?? ''))
    const spread = newBrowser()
    const many = []
    for (let tries = 0; tries < 10; tries++)
      many.push((await spread.post('/sign-in', { email: `x${tries}@shop.example`, password: 'x' })).status)
    expect(many.slice(-2)).toEqual([429, 429])
    expect(await noted(person.id)).toContain(`refused ${person.id} password`)
    expect(secret).not.toBe('')
  })
})

describe('a session', () => {
  const signedIn = async (name: string) => {
    const person = await add(name)
    const { own, done } = await setUp(person)
    expect(done.status).toBe(200)
    return { person, own, cookie: own.cookies.get('kassa_console_session') ?? '' }
  }
  const withCookie = (cookie: string) => {
    const own = newBrowser()
    own.cookies.set('kassa_console_session', cookie)
    return own
  }

  test('that was stolen ends with the sign-out', async () => {
    const { own, cookie } = await signedIn('Karen')
    expect(await isIn(withCookie(cookie))).toBe(true)
    expect((await own.post('/sign-out', {})).location).toBe('/sign-in')
    expect([await isIn(own), await isIn(withCookie(cookie))]).toEqual([false, false])
  })

  test.each([
    ['12 hours', 'Lilit', "ends_at = now() - interval '1 second'"],
    ['30 minutes without use', 'Mariam', "seen_at = now() - interval '31 minutes'"],
  ])('ends after %s', async (_, name, change) => {
    const { person, own } = await signedIn(name)
    const { rows } = await kassa.ctx.db.query(
      'select extract(epoch from ends_at - seen_at) as seconds from kassa.console_sessions where operator_id = $1',
      [person.id],
    )
    expect(Number(rows[0].seconds)).toBe(12 * 3_600)
    await kassa.ctx.db.query(`update kassa.console_sessions set ${change} where operator_id = $1`, [
      person.id,
    ])
    expect(await isIn(own)).toBe(false)
  })

  test('ends at once when its person is reset or removed, and the role is the present one', async () => {
    const { own } = await signedIn('Nare')
    await changeUser(kassa.ctx, 'Nare', { role: 'cashier' })
    expect((await own.get('/sandbox/today')).text).toContain('cashier')
    const { link } = await changeUser(kassa.ctx, 'Nare', { ends: true })
    expect([await isIn(own), link]).toEqual([false, expect.stringContaining('/link/')])
    const removed = await signedIn('Olga')
    await removeUser(kassa.ctx, 'Olga')
    expect(await isIn(removed.own)).toBe(false)
  })

  test('over https its cookie cannot be set by a sibling host', async () => {
    const https = openBrowser({ origin: desk.origin })
    const answer = await https.get('/?locale=ru')
    expect(answer.headers.getSetCookie()[0]).not.toContain('__Host-')
    const { setCookie, cookieOf } = await import('../cookies.ts')
    const set: unknown[] = []
    const response = { cookie: (...values: unknown[]) => set.push(values) }
    setCookie(response as never, 'https://desk.example', { name: 'session', value: 'x', seconds: 60 })
    expect(set).toEqual([
      [
        '__Host-kassa_console_session',
        'x',
        { httpOnly: true, sameSite: 'strict', path: '/', secure: true, maxAge: 60_000 },
      ],
    ])
    const request = { headers: { cookie: 'kassa_console_session=planted' } } as never
    expect(cookieOf(request, 'https://desk.example', 'session')).toBeUndefined()
  })
})

describe('forms of others', () => {
  let own: TestBrowser
  let person: Added
  beforeAll(async () => {
    person = await add('Pawel')
    own = (await setUp(person)).own
  })
  const OTHERS = [
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['a sibling host or another port', { origin: 'http://localhost:1', 'sec-fetch-site': 'same-site' }],
    ['a sandboxed frame', { origin: 'null', 'sec-fetch-site': 'cross-site' }],
    ['an older browser on another site', { origin: 'https://evil.example', 'sec-fetch-site': undefined }],
    ['a browser that says nothing', { origin: undefined, 'sec-fetch-site': undefined }],
    ['an address that was typed', { origin: undefined, 'sec-fetch-site': 'none' }],
  ] as const
  // The forms take turns: each is sent in one of the ways, and from another site.
  test.each(OTHERS.map(([name, headers], at) => [name, headers, at] as const))(
    'of %s are refused, every one of them',
    async (_, headers, at) => {
      const given = Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined))
      const cookie = [...own.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const forms = CONSOLE_PAGES.filter(({ method }) => method === 'post').filter(
        (_, form) => at === 0 || form % OTHERS.length === at,
      )
      expect(forms.length).toBeGreaterThanOrEqual(7)
      for (const { path } of forms) {
        const address = desk.origin + path.replace(':token', 'x').replaceAll(/:\w+/g, 'x')
        const body = new URLSearchParams({ email: person.email, password: PASSWORD })
        const response = await fetch(address, {
          method: 'POST',
          body,
          redirect: 'manual',
          headers: { cookie, 'x-forwarded-for': `198.51.100.${people}`, ...given },
        })
        expect([path, response.status]).toEqual([path, 403])
        expect(response.headers.getSetCookie()).toEqual([])
      }
      expect(await isIn(own)).toBe(true)
    },
  )
})

describe('a passkey', () => {
  const options = async (own: TestBrowser, path: string) =>
    JSON.parse((await own.post(`${path}/options`, {})).text)
  async function setUpPasskey(person: Added, own: TestBrowser, origin = desk.origin, isVerified = true) {
    const phone = createAuthenticator()
    const { challenge } = await options(own, `${person.link}/passkey`)
    const answer = phone.create({ challenge, origin, isVerified })
    return { phone, done: await own.postJson(`${person.link}/passkey`, answer), answer }
  }

  test('is set up by the link and signs in, without a password', async () => {
    const person = await add('Petros')
    const { phone, done } = await setUpPasskey(person, browser)
    expect([done.status, done.location, await isIn(browser)]).toEqual([303, '/', true])
    expect((await browser.get(person.link)).status).toBe(404)
    const other = newBrowser()
    const { challenge, rpId, userVerification, allowCredentials } = await options(other, '/sign-in/passkey')
    expect([rpId, userVerification, allowCredentials]).toEqual(['localhost', 'required', undefined])
    const answer = phone.get({ challenge, origin: desk.origin })
    expect((await other.postJson('/sign-in/passkey', answer)).location).toBe('/')
    expect(await isIn(other)).toBe(true)
    expect(await noted(person.id)).toContain(`${person.id} passkey`)
    // The same answer again: its challenge was used.
    const thief = newBrowser()
    await options(thief, '/sign-in/passkey')
    expect((await thief.postJson('/sign-in/passkey', answer)).status).toBe(422)
    expect(await isIn(thief)).toBe(false)
  })

  test('that is set up by a new link ends the password of before', async () => {
    const person = await add('Paruyr')
    await setUp(person)
    expect((await begin(newBrowser(), person)).location).toBe('/sign-in/code?to=%2F')
    const link = await inTransaction(kassa.ctx.db, (tx) => makeLink(tx, kassa.ctx, person.id))
    const { done } = await setUpPasskey({ ...person, link: new URL(link ?? '').pathname }, browser)
    expect([done.status, await isIn(browser)]).toEqual([303, true])
    expect((await begin(newBrowser(), person)).status).toBe(422)
  })

  test('of another origin, or of a phone that asked nobody, is refused at both places', async () => {
    const person = await add('Qristine')
    for (const [origin, isVerified] of [
      ['https://evil.example', true],
      [desk.origin.replace('localhost', 'evil.localhost'), true],
      [desk.origin.replace(/\d+$/, '1'), true],
      [desk.origin, false],
    ] as const) {
      const own = newBrowser()
      const { done } = await setUpPasskey(person, own, origin, isVerified)
      expect([origin, done.status, await isIn(own)]).toEqual([origin, 422, false])
    }
    const { phone, done } = await setUpPasskey(person, newBrowser())
    expect(done.status).toBe(303)
    for (const [origin, isVerified] of [
      ['https://evil.example', true],
      [desk.origin.replace(/\d+$/, '1'), true],
      [desk.origin, false],
    ] as const) {
      const other = newBrowser()
      const { challenge } = await options(other, '/sign-in/passkey')
      const tried = await other.postJson('/sign-in/passkey', phone.get({ challenge, origin, isVerified }))
      expect([origin, tried.status, await isIn(other)]).toEqual([origin, 422, false])
    }
  })

  test('of somebody else, a wrong signature, and nonsense are refused', async () => {
    const person = await add('Ruben')
    const { phone } = await setUpPasskey(person, browser)
    const challengeOf = async (own: TestBrowser) => ({
      challenge: (await options(own, '/sign-in/passkey')).challenge as string,
      origin: desk.origin,
    })
    const stranger = createAuthenticator()
    const forged = async (own: TestBrowser) => ({
      ...stranger.get(await challengeOf(own)),
      id: phone.id,
      rawId: phone.id,
    })
    for (const make of [
      async (own: TestBrowser) => stranger.get(await challengeOf(own)),
      forged,
      async () => null,
      async () => ({ id: 7 }),
    ]) {
      const own = newBrowser()
      const body = await make(own)
      expect((await own.postJson('/sign-in/passkey', body as object)).status).toBe(422)
      expect(await isIn(own)).toBe(false)
    }
  })

  test('of a link does not set up another person', async () => {
    const [one, two] = [await add('Sona'), await add('Tigran')]
    const phone = createAuthenticator()
    const { challenge } = await options(browser, `${one.link}/passkey`)
    const answer = phone.create({ challenge, origin: desk.origin })
    expect((await browser.postJson(`${two.link}/passkey`, answer)).status).toBe(422)
  })
})

test('the address after signing in is always one of the console', async () => {
  const person = await add('Umar')
  const { secret } = await setUp(person)
  expect((await browser.get('/?q=1')).location).toBe('/sign-in?to=%2F%3Fq%3D1')
  for (const to of ['https://evil.example', '//evil.example', '/\\evil.example', '/\t/evil.example'])
    expect((await browser.get(`/sign-in?${new URLSearchParams({ to })}`)).text).toContain(
      'name="to" value="/"',
    )
  await begin(browser, person)
  const done = await browser.post('/sign-in/code', { code: codeOf(secret, 1), to: '//evil.example' })
  expect(done.location).toBe('/')
})

test('a link in a mail leads to the page once more, with the cookie', async () => {
  const answer = await browser.get('/?q=1', { 'sec-fetch-site': 'cross-site' })
  expect([answer.status, answer.headers.get('refresh')]).toEqual([200, '0; url=/?q=1'])
})

test('the commands: a link and no key for a shop, a key and a link for an operator', async () => {
  const run = (...args: string[]) =>
    operateJson({}, args, (_settings, words) => operateHere(async () => kassa.ctx, words))
  const base = ['user', 'add', '--name', 'Vahe', '--role', 'shop']
  expect((await run(...base)).answer.error.message).toContain('e-mail')
  const mail = ['--email', 'vahe@shop.example']
  expect((await run(...base, ...mail)).answer.error.message).toContain('for one merchant')
  const more = ['--merchant', shop.merchantId, '--refund-limit', '100.00 USD', '--refund-limit', '5000 AMD']
  const { answer } = await run(...base, ...mail, ...more)
  expect(answer).toMatchObject({
    ok: true,
    user: { role: 'shop', refundLimits: { USD: 10_000, AMD: 500_000 } },
  })
  expect([answer.key, answer.link]).toEqual([
    undefined,
    expect.stringMatching(/^http:\/\/localhost:3001\/link\/[\w-]{43}$/),
  ])
  const again = await run(
    'user',
    'add',
    '--name',
    'Wardan',
    '--role',
    'viewer',
    '--email',
    'VAHE@shop.example',
  )
  expect(again.answer.error.message).toContain('Another person has')
  const operator = await run(
    'user',
    'add',
    '--name',
    'Xenia',
    '--role',
    'operator',
    '--email',
    'x@pay.example',
  )
  expect([operator.answer.key, operator.answer.link]).toEqual([
    expect.stringMatching(/^kop_/),
    expect.any(String),
  ])
  const bound = await run('user', 'set', '--user', 'Xenia', '--merchant', shop.merchantId)
  expect(bound.answer.error.message).toContain('for all merchants')
  expect(
    (await run('user', 'set', '--user', 'Vahe', '--refund-limit', 'none')).answer.user.refundLimits,
  ).toBeNull()
  const reset = await run('user', 'reset', '--user', 'Vahe')
  expect(reset.answer.link).not.toBe(answer.link)
  expect((await browser.get(new URL(answer.link).pathname)).status).toBe(404)
  const rows = await readAuditChain(kassa.ctx.db, 0, 1_000)
  expect(JSON.stringify(rows)).not.toContain(new URL(reset.answer.link).pathname.slice(6))
})

test('the secret of the codes is sealed anew with every other secret', async () => {
  const person = await add('Yana')
  const { secret } = await setUp(person)
  const newer = Buffer.alloc(32, 9).toString('base64')
  const vault = createVault([newer, SECRETS_KEY])
  const keysOf = async () => (await kassa.ctx.db.query('select distinct key_id from kassa.passwords')).rows
  const before = await keysOf()
  await rotateSecrets({ ...kassa.ctx, vault })
  expect(await keysOf()).toEqual([{ key_id: vault.keyId }])
  expect(before).not.toEqual(await keysOf())
  const later = await startDesk({ sandbox: { ...kassa.ctx, vault: createVault([newer]) } })
  const own = openBrowser(later, { 'x-forwarded-for': '203.0.113.1' })
  await begin(own, person)
  expect((await own.post('/sign-in/code', { code: codeOf(secret, 1) })).location).toBe('/')
  await later.close()
})
