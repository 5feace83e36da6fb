/** *My sign-in*, by request: a second passkey, one less, and new recovery codes, for oneself alone. */
import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { codeAt, secretFrom } from '../../access/one-time-code.ts'
import { removePasskey, renewRecoveryCodes } from '../../access/own-sign-in.ts'
import { openSession } from '../../access/sessions.ts'
import { placeOfCode } from '../../access/sign-in.ts'
import type { UserRole } from '../../audit/people.ts'
import { putPassword } from '../../storage/access/credentials.ts'
import { listOwnPasskeys } from '../../storage/access/own-sign-in.ts'
import { findUser, type UserRecord } from '../../storage/access/users.ts'
import { readAuditChain } from '../../storage/audit/log.ts'
import { inTransaction } from '../../storage/db.ts'
import { createAuthenticator } from '../../testing/attacks/authenticator.ts'
import {
  addPhone,
  hiddenIn,
  openAs,
  openBrowser,
  type Phone,
  showing,
  type TestBrowser,
} from '../../testing/console.ts'
import { openConsole } from '../../testing/scene/console.ts'

const PAGE = '/sandbox/my-sign-in'
const REMOVE = `${PAGE}/remove`
const { kassa, desk, shop, signInAs } = await openConsole({
  settings: { RATE_LIMITS: 'sign_in=1000:1000,sign_in_user=1000:1000' },
})
await signInAs('administrator')

type Someone = { id: string; thief: TestBrowser; own: TestBrowser; phone: Phone; user: UserRecord }

let people = 0
/** `thief`: has the session and not the passkey. */
async function person(role: UserRole = 'shop'): Promise<Someone> {
  const email = `person-${++people}@shop.example`
  const merchantId = role === 'shop' || role === 'cashier' ? shop.merchantId : null
  const name = `Person ${people}`
  const { browser: thief, id } = await openAs(kassa.ctx, desk, { role, email, merchantId, name })
  const phone = await addPhone(kassa.ctx, desk, id)
  const user = (await findUser(kassa.ctx.db, id)) as UserRecord
  return { id, thief, phone, user, own: showing(thief, phone, desk) }
}
const idsOf = async (id: string) => (await listOwnPasskeys(kassa.ctx.db, id)).map((each) => each.id)
const noted = async (id: string) =>
  (await readAuditChain(kassa.ctx.db, 0, 5_000))
    .filter(({ operatorId }) => operatorId === id)
    .map(({ what, about }) => `${what}: ${about}`)
const isIn = async (browser: TestBrowser) => (await browser.get(PAGE)).status === 200
const question = async (browser: TestBrowser, path: string) =>
  JSON.parse((await browser.post(`${path}/options`, {})).text)
async function signIn(phone: Phone): Promise<{ status: number; browser: TestBrowser }> {
  const browser = openBrowser(desk)
  const { challenge } = await question(browser, '/sign-in/passkey')
  const answer = await browser.postJson('/sign-in/passkey', phone.get({ challenge, origin: desk.origin }))
  return { status: answer.status, browser }
}
async function another({ id }: Someone): Promise<TestBrowser> {
  const browser = openBrowser(desk)
  const secret = await inTransaction(kassa.ctx.db, (tx) => openSession(tx, id, '127.0.0.1'))
  browser.cookies.set('kassa_console_session', secret)
  return browser
}
async function givePassword({ id }: Someone): Promise<string> {
  const secret = secretFrom(randomBytes(20))
  const sealed = kassa.ctx.vault.seal(secret, placeOfCode(id))
  await inTransaction(kassa.ctx.db, (tx) =>
    putPassword(tx, { operatorId: id, hash: 'x', ...sealed, usedStep: 0 }, new Date()),
  )
  return secret
}

test('the menu leads to it for every role', async () => {
  for (const role of ['administrator', 'operator', 'viewer', 'shop', 'cashier'] as const) {
    const { thief } = await person(role)
    expect([role, (await thief.get('/sandbox/today')).text.includes(`href="${PAGE}"`)]).toEqual([role, true])
    expect([role, (await thief.get(PAGE)).text.includes('Passkey 1')]).toEqual([role, true])
  }
})

test('a second passkey is made after the first was shown, and signs in', async () => {
  const someone = await person('cashier')
  const { own, phone, id } = someone
  const answer = await own.post(`${PAGE}/add`, {})
  expect([answer.status, answer.text.includes(`action="${PAGE}/passkey" data-passkey="create"`)]).toEqual([
    200,
    true,
  ])
  const options = await question(own, `${PAGE}/passkey`)
  expect(options.excludeCredentials).toMatchObject([{ id: phone.id }])
  // Whoever cancels the question of the device presses the button again.
  expect(await question(own, `${PAGE}/passkey`)).toEqual(options)
  const second = createAuthenticator()
  const made = second.create({ challenge: options.challenge, origin: desk.origin })
  const step = own.cookies.get('kassa_console_step') ?? ''
  expect((await own.postJson(`${PAGE}/passkey`, made)).location).toBe(`${PAGE}?done=added`)
  expect(await idsOf(id)).toEqual([phone.id, second.id])
  expect((await signIn(second)).status).toBe(303)
  expect(await noted(id)).toContain(`console passkey add: passkeys ${id}/${second.id}`)
  // The same step makes no third one.
  own.cookies.set('kassa_console_step', step)
  const third = createAuthenticator().create({ challenge: options.challenge, origin: desk.origin })
  expect((await own.postJson(`${PAGE}/passkey`, third)).status).toBe(422)
  expect(await idsOf(id)).toHaveLength(2)
})

test('a session without the second factor changes nothing', async () => {
  const { thief, phone, id } = await person()
  for (const [path, form] of [
    [`${PAGE}/add`, {}],
    [REMOVE, { passkey: phone.id }],
  ] as const) {
    const { status, text } = await thief.post(path, form)
    expect([path, status, text.includes('data-again')]).toEqual([path, 422, true])
  }
  expect((await thief.post(`${PAGE}/passkey/options`, {})).status).toBe(404)
  // The steps of a sign-in, and of another person, are others.
  const { challenge } = await question(thief, '/sign-in/passkey')
  const stranger = createAuthenticator()
  const forged = stranger.create({ challenge, origin: desk.origin })
  expect((await thief.postJson(`${PAGE}/passkey`, forged)).status).toBe(422)
  const other = await person()
  await other.own.post(`${PAGE}/add`, {})
  const offered = await question(other.own, `${PAGE}/passkey`)
  thief.cookies.set('kassa_console_step', other.own.cookies.get('kassa_console_step') ?? '')
  expect((await thief.post(`${PAGE}/passkey/options`, {})).status).toBe(404)
  const planted = stranger.create({ challenge: offered.challenge, origin: desk.origin })
  expect((await thief.postJson(`${PAGE}/passkey`, planted)).status).toBe(422)
  expect([await idsOf(id), await idsOf(other.id)]).toEqual([[phone.id], [other.phone.id]])
})

test('removing a passkey ends it and the other sessions, and not the own one', async () => {
  const someone = await person()
  const { own, phone, id } = someone
  const lost = await addPhone(kassa.ctx, desk, id)
  const { browser: withLost } = await signIn(lost)
  const elsewhere = await another(someone)
  expect([await isIn(withLost), await isIn(elsewhere)]).toEqual([true, true])
  const page = await own.get(`${REMOVE}?passkey=${lost.id}`)
  expect(page.text).toContain('passkey 2')
  expect((await own.post(REMOVE, hiddenIn(page.text))).location).toBe(`${PAGE}?done=removed`)
  expect([await isIn(own), await isIn(withLost), await isIn(elsewhere)]).toEqual([true, false, false])
  expect([(await signIn(lost)).status, (await signIn(phone)).status]).toEqual([422, 303])
  expect(await noted(id)).toContain(`console passkey remove: passkeys ${id}/${lost.id}`)
  expect((await own.post(REMOVE, { passkey: lost.id })).status).toBe(404)
})

test('the last way to sign in stays: the last passkey that works here, without a password', async () => {
  const someone = await person()
  const { own, phone, id } = someone
  const old = await addPhone(kassa.ctx, { origin: 'https://old.example' }, id)
  expect((await own.get(PAGE)).text).toContain('the earlier address old.example')
  const refused = await own.post(REMOVE, { passkey: phone.id })
  expect([refused.status, refused.text.includes('Nothing else would be left')]).toEqual([422, true])
  expect((await own.post(REMOVE, { passkey: old.id })).status).toBe(303)
  expect((await own.post(REMOVE, { passkey: phone.id })).status).toBe(422)
  expect(await idsOf(id)).toEqual([phone.id])
  await givePassword(someone)
  expect((await own.post(REMOVE, { passkey: phone.id })).status).toBe(303)
  expect(await idsOf(id)).toEqual([])
})

test('of two removals at once of the last two passkeys, one is refused', async () => {
  for (let rounds = 0; rounds < 5; rounds++) {
    const { id, phone, user } = await person()
    const second = await addPhone(kassa.ctx, desk, id)
    const own = { user, session: 'x', origin: desk.origin, address: '192.0.2.1' }
    const both = await Promise.allSettled(
      [phone, second].map((each) => removePasskey(kassa.ctx, own, each.id)),
    )
    expect(both.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(both.find(({ status }) => status === 'rejected')).toMatchObject({
      reason: { details: { reason: 'last_way_in' } },
    })
    expect(await idsOf(id)).toHaveLength(1)
  }
})

/** Locks these rows of the person until they are released, with a last statement. */
async function hold(table: 'passkeys' | 'recovery_codes', id: string) {
  const tx = await kassa.ctx.db.connect()
  await tx.query('begin')
  await tx.query(`select from kassa.${table} where operator_id = $1 for update`, [id])
  return {
    async release(last?: string) {
      if (last !== undefined) await tx.query(last, [id])
      await tx.query('commit')
      tx.release()
    },
  }
}
const countWaiting = async () => {
  const { rows } = await kassa.ctx.db.query(
    `select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows[0].count
}

test('a passkey that is removed while somebody signs in with it opens no session', async () => {
  const { id, phone } = await person()
  const { release } = await hold('passkeys', id)
  const signingIn = signIn(phone)
  await expect.poll(countWaiting).toBeGreaterThan(0)
  await release('delete from kassa.passkeys where operator_id = $1')
  const { status, browser } = await signingIn
  expect([status, await isIn(browser), await idsOf(id)]).toEqual([422, false, []])
})

test('a passkey of somebody else answers like an unknown one', async () => {
  const [{ own }, other] = [await person(), await person()]
  const unknown = createAuthenticator()
  const answersTo = async (id: string) => {
    const answers = [await own.get(`${REMOVE}?passkey=${id}`), await own.post(REMOVE, { passkey: id })]
    return answers.map(
      ({ status, text }) => `${status} ${text.replaceAll(id, 'ID').replaceAll(/req_\w+/g, '')}`,
    )
  }
  const [foreign, none] = [await answersTo(other.phone.id), await answersTo(unknown.id)]
  expect(foreign).toEqual(none)
  expect(foreign.map((each) => each.slice(0, 3))).toEqual(['404', '404'])
  expect(await idsOf(other.id)).toEqual([other.phone.id])
})

test('somebody with an app proves it by a code, adds the first passkey, and gets new recovery codes once', async () => {
  const someone = await person()
  const { thief, own, id } = someone
  const secret = await givePassword(someone)
  await own.post(REMOVE, { passkey: someone.phone.id })
  const bare = await thief.post(`${PAGE}/codes`, {})
  expect([bare.status, bare.text.includes('name="code"')]).toEqual([422, true])
  const send = async (path: string, code: string) =>
    thief.post(path, { ...hiddenIn((await thief.post(path, {})).text), code })
  expect((await send(`${PAGE}/codes`, '000000')).status).toBe(422)
  const shown = await send(`${PAGE}/codes`, codeAt(secret, new Date()))
  const codes = [...shown.text.matchAll(/<code>([a-z2-9-]{19})</g)].map(([, code = '']) => code)
  expect([shown.status, codes.length]).toEqual([200, 8])
  expect((await thief.get(PAGE)).text).toContain('Codes that are left: 8.')
  expect(await noted(id)).toContain(`console recovery codes: ${id}`)
  // A recovery code is a code too, and counts once.
  expect((await send(`${PAGE}/add`, codes[0] ?? '')).text).toContain('data-passkey="create"')
  expect((await send(`${PAGE}/add`, codes[0] ?? '')).status).toBe(422)
  expect((await thief.get(PAGE)).text).toContain('Codes that are left: 7.')
  await send(`${PAGE}/codes`, codes[1] ?? '')
  expect((await send(`${PAGE}/add`, codes[2] ?? '')).status).toBe(422)
})

test('two who make new codes at once leave one set', async () => {
  const someone = await person()
  await givePassword(someone)
  const by = { user: someone.user, address: '192.0.2.1' }
  await renewRecoveryCodes(kassa.ctx, by)
  const { release } = await hold('recovery_codes', someone.id)
  const both = [renewRecoveryCodes(kassa.ctx, by), renewRecoveryCodes(kassa.ctx, by)]
  await expect.poll(countWaiting).toBeGreaterThan(1)
  await release()
  await Promise.all(both)
  expect((await someone.thief.get(PAGE)).text).toContain('Codes that are left: 8.')
})

test('somebody without a password has no recovery codes to make', async () => {
  const { own } = await person()
  expect((await own.get(PAGE)).text).not.toContain('Recovery codes')
  expect((await own.post(`${PAGE}/codes`, {})).status).toBe(404)
})
